// How a stored request is sent.

import type { Tablestakes } from "../../client/src/client.js";

/** Send the stored bytes of a request with its idempotency key. Throws an ApiError if the service refuses it. */
export async function postOnce(
  client: Tablestakes,
  path: string,
  { body, idempotencyKey }: { body: string; idempotencyKey: string | null },
  signal?: AbortSignal,
  query?: object,
): Promise<unknown> {
  const untyped = client as unknown as { post(path: string, options: object): Promise<unknown> };
  const headers = { "Content-Type": "application/json" };
  return untyped.post(path, { body, headers, idempotencyKey, signal, query });
}
