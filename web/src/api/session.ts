// A connection with a secret: an API key, or a link that someone shared.

import { Tablestakes } from "../../client/src/client.js";
import type { CurrentLink, Table } from "../../client/src/contract.js";
import { ApiError } from "../../client/src/errors.js";
import { gettext } from "../language/gettext.js";
import { compareClock } from "./clock.js";
import { takeEarly } from "./early.js";
import { BACKGROUND_TIMEOUT, TIMEOUT } from "./timeout.js";

export interface Session {
  secret: string;
  client: Tablestakes;
  /** The client for requests that nobody waits for: it gives a slow network more time. */
  background: Tablestakes;
  /** Null for an API key. */
  link: CurrentLink | null;
}

const PREFIX = "ofc_";
const PHONE_PREFIX = "ofc_phone_";

/** Return the secret in a pasted link or key, or undefined if the text has none. */
export function findSecret(text: string): string | undefined {
  const pasted = text.trim();
  const secret = /(?:#|\/links\/)([^#]+)$/.exec(pasted)?.[1] ?? pasted;
  return /^[!-~]{8,}$/.test(secret) && !secret.includes("/") ? secret : undefined;
}

/** Return the secret of the address, and erase it there, so that it stays neither in the history nor on a screenshot. */
export function takeSecretFromAddress(): string | undefined {
  const { hash, pathname, search } = location;
  if (hash.length < 2) return undefined;
  history.replaceState(history.state, "", pathname + search);
  const secret = hash.slice(1);
  return secret.startsWith(PREFIX) ? findSecret(secret) : undefined;
}

/** Return whether a secret is the code of a link that signs a phone in once. */
export function isPhoneCode(secret: string): boolean {
  return secret.startsWith(PHONE_PREFIX);
}

/**
 * Make this phone a scorekeeper of the club, with a secret that it has drawn.
 *
 * Sent again, the request has the same result. Throws an ApiError if the code was used on another phone, or has expired.
 */
export async function signIn(code: string, secret: string): Promise<void> {
  await buildClient(undefined, TIMEOUT).post("/v1/phones", { body: { code, secret, label: nameDevice() }, idempotencyKey: null });
}

/** Return what kind of a device this is, as it is listed among the links. */
function nameDevice(): string {
  const kinds = [/iPhone/, /iPad/, /Android/, /Windows/, /Mac/, /Linux/];
  return kinds.map((kind) => kind.exec(navigator.userAgent)?.[0]).find((found) => found !== undefined) ?? gettext("phone");
}

/** Return whether rounds can be recorded with a session. */
export function canRecord({ link }: Session): boolean {
  return link === null || link.kind === "scorekeeper" || link.kind === "club";
}

/** Return whether tables can be created with a session. The scopes of a key are not known: the service refuses what it lacks. */
export function canAddTables({ link }: Session): boolean {
  return link === null || link.kind === "club";
}

/** Return a client that tries each request once: the page says at once that the service does not respond. */
function buildClient(secret: string | undefined, timeout: number, waits = 0): Tablestakes {
  const retries = { attempts: 1, waits, timeout };
  return new Tablestakes({ url: location.origin, ...(secret === undefined ? {} : { key: secret }), retries, fetch: fetchFromService });
}

/** Fetch from the service. The login page of a hotel, which responds to any request, counts as no response. */
async function fetchFromService(...request: Parameters<typeof fetch>): Promise<Response> {
  const [url, options = {}] = request;
  // With the cache of the browser, a request waits for an equal one that is under way.
  const early = takeEarly(String(url), options);
  const response = await (early ?? fetch(url, { ...options, cache: "no-store" }));
  if (!response.headers.has("Request-Id")) throw new TypeError("another server responded");
  // The time of a response that arrived before this script has passed.
  if (early === undefined) compareClock(response);
  return response;
}

/** Return a session with what is known of its secret. */
export function buildSession(secret: string, link: CurrentLink | null): Session {
  // In the background, the client waits for as long as a response with 429 asks for.
  return { secret, client: buildClient(secret, TIMEOUT), background: buildClient(secret, BACKGROUND_TIMEOUT, 1), link };
}

/** Connect with a secret. Throws an ApiError if the service refuses it. */
export async function connect(secret: string): Promise<Session> {
  return buildSession(secret, await readLink(buildClient(secret, TIMEOUT)));
}

async function readLink(client: Tablestakes): Promise<CurrentLink | null> {
  try {
    return await client.get("/v1/link");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    // The secret is a key: the list of tables shows whether it is valid.
    await client.get("/v1/tables", { query: { limit: 1 } });
    return null;
  }
}

/** Return the tables that a session can choose from. A link to one table shows it, also if it is archived. */
export async function listTables({ client, link }: Session): Promise<Table[]> {
  const tables: Table[] = [];
  for await (const table of client.list("/v1/tables")) tables.push(table);
  const only = link?.table ?? null;
  if (only !== null && tables.length === 0) tables.push(await client.get("/v1/tables/{table_id}", { path: { table_id: only } }));
  return tables;
}
