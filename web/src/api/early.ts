// Requests that were sent before the script of the page had arrived: on a slow network it takes half a second.

declare global {
  /** The responses to them, by the header `Authorization` and the address. */
  var early: Map<string, Promise<Response>> | undefined;
}

/** How many rounds are read to find the open one: rounds can be recorded later than others of their table. */
export const ROUNDS_READ = 5;

/** What the page reads first with a link to a table, which shows nothing but this table. */
const PATHS = ["/v1/link", "/v1/tables", `/v1/rounds?limit=${ROUNDS_READ}`];

/** How long a response can be taken, in milliseconds. What it shows can have changed since. */
const LASTS = 10_000;

/** Send the first requests with a secret. */
export function sendEarly(secret: string): void {
  const headers = { Accept: "application/json", Authorization: `Bearer ${secret}` };
  const sent = (globalThis.early = new Map<string, Promise<Response>>());
  for (const path of PATHS) {
    const key = keyOf(headers.Authorization, location.origin + path);
    const response = fetch(path, { headers, cache: "no-store", redirect: "manual" }).then(readWhole);
    sent.set(key, response);
    // The page sends again what has failed before it was taken.
    response.catch(() => sent.delete(key));
  }
  setTimeout(endEarly, LASTS);
}

/** Return the response to a request that was sent early, once; undefined if it was not. */
export function takeEarly(url: string, { method, headers, signal }: RequestInit): Promise<Response> | undefined {
  // What the page changes now is in none of the responses.
  if (method !== "GET") endEarly();
  const key = keyOf(new Headers(headers).get("Authorization"), url);
  const response = globalThis.early?.get(key);
  if (response === undefined) return undefined;
  globalThis.early!.delete(key);
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => {
      // The others wait for the same network.
      endEarly();
      reject(signal.reason);
    });
  });
  return Promise.race([response, aborted]);
}

function endEarly(): void {
  globalThis.early = undefined;
}

/** Read a response to its end, so that whoever takes it does not wait for a network that is lost meanwhile. */
async function readWhole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

function keyOf(authorization: string | null, url: string): string {
  return `${authorization} ${url}`;
}
