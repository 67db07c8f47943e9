import { Connection, mediaType, type RawResponse } from "./connection.js";
import type { HandLine, HandLineResult, Import, ImportLineResult, paths, RoundDocument, RoundDocumentRequest } from "./contract.js";
import type { TransportError } from "./errors.js";
import { makeId } from "./ids.js";
import { NDJSON, parseLines, splitLines, writeLines } from "./lines.js";
import { RETRY_RULES, wait, type RetryRules } from "./retries.js";
import type { Arguments, CallOptions, Data, Item, ListPath, Method, Operation, Options, PathWith } from "./types.js";

const EXPORT_PAGE = 500;
const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

/** Where the service is, and how to call it. */
export interface ClientOptions {
  /** The address of the service. Default: http://127.0.0.1:8000 */
  url?: string;
  /** An API key. */
  key?: string;
  /** Changes how requests are retried. */
  retries?: Partial<RetryRules>;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Called with the reason when a request takes longer than a second because it is retried. */
  onWaiting?: (reason: TransportError) => void;
}

/** A response with its status and headers. */
export interface Result<T> {
  /** The body. Undefined if `status` is 304. */
  data: T;
  status: number;
  headers: Headers;
  /** Whether the request had been recorded before, and nothing was recorded now. */
  isReplay: boolean;
}

type Exported = Options<Operation<"get", "/v1/export">>["query"];
type Loose = CallOptions & { path?: unknown; query?: unknown; body?: unknown };
type Values = Record<string, unknown>;

/**
 * A client of one service.
 *
 * A request is retried if the service does not respond, is unavailable or busy, or asks to wait. It takes effect once:
 * each POST has an idempotency key, which all its retries use.
 */
export class Tablestakes {
  private readonly connection: Connection;

  constructor(options: ClientOptions = {}) {
    const { url = "http://127.0.0.1:8000", key, retries, fetch = globalThis.fetch, onWaiting } = options;
    this.connection = new Connection(url, key, { ...RETRY_RULES, ...retries }, fetch.bind(globalThis), onWaiting);
  }

  /** Call a GET operation by its path in the contract, and return the body. */
  async get<P extends PathWith<"get">>(
    path: P,
    ...[options]: Arguments<Operation<"get", P>>
  ): Promise<Data<Operation<"get", P>>> {
    return (await this.request("get", path, options)).data as Data<Operation<"get", P>>;
  }

  /** Call a POST operation by its path in the contract, and return the body. */
  async post<P extends PathWith<"post">>(
    path: P,
    ...[options]: Arguments<Operation<"post", P>>
  ): Promise<Data<Operation<"post", P>>> {
    return (await this.request("post", path, options)).data as Data<Operation<"post", P>>;
  }

  /** Call a PUT operation by its path in the contract, and return the body. */
  async put<P extends PathWith<"put">>(
    path: P,
    ...[options]: Arguments<Operation<"put", P>>
  ): Promise<Data<Operation<"put", P>>> {
    return (await this.request("put", path, options)).data as Data<Operation<"put", P>>;
  }

  /** Call a PATCH operation by its path in the contract, and return the body. */
  async patch<P extends PathWith<"patch">>(
    path: P,
    ...[options]: Arguments<Operation<"patch", P>>
  ): Promise<Data<Operation<"patch", P>>> {
    return (await this.request("patch", path, options)).data as Data<Operation<"patch", P>>;
  }

  /** Call a DELETE operation by its path in the contract. */
  async delete<P extends PathWith<"delete">>(
    path: P,
    ...[options]: Arguments<Operation<"delete", P>>
  ): Promise<Data<Operation<"delete", P>>> {
    return (await this.request("delete", path, options)).data as Data<Operation<"delete", P>>;
  }

  /** Call an operation, and return the body with the status and the headers, for example the `ETag`. */
  async send<M extends Method, P extends PathWith<M> & keyof paths>(
    method: M,
    path: P,
    ...[options]: Arguments<Operation<M, P>>
  ): Promise<Result<Data<Operation<M, P>>>> {
    return (await this.request(method, path, options)) as Result<Data<Operation<M, P>>>;
  }

  /** Iterate over all items of a list. Pages are fetched as they are read. */
  async *list<P extends ListPath>(
    path: P,
    ...[options]: Arguments<Operation<"get", P>>
  ): AsyncGenerator<Item<Operation<"get", P>>, void, undefined> {
    const given: Loose = options ?? {};
    let cursor: string | null = null;
    do {
      const query: Values = { ...(given.query as Values), ...(cursor === null ? {} : { cursor }) };
      const { data } = await this.request("get", path, { ...given, query });
      const page = data as Values & { has_more: boolean; next_cursor: string | null };
      yield* Object.values(page).find(Array.isArray) as Item<Operation<"get", P>>[];
      // The ledger has a cursor on its last page too.
      cursor = page.has_more ? page.next_cursor : null;
    } while (cursor !== null);
  }

  /**
   * Record hands of any rounds, and return one result per hand, in order.
   *
   * They are sent in requests of up to 500 hands. A refused hand stops its round and no other. The same hands can be
   * sent again at any time: what is recorded is a replay.
   */
  async recordHands(hands: Iterable<HandLine>, options: CallOptions = {}): Promise<HandLineResult[]> {
    const results: HandLineResult[] = [];
    for (const body of splitLines(hands)) {
      const { data } = await this.request("post", "/v1/hands", { idempotencyKey: null, ...options, body });
      const lines = parseLines<HandLineResult>(data as string);
      results.push(...lines.map((result, index) => ({ ...result, line: results.length + index + 1 })));
    }
    return results;
  }

  /** Start an import of rounds, given as documents or as lines of NDJSON. */
  async startImport(
    rounds: Iterable<RoundDocumentRequest | string>,
    options: CallOptions & { state?: "final" | "provisional" } = {},
  ): Promise<Import> {
    const query = options.state === undefined ? {} : { state: options.state };
    const call = { ...options, query, body: writeLines(rounds) };
    return (await this.request("post", "/v1/imports", call)).data as Import;
  }

  /** Wait until an import has ended, and return it. */
  async waitForImport(id: string, options: { pause?: number; signal?: AbortSignal } = {}): Promise<Import> {
    for (;;) {
      const call = { path: { import_id: id }, ...(options.signal === undefined ? {} : { signal: options.signal }) };
      const job = await this.get("/v1/imports/{import_id}", call);
      if (ENDED.has(job.state)) return job;
      await wait(options.pause ?? 500, options.signal);
    }
  }

  /** Return the result of each line of an import. */
  async importResults(id: string, options: CallOptions = {}): Promise<ImportLineResult[]> {
    const call = { ...options, path: { import_id: id } };
    return parseLines<ImportLineResult>(await this.get("/v1/imports/{import_id}/results", call));
  }

  /** Iterate over rounds as documents, oldest first. They are fetched 500 at a time. */
  async *exportRounds(query: Exported = {}, options: CallOptions = {}): AsyncGenerator<RoundDocument, void, undefined> {
    let cursor: string | undefined;
    do {
      const page: Exported = { limit: EXPORT_PAGE, ...query, ...(cursor === undefined ? {} : { cursor }) };
      const { data, headers } = await this.send("get", "/v1/export", { ...options, query: page });
      yield* parseLines<RoundDocument>(data);
      cursor = nextCursor(headers);
    } while (cursor !== undefined);
  }

  private async request(method: Method, path: string, options: Loose = {}): Promise<Result<unknown>> {
    const { body, idempotencyKey } = options;
    const headers: Record<string, string> = { ...options.headers };
    if (body !== undefined) headers["Content-Type"] ??= typeof body === "string" ? NDJSON : "application/json";
    if (method === "post" && idempotencyKey !== null) {
      headers["Idempotency-Key"] = idempotencyKey ?? makeId();
    }
    const response = await this.connection.send({
      method: method.toUpperCase(),
      path: fillPath(path, (options.path ?? {}) as Values) + writeQuery((options.query ?? {}) as Values),
      headers,
      signal: options.signal,
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const isReplay = response.headers.has("Idempotent-Replayed");
    return { data: this.read(response), status: response.status, headers: response.headers, isReplay };
  }

  private read(response: RawResponse): unknown {
    if (response.status === 204 || response.status === 304) return undefined;
    if (mediaType(response.headers) !== "application/json") return response.body;
    try {
      return JSON.parse(response.body);
    } catch {
      throw this.connection.unexpected(response);
    }
  }
}

function fillPath(path: string, parameters: Values): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined || value === "") throw new TypeError(`the path parameter '${name}' is required`);
    return encodeURIComponent(String(value));
  });
}

function writeQuery(parameters: Values): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (each !== undefined && each !== null) query.append(name, String(each));
    }
  }
  return query.size === 0 ? "" : `?${query}`;
}

function nextCursor(headers: Headers): string | undefined {
  const link = /<([^>]*)>\s*;\s*rel="next"/.exec(headers.get("Link") ?? "")?.[1];
  return link === undefined ? undefined : (new URL(link, "http://service").searchParams.get("cursor") ?? undefined);
}
