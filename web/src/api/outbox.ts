// Requests that wait to be sent: stored before they are sent, sent in the order of their round, removed after the response.

import type { Tablestakes } from "../../client/src/client.js";
import type { Round } from "../../client/src/contract.js";
import { ApiError, TablestakesError, TransportError } from "../../client/src/errors.js";
import { isTemporary } from "../../client/src/retries.js";
import { describeRefusal } from "./scorer.js";

/** A request that waits to be sent. Its body and its idempotency key never change. */
export interface Waiting {
  id?: number;
  round: string;
  path: string;
  body: string;
  idempotencyKey: string;
  /** What it records, in words. */
  label: string;
  /** Why the service refused it. It then stops the requests of its round. */
  refusal: string[] | null;
}

/** Where the requests are stored. */
export interface OutboxStorage {
  read(): Promise<Waiting[]>;
  change(request: Waiting): Promise<void>;
  remove(id: number): Promise<void>;
}

export type FlushResult =
  | { kind: "done"; rounds: Round[] }
  | { kind: "offline"; rounds: Round[] }
  | { kind: "unauthorized"; rounds: Round[]; detail: string };

/** Problems of the secret or of its limits, not of a request. */
const NOT_OF_THE_REQUEST: ReadonlySet<number> = new Set([401, 403, 429]);

const LOCK = "tablestakes-keeper-outbox";

/** Send what waits, one tab at a time. The result has each round as the service returned it last. */
export async function flush(client: Tablestakes, storage: OutboxStorage): Promise<FlushResult> {
  return navigator.locks.request(LOCK, () => sendAll(client, storage));
}

/** Send all requests, oldest first. A refused request stops those of its round. */
export async function sendAll(client: Tablestakes, storage: OutboxStorage): Promise<FlushResult> {
  const rounds = new Map<string, Round>();
  const stopped = new Set<string>();
  const result = (): Round[] => [...rounds.values()];
  for (const request of await storage.read()) {
    if (request.refusal !== null) stopped.add(request.round);
    if (stopped.has(request.round)) continue;
    try {
      rounds.set(request.round, await send(client, request));
      await storage.remove(request.id!);
    } catch (error) {
      if (!(error instanceof TablestakesError)) throw error;
      if (!(error instanceof ApiError)) return { kind: "offline", rounds: result() };
      if (error.status >= 500 || isTemporary(error.status, error.code)) return { kind: "offline", rounds: result() };
      if (NOT_OF_THE_REQUEST.has(error.status)) {
        return { kind: "unauthorized", rounds: result(), detail: error.message };
      }
      await storage.change({ ...request, refusal: describeRefusal(error) });
      stopped.add(request.round);
    }
  }
  return { kind: "done", rounds: result() };
}

/** Send a request, the same bytes with the same key each time, and return its round. */
async function send(client: Tablestakes, request: Waiting): Promise<Round> {
  const untyped = client as unknown as {
    post(path: string, options: object): Promise<Round | { round: Round }>;
  };
  const headers = { "Content-Type": "application/json" };
  const { path, body, idempotencyKey } = request;
  const response = await untyped.post(path, { body, headers, idempotencyKey });
  if (typeof response !== "object") throw new TransportError("the response is not that of the service");
  return "round" in response ? response.round : response;
}
