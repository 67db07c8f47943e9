// Rounds on the device: what is needed to go on without a network, and the state of a round with everything that waits.

import type { HandRequest, Round, RoundDocument, RoundRequest, Ruleset, Table } from "../../client/src/contract.js";
import { TablestakesError } from "../../client/src/errors.js";
import { makeId } from "../../client/src/ids.js";
import { serviceNow } from "../api/clock.js";
import { rewriteRequest, type OperationName, type Waiting } from "../api/outbox.js";
import { isPayment } from "../api/payments.js";
import { contextOf, type HandScorer, type Score, type ScoreResult } from "../api/scorer.js";
import { describeProblem } from "../api/sentences.js";
import type { Session } from "../api/session.js";
import { pause, TIMEOUT } from "../api/timeout.js";
import { gettext } from "../language/gettext.js";
import type { Board, GivenRound, Problem, Rules } from "../rules/index.js";
import type { KnownHand, PlayedRequest, StoredRound } from "./database.js";
import { readOutbox } from "./outbox_storage.js";
import { findBuyIns, isNew, NEW, readRound, readTable, writeNextRound, writeRound, type KnownStacks } from "./storage.js";
import { termsOf } from "./terms.js";

/** How many rounds of a table are read for the stacks of players who sat out. */
const ROUNDS_READ = 50;
const MOST_LISTED = 100;

/** What is being read, by the version of a round. */
const reading = new Map<string, Promise<void>>();

/**
 * Store what is needed to go on with a round without a network. Without one, nothing changes.
 *
 * On a slow network this returns before it is stored: nobody waits for it as long as it may take.
 */
export async function prepareRound(session: Session, round: Round): Promise<void> {
  if (isNew(round.id) || (await readRound(round.id))?.round.version === round.version) return;
  const version = `${round.id} ${round.version}`;
  const read = reading.get(version) ?? storeRound(session, round).finally(() => reading.delete(version));
  reading.set(version, read);
  await Promise.race([read, pause(TIMEOUT)]);
}

async function storeRound({ background }: Session, round: Round): Promise<void> {
  try {
    const path = { round_id: round.id };
    const document = await background.get("/v1/rounds/{round_id}/document", { path });
    const hands: KnownHand[] = [];
    const query = { limit: MOST_LISTED };
    for await (const hand of background.list("/v1/rounds/{round_id}/hands", { path, query })) hands.push(hand);
    const current = await background.get("/v1/rounds/{round_id}", { path });
    const ruleset = await background.get("/v1/rulesets/{reference}", { path: { reference: round.ruleset } });
    // If the versions differ, somebody recorded something in between.
    if (current.version === round.version) await writeRound({ round, document, hands, ruleset, sent: [] });
  } catch (error) {
    if (!(error instanceof TablestakesError)) throw error;
  }
}

/**
 * Return what an undo of the last hand of a round names: the record, so that it never undoes another hand with the number.
 *
 * The record of a hand that waits is named when the service has recorded it. Returns null if the record is not known.
 */
export async function nameUndone(session: Session, round: Round): Promise<{ hand?: string } | null> {
  const waiting = (await listPending(round.id)).filter(({ operation }) => operation === "record_hand");
  if (waiting.some(({ body }) => (JSON.parse(body) as HandRequest).number === round.hands)) return {};
  await prepareRound(session, round);
  const stored = await readRound(round.id);
  const recorded = stored?.hands.find(({ number }) => number === round.hands);
  return recorded === undefined || stored?.round.version !== round.version ? null : { hand: recorded.id };
}

/**
 * Store what is needed to open the next round of a table without a network. Without one, nothing changes.
 *
 * The signal ends this when the table has changed.
 */
export async function prepareTable({ background }: Session, table: Table, signal: AbortSignal): Promise<void> {
  const waits = async (): Promise<boolean> => (await readOutbox()).some((request) => request.table.id === table.id && !isPayment(request));
  try {
    const waited = await waits();
    const ruleset = await background.get("/v1/rulesets/{reference}", { path: { reference: table.ruleset }, signal });
    const { rounds } = await background.get("/v1/rounds", { query: { table: table.id, limit: ROUNDS_READ }, signal });
    // While something waits, the stacks of this device are newer.
    const isOlder = waited || (await waits());
    if (!signal.aborted) await writeNextRound(table, ruleset, isOlder ? null : readStacks(rounds, table));
  } catch (error) {
    if (!(error instanceof TablestakesError)) throw error;
  }
}

/** Return the stacks with which the players of a table sit down again, and what they bought in for last, from its rounds, the newest first. */
export function readStacks(rounds: Round[], { point_value, unit }: Table): KnownStacks {
  const known: KnownStacks = { stacks: {}, buyIns: {} };
  for (const round of [...rounds].reverse()) {
    // The service carries no stack over to points of another value.
    const isSame = round.point_value === point_value && round.unit === unit;
    if (isSame) Object.assign(known.buyIns, findBuyIns(round.seats, known.stacks));
    for (const { player, stack } of round.seats) {
      if (isSame) known.stacks[player] = stack;
      else delete known.stacks[player];
    }
  }
  return known;
}

/** Return the requests of a round that wait, up to the first that the service refused. */
export async function listPending(round: string): Promise<Waiting[]> {
  const waiting = (await readOutbox()).filter((request) => request.round === round);
  // A round that the service does not have is only what this device knows.
  const refused = isNew(round) ? -1 : waiting.findIndex(({ refusal }) => refusal !== null);
  return refused < 0 ? waiting : waiting.slice(0, refused);
}

function asPlayed({ operation, body }: Waiting): PlayedRequest {
  return { operation, body: JSON.parse(body) as object };
}

export type LocalResult =
  /** With what the house charges for the round, by seat. */
  | { kind: "round"; round: Round; charged: Record<string, number> }
  | { kind: "refused"; problem: Problem }
  /** The rules or the round are not on the device. */
  | { kind: "unknown" };

/** Return a round after everything that waits, and after one more request, as the service will show it. */
export async function playLocally(rules: Rules | null, round: Round, next?: PlayedRequest): Promise<LocalResult> {
  const pending = (await listPending(round.id)).map(asPlayed);
  const stored = await readRound(round.id);
  if (rules === null || stored === undefined || stored.round.version !== round.version) return { kind: "unknown" };
  return replay(rules, stored, next === undefined ? pending : [...pending, next]);
}

async function replay(rules: Rules, stored: StoredRound, requests: PlayedRequest[]): Promise<LocalResult> {
  const { round, document, ruleset, sent } = stored;
  const replayed = await rules.replay({ document, ruleset, requests: [...sent, ...requests] });
  if (replayed.kind === "replayed") {
    return { kind: "round", round: { ...round, ...(replayed.round as Partial<Round>) }, charged: replayed.charged };
  }
  return replayed.kind === "round_refused" ? { kind: "refused", problem: replayed.problem } : { kind: "unknown" };
}

/** An opening to send, and the round as this device plays it until then. */
export interface LocalOpening {
  kind: "opening";
  request: Waiting;
  opened: StoredRound;
}

/**
 * Open a round on this device: on the stacks that it knows, and with a reference by which the service recognizes it.
 *
 * With the request of an opening that was refused, this replaces it. Returns null if something that is needed is not
 * on the device. The ruleset is read from the service if the table has another one than the device has stored.
 */
export async function openLocally(
  session: Session,
  rules: Rules | null,
  table: Table,
  { seats }: RoundRequest,
  refused?: Waiting,
): Promise<LocalOpening | Extract<LocalResult, { kind: "refused" }> | null> {
  const stored = await readTable(table.id);
  const filled = seats.map((seat) => ({ ...seat, stack: seat.stack ?? stored?.stacks?.[seat.player] ?? null }));
  if (rules === null || filled.some(({ stack }) => stack === null)) return null;
  const ruleset = await readRuleset(session, table.ruleset, stored?.ruleset);
  const before = refused === undefined ? null : (JSON.parse(refused.body) as RoundRequest);
  const reference = before?.reference ?? makeReference();
  const openedAt = before?.opened_at ? notInFuture(before.opened_at) : nextOpeningTime(stored?.round ?? null);
  const { charge_per, charge_amount } = table;
  const charge = charge_per === null ? {} : { charge_per, charge_amount };
  const document = { ...termsOf(table), ...charge, table: table.name, reference, opened_at: openedAt, seats: filled, hands: [] };
  const round = { id: refused?.round ?? NEW + makeId(), version: 0, table: table.id, reference, opened_at: openedAt };
  const unplayed: StoredRound = {
    round: { ...termsOf(table), ...round, state: "open" } as unknown as Round,
    document: document as unknown as RoundDocument,
    hands: [],
    ruleset,
    sent: [],
  };
  const played = await replay(rules, unplayed, []);
  if (played.kind === "refused") return played;
  if (played.kind === "unknown") return null;
  // If the table was changed, or the service has other stacks to carry over, that is a conflict for the scorekeeper to resolve.
  const expected = { ...termsOf(table), seats: played.round.seats.map(({ seat, opening_stack }) => ({ seat, opening_stack })) };
  const body = { seats, reference, opened_at: openedAt, expected };
  const request = makeWaiting(table, played.round, "open_round", gettext("Opening of the round"), body);
  return {
    kind: "opening",
    request: refused === undefined ? request : rewriteRequest(refused, body),
    opened: { ...unplayed, round: played.round },
  };
}

/** Return the ruleset with a reference: the stored one, or that of the service if the stored one is another. */
async function readRuleset({ client }: Session, reference: string, stored: Ruleset | undefined): Promise<Ruleset> {
  if (stored !== undefined && `${stored.name}@${stored.version}` === reference) return stored;
  return client.get("/v1/rulesets/{reference}", { path: { reference } });
}

/** Return the current time, or one after the opening of the last round: clocks differ, but rounds stay in order. */
export function nextOpeningTime(last: Pick<Round, "opened_at"> | null, now = serviceNow()): string {
  const after = last === null ? 0 : Date.parse(last.opened_at) + 1;
  return new Date(Math.max(now, after)).toISOString();
}

/** Return a time, or the current one if it is later: the clock of the device was ahead. */
function notInFuture(time: string): string {
  return new Date(Math.min(Date.parse(time), serviceNow())).toISOString();
}

/**
 * Return a refused request to send it again: the same, unless its round was opened in the future.
 *
 * A departure or the end of a round takes effect after the hands that other devices have recorded since.
 */
export function retryRequest(request: Waiting): Waiting {
  const { expected, ...body } = JSON.parse(request.body) as Partial<RoundRequest>;
  if (isEnding(request) && expected !== undefined) return rewriteRequest(request, body);
  if (request.operation !== "open_round" || !body.opened_at) return { ...request, refusal: null };
  return rewriteRequest(request, { ...body, expected, opened_at: notInFuture(body.opened_at) });
}

/** Return whether a request ends a round, or the part of a player in it. */
export function isEnding({ operation }: Waiting): boolean {
  return operation === "record_departure" || operation === "close_round";
}

/** Return a unique name for a round: the day and some letters. */
function makeReference(): string {
  const now = new Date(serviceNow());
  const [month, day] = [now.getMonth() + 1, now.getDate()].map((each) => String(each).padStart(2, "0"));
  return `${now.getFullYear()}-${month}-${day}/${makeId().slice(-6)}`;
}

/** Return a request for the outbox. */
export function makeWaiting(table: Table, round: Round, operation: OperationName, label: string, body: object): Waiting {
  return {
    operation,
    table: { id: table.id, name: table.name },
    round: round.id,
    reference: round.reference ?? null,
    body: JSON.stringify(body),
    idempotencyKey: makeId(),
    label,
    players: Object.fromEntries(round.seats.map(({ seat, player }) => [seat, player])),
    storedAt: new Date(serviceNow()).toISOString(),
    refusal: null,
  };
}

/** Scores with the rules on the device, after the recorded hands and those that wait to be sent. */
export class DeviceScorer implements HandScorer {
  constructor(
    private readonly rules: Rules,
    private readonly session: Session,
  ) {}

  async score(round: Round, hand: HandRequest): Promise<ScoreResult> {
    const played = await this.readPlayed(round, hand.number);
    if (played === null) return { kind: "unavailable" };
    const scored = await this.rules.score(played, hand);
    switch (scored.kind) {
      case "complete":
        return { kind: "scored", score: scored.result as unknown as Score };
      case "refused":
        return { kind: "refused", details: describeProblem(scored.problem, contextOf(round, hand)) };
      default:
        return { kind: "unavailable" };
    }
  }

  /** Return why a hand would be refused, complete or not; null if it would not, undefined if this is not known here. */
  async refuse(round: Round, hand: { number: number }): Promise<Problem | null | undefined> {
    const played = await this.readPlayed(round, hand.number);
    const scored = played === null ? undefined : await this.rules.score(played, hand);
    if (scored?.kind === "complete") return null;
    return scored?.kind === "partial" || scored?.kind === "refused" ? scored.problem : undefined;
  }

  /** Score the boards of a hand that is being entered. Null if that is not possible now. */
  async scoreBoards(round: Round, hand: { number: number }): Promise<Board[] | null> {
    const played = await this.readPlayed(round, hand.number);
    if (played === null) return null;
    const scored = await this.rules.score(played, hand);
    return "boards" in scored ? scored.boards : null;
  }

  /** Return a round up to a hand, or null if it is not on the device. */
  private async readPlayed(round: Round, number: number): Promise<GivenRound | null> {
    await prepareRound(this.session, round);
    const stored = await readRound(round.id);
    if (stored === undefined || stored.round.version !== round.version) return null;
    const { document, ruleset, sent } = stored;
    return { document, ruleset, requests: [...sent, ...(await listPending(round.id)).map(asPlayed)], before: number };
  }
}
