// Why points cannot be added before the next hand, or a player cannot leave: by the rules on this device, or else by the service.

import type { Round } from "../../../client/src/contract.js";
import { ApiError, TablestakesError } from "../../../client/src/errors.js";
import { contextOf } from "../../api/scorer.js";
import { describeMistake } from "../../api/sentences.js";
import type { Session } from "../../api/session.js";
import { gettext } from "../../language/gettext.js";
import type { Problem, Rules } from "../../rules/index.js";
import { listReturning, type TopUp } from "../hand/draft.js";
import { DeviceScorer, playLocally } from "../local_rounds.js";

/** What is asked: the round as it is shown, with everything that waits. */
export interface Asked {
  session: Session;
  /** Null while the rules are not on this device. */
  rules: Rules | null;
  round: Round;
  /** Whether requests wait that the service does not have: then it knows an older round. */
  isWaiting: boolean;
}

type Mistakes = Pick<Problem, "errors">["errors"];

const TOP_UPS = "#/top_ups";
const BUTTON = "#/button";
const CONFLICT = 409;

/** Return why top-ups before the next hand are not allowed. */
export function refuseTopUps(asked: Asked, topUps: TopUp[]): Promise<string[]> {
  return refuseNext(asked, topUps, asked.round.next!.button, TOP_UPS);
}

/** Return the button of the next hand with its top-ups: who comes back can have it. Null if any seat can, or if it is not known now. */
export async function findButton(asked: Asked, topUps: TopUp[]): Promise<number | null> {
  const { button, seats } = asked.round.next!;
  const back = listReturning(topUps, seats);
  if (button === null || back.length === 0) return button;
  try {
    for (const seat of [button, ...back]) {
      if ((await refuseNext(asked, topUps, seat, BUTTON)).length === 0) return seat;
    }
  } catch (error) {
    if (!(error instanceof TablestakesError)) throw error;
  }
  return null;
}

/** Return what is wrong with a part of the next hand: with its top-ups or its button, before its cards are known. */
async function refuseNext(asked: Asked, topUps: TopUp[], button: number | null, pointer: string): Promise<string[]> {
  const { session, rules, round } = asked;
  const players = round.seats.map(({ seat }) => ({ seat, top: [], middle: [], bottom: [] }));
  const hand = { number: round.next!.number, button: button ?? round.seats[0]!.seat, top_ups: topUps, players };
  const problem = rules === null ? undefined : await new DeviceScorer(rules, session).refuse(round, hand);
  const options = { path: { round_id: round.id }, query: { dry_run: true }, body: hand as never, idempotencyKey: null };
  const ask = (): Promise<unknown> => session.client.post("/v1/rounds/{round_id}/hands", options);
  return explain(asked, hand, problem, ask, pointer);
}

/** Return why a player cannot leave now. */
export async function refuseDeparture(asked: Asked, seat: number): Promise<string[]> {
  const { session, rules, round } = asked;
  const played = await playLocally(rules, round, { operation: "record_departure", body: { seat } });
  const known = played.kind === "refused" ? played.problem : null;
  const options = { path: { round_id: round.id }, query: { dry_run: true }, body: { seat }, idempotencyKey: null };
  const ask = (): Promise<unknown> => session.client.post("/v1/rounds/{round_id}/departures", options);
  return explain(asked, { seat }, played.kind === "unknown" ? undefined : known, ask, "");
}

/** Return a problem that this device has found, or null for none, in words; undefined asks the service. */
async function explain(
  { isWaiting, round }: Asked,
  body: object,
  problem: Problem | null | undefined,
  ask: () => Promise<unknown>,
  pointer: string,
): Promise<string[]> {
  if (problem === undefined && isWaiting) {
    return [gettext("The round is not on this device: whether this is allowed is known when the waiting requests have been sent.")];
  }
  const mistakes = problem === undefined ? await findMistakes(ask(), pointer) : select(problem?.errors ?? [], pointer);
  return mistakes.map((each) => describeMistake(each, contextOf(round, body)));
}

/** Return the mistakes in a part of a request for which the service refuses it; none if it accepts the part. */
async function findMistakes(request: Promise<unknown>, pointer: string): Promise<Mistakes> {
  try {
    await request;
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.errors.length === 0) throw error;
    const mistakes = select(error.errors, pointer);
    // The round has changed since it was shown, so that nothing is known about the part.
    if (mistakes.length === 0 && error.status === CONFLICT) throw error;
    return mistakes;
  }
}

function select(mistakes: Mistakes, pointer: string): Mistakes {
  return mistakes.filter((each) => each.pointer.startsWith(pointer));
}

/** Return why a change cannot be made without the service. */
export function explainMissing(): string {
  return gettext("The service does not respond, and something that this change needs is not on this device: the rules, the round or the stack of a new player. If the service has recorded the change, it appears here later; if not, try again.");
}

/** Return why a change was not recorded after hands that were not known here. */
export function explainOlder(): string {
  return gettext("Another device has recorded or undone a hand since. Nothing was recorded; try again.");
}

/** Return why a hand was not undone. */
export function explainChanged(): string {
  return gettext("The page has not read this hand from the service, or another device changed it. Nothing was undone; try again.");
}
