// Requests that wait to be sent: stored before they are sent, sent in the order of their round, removed after the response.
// Payments wait for everything that was stored before them at their table.

import type { Tablestakes } from "../../client/src/client.js";
import type { HandRequest, RecordedHand, RecordedHandWithRound, Round } from "../../client/src/contract.js";
import { ApiError, TablestakesError, TransportError } from "../../client/src/errors.js";
import { makeId } from "../../client/src/ids.js";
import { gettext } from "../language/gettext.js";
import { isPayment, isTakenBack, sendPayment, type PaymentOperation } from "./payments.js";
import { postOnce } from "./posting.js";
import { isTemporary } from "../../client/src/retries.js";
import { describeRefusal, findUndone } from "./scorer.js";
import { describeKind, type Context } from "./sentences.js";

export type RoundOperation = "open_round" | "record_hand" | "undo_hand" | "record_departure" | "close_round";
export type OperationName = RoundOperation | PaymentOperation;

/** The last part of the path of an operation: below the round or, for an opening, below the table. */
const PATHS: Record<RoundOperation, string> = {
  open_round: "rounds",
  record_hand: "hands",
  undo_hand: "undo",
  record_departure: "departures",
  close_round: "close",
};

/** Why the service refused a request. It then stops the requests of its round. */
export interface Refusal {
  code: string;
  details: string[];
  /** Whether the service would record the payment, and warns of it: the scorekeeper decides. Nothing was recorded. */
  isQuestion?: true;
  /** Whether the same payment is recorded where the link does not see it. */
  isElsewhere?: true;
  /** The record of a hand that was undone before. */
  hand?: string;
  /** Whether the table of an opening has another ruleset, point value or unit than this device played by. */
  isTableChanged?: true;
}

/** A request that waits to be sent. Its body and its idempotency key never change, unless it was refused. */
export interface Waiting {
  id?: number;
  operation: OperationName;
  table: { id: string; name: string };
  /** The ID of the round; of this device, until the service has opened the round. A payment and its reversal have one of their own. */
  round: string;
  /** The name of the round at its table, or what identifies the payment. */
  reference: string | null;
  body: string;
  idempotencyKey: string;
  /** What it records, in words. */
  label: string;
  /** The players of the round by their seats. */
  players?: Record<string, string>;
  storedAt: string;
  refusal: Refusal | null;
  /** Whether a payment was sent: the service can have recorded it without a response that arrived. */
  isSent?: true;
  /** Whether the scorekeeper wants a payment recorded of which the service has warned. */
  isConfirmed?: true;
  /** The ID of the recorded payment that a reversal takes back, once it is known. */
  entry?: string;
  /** Whether the hand was undone on this device and saved again: with the same cards, its record counts again. */
  isRestoring?: true;
}

/** Where the requests are stored. */
export interface OutboxStorage {
  /** Return all requests, oldest first. */
  read(): Promise<Waiting[]>;
  change(request: Waiting): Promise<void>;
  /** Remove a request that was accepted. An opened round has the ID of the service from then on. */
  complete(request: Waiting, accepted: Accepted): Promise<void>;
  /** Store that a payment or reversal is sent now. Returns false if it was dropped since it was read. */
  beginPayment(request: Waiting): Promise<boolean>;
  /** Remove a payment or reversal that was recorded, as the entry with an ID; null if that is not known. */
  completePayment(request: Waiting, entry: string | null): Promise<void>;
}

/** What the service returned: the round as it is now, and a recorded hand. */
export interface Accepted {
  round: Round;
  hand: RecordedHand | null;
}

export type FlushResult =
  | { kind: "done"; rounds: Round[] }
  | { kind: "offline"; rounds: Round[] }
  /** The service responds, and accepts no more requests for now. */
  | { kind: "limited"; rounds: Round[] }
  /** Another secret is needed, and why. */
  | { kind: "unauthorized"; rounds: Round[]; detail: string };

/** Return what the page shows when the service no longer accepts its secret. */
export function describeNotValid(): string {
  return gettext("This link or key is no longer valid.");
}
/** The status of a response to a secret that is not valid. */
export const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY_REQUESTS = 429;

/** The code of a request after which the round is not as expected. */
export const EXPECTED_DIFFERS = "expected-differs";
/** The places of the fields that a round has from its table. */
const OF_TABLE = /^#\/expected\/(ruleset|point_value|unit)$/;

/**
 * Send all requests, oldest first. A refused request stops those of its round, and the next round of its table.
 *
 * The result has each round as the service returned it last. The signal ends the request that waits for a response.
 */
export async function sendAll(client: Tablestakes, storage: OutboxStorage, signal?: AbortSignal): Promise<FlushResult> {
  const rounds = new Map<string, Round>();
  const busy = new Set<string>();
  const result = (): Round[] => [...rounds.values()];
  for (;;) {
    const request = findNext(await storage.read(), busy);
    if (request === undefined) return { kind: busy.size === 0 ? "done" : "offline", rounds: result() };
    try {
      if (isPayment(request)) {
        await sendPayment(client, storage, request, signal);
        continue;
      }
      const accepted = await sendOnce(client, request, signal);
      await storage.complete(request, accepted);
      rounds.set(accepted.round.id, accepted.round);
    } catch (error) {
      if (!(error instanceof TablestakesError)) throw error;
      if (!(error instanceof ApiError)) return { kind: "offline", rounds: result() };
      if (error.status >= 500 || isTemporary(error.status, error.code)) {
        busy.add(request.round);
      } else if (error.status === TOO_MANY_REQUESTS) {
        return { kind: "limited", rounds: result() };
      } else if (error.status === UNAUTHORIZED || error.status === FORBIDDEN) {
        const detail = error.status === FORBIDDEN ? describeKind(error.problem) : describeNotValid();
        return { kind: "unauthorized", rounds: result(), detail };
      } else if (isTakenBack(error, request)) {
        await storage.completePayment(request, null);
      } else {
        await storage.change(restore(error, request) ?? { ...request, refusal: refusalOf(error, request) });
      }
    }
  }
}

/** Return a refused request with another body, and a new idempotency key. */
export function rewriteRequest(request: Waiting, body: object): Waiting {
  return { ...request, body: JSON.stringify(body), idempotencyKey: makeId(), refusal: null };
}

/** Return a hand that names the record which counts again, if the service refused it because it was undone on this device. */
function restore(error: ApiError, request: Waiting): Waiting | null {
  const restores = request.isRestoring === true ? findUndone(error) : null;
  const body = JSON.parse(request.body) as HandRequest;
  return restores === null || body.restores === restores ? null : rewriteRequest(request, { ...body, restores });
}

function contextOf({ players = {}, body }: Waiting): Context {
  return { names: new Map(Object.entries(players).map(([seat, player]) => [Number(seat), player])), body: JSON.parse(body) };
}

/** Return the oldest request that no earlier one stops. */
function findNext(requests: Waiting[], busy: ReadonlySet<string>): Waiting | undefined {
  const stopped = new Set<string>(busy);
  const tables = new Set<string>();
  for (const request of requests) {
    const { round, table, operation, refusal } = request;
    // The stacks of a table's next round are known after its last one, and who owes what after its rounds.
    const isOfTable = operation === "open_round" || operation === "record_payment";
    const isBehind = stopped.has(round) || (isOfTable && tables.has(table.id));
    if (!isBehind && refusal === null) return request;
    stopped.add(round);
    if (!isPayment(request)) tables.add(table.id);
  }
  return undefined;
}

/** Return why the service refused a request, in words. */
function refusalOf(error: ApiError, request: Waiting): Refusal {
  const { code, errors } = error;
  const isTableChanged = request.operation === "open_round" && errors.some(({ pointer }) => OF_TABLE.test(pointer));
  if (code === EXPECTED_DIFFERS && isTableChanged) {
    const detail = gettext("The table was changed after the round was opened on this device. Nothing was recorded.");
    return { code, details: [detail], isTableChanged };
  }
  const hand = findUndone(error);
  return { code, details: describeRefusal(error, contextOf(request)), ...(hand === null ? {} : { hand }) };
}

/** Send a request, the same bytes with the same key each time. Throws an ApiError if the service refuses it. */
export async function sendOnce(client: Tablestakes, request: Waiting, signal?: AbortSignal): Promise<Accepted> {
  const accepted = readResponse(request, await postOnce(client, pathOf(request), request, signal));
  // The login page of a hotel responds to any request with anything.
  if (accepted === null) throw new TransportError("the response is not that of the service");
  return accepted;
}

/** Return the path that a request of a round is sent to. */
export function pathOf({ operation, table, round }: Waiting): string {
  const owner = operation === "open_round" ? `tables/${table.id}` : `rounds/${round}`;
  return `/v1/${owner}/${PATHS[operation as RoundOperation]}`;
}

/** Return what was accepted, or null if the response does not belong to the request. */
function readResponse(request: Waiting, response: unknown): Accepted | null {
  if (typeof response !== "object" || response === null) return null;
  if (request.operation !== "record_hand") {
    const round = response as Partial<Round>;
    const { reference } = JSON.parse(request.body) as { reference?: string };
    const isIt =
      request.operation === "open_round"
        ? round.table === request.table.id && round.reference === reference && typeof round.id === "string"
        : round.id === request.round;
    return isIt ? { round: round as Round, hand: null } : null;
  }
  const { round, ...hand } = response as Partial<RecordedHandWithRound>;
  const { id, number } = hand;
  const expected = JSON.parse(request.body) as { number: number };
  if (typeof id !== "string" || number !== expected.number || round?.id !== request.round) return null;
  return { round, hand: hand as RecordedHand };
}
