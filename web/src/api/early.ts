// Requests that were sent before the script of the page had arrived: on a slow network it takes half a second.

declare global {
  /** The responses to them, by the header `Authorization` and the address. */
  var early: Map<string, Promise<Response>> | undefined;
}

/** How many rounds are read to find the open one: rounds can be recorded later than others of their table. */
export const ROUNDS_READ = 5;

/** What the page reads first with a link to a table, which shows nothing but this table. */
const PATHS = ["/v1/link", "/v1/tables", `/v1/rounds?limit=${ROUNDS_READ}`];

/** Send the first requests with a secret. */
export function sendEarly(secret: string): void {
  const headers = { Accept: "application/json", Authorization: `Bearer ${secret}` };
  globalThis.early = new Map();
  for (const path of PATHS) {
    const response = fetch(path, { headers, cache: "no-store" });
    // Whoever takes the response handles its failure; nobody may take it.
    response.catch(() => undefined);
    globalThis.early.set(keyOf(headers.Authorization, location.origin + path), response);
  }
}

/** Return the response to a request that was sent early, once; undefined if it was not. */
export function takeEarly(url: string, { method, headers, signal }: RequestInit): Promise<Response> | undefined {
  const key = keyOf(new Headers(headers).get("Authorization"), url);
  const response = method === "GET" ? globalThis.early?.get(key) : undefined;
  if (response === undefined) return undefined;
  globalThis.early!.delete(key);
  const aborted = new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  return Promise.race([response, aborted]);
}

function keyOf(authorization: string | null, url: string): string {
  return `${authorization} ${url}`;
}
