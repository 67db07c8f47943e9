// The next hand of a round: who plays it, who has the button, and the draft of its cards.

import type { HandRequest, Round, Table } from "../../../client/src/contract.js";
import { serviceNow } from "../../api/clock.js";
import { rewriteRequest, type Waiting } from "../../api/outbox.js";
import { gettext } from "../../language/gettext.js";
import type { Rules } from "../../rules/index.js";
import { chooseButton, fillDraft, fitDraft, startDraft, type Draft, type HandPlayer, type Next } from "../hand/draft.js";
import { makeWaiting } from "../local_rounds.js";
import { readDraft } from "../storage.js";

/** Return the next hand of a round, or null if it takes none. */
export function nextOf(round: Round): Next | null {
  if (round.next === null) return null;
  const { number, button, seats, fantasyland } = round.next;
  const players = seats.map((seat) => ({
    seat,
    player: round.seats.find((each) => each.seat === seat)?.player ?? String(seat),
    fantasyland: fantasyland[String(seat)] ?? 0,
  }));
  const left = round.seats.filter(({ playing, stack }) => !playing && stack > 0).map(({ seat }) => seat);
  return { round: round.id, number, button, seats: players, left };
}

/** Return the players of a round by their seats. */
export function nameSeats(round: Round | null | undefined): Map<number, string> {
  return new Map(round?.seats.map(({ seat, player }) => [seat, player]));
}

/** Return why nothing but a hand can change the round because of requests that wait; null if something can. */
export function findObstacle(requests: Waiting[], rules: Rules | null): string | null {
  if (requests.some(({ refusal }) => refusal !== null)) {
    return gettext("Undo, top up, leave and close are possible when the refused request is resolved.");
  }
  if (requests.length === 0 || rules !== null) return null;
  return gettext("The rules are not on this device. Undo, top up, leave and close are possible when the waiting requests have been sent.");
}

/**
 * Return the draft that was begun, as the round is now, or a new one.
 *
 * `first` is the button that was chosen when the round was opened: the first hand takes any.
 */
export function continueDraft(next: Next, begun: Draft | undefined, first: number | null): Draft {
  if (begun?.replaces !== undefined) return begun;
  const draft = begun === undefined ? startDraft(next) : fitDraft({ ...begun, round: next.round }, next);
  return next.button === null && draft.button === null && first !== null ? chooseButton(draft, first) : draft;
}

/** Return the draft of a refused hand of a round: as it was changed so far, or as it was sent. */
export async function draftRefused({ id, round, body }: Waiting, of: Round): Promise<Draft> {
  const { number, button, players, top_ups: topUps = [] } = JSON.parse(body) as HandRequest;
  const stored = await readDraft(round, number);
  if (stored !== undefined && stored.replaces === id) return stored;
  return { ...fillDraft({ round, number, button }, players as HandPlayer[], nameSeats(of)), topUps, replaces: id! };
}

/** Return the request that records a hand; it takes the place of a refused one that was edited. */
export function makeRecording(table: Table, round: Round, hand: HandRequest, { undone }: Draft, replaced: Waiting | undefined): Waiting {
  if (replaced !== undefined) return rewriteRequest(replaced, withTime(hand, (JSON.parse(replaced.body) as HandRequest).played_at));
  const label = gettext("Hand %(number)s", { number: hand.number });
  const recording = makeWaiting(table, round, "record_hand", label, withTime(hand, undone?.playedAt));
  return undone === undefined ? recording : { ...recording, isRestoring: true };
}

/** Return a hand with the time when it was entered first, because it may reach the service later. */
function withTime(hand: HandRequest, first: string | null | undefined): HandRequest {
  const now = serviceNow();
  // The service refuses times in the future, which a device has whose clock was ahead.
  return { ...hand, played_at: first == null || Date.parse(first) > now ? new Date(now).toISOString() : first };
}

/** Return whether a draft is of the hand after all that wait; otherwise its button and Fantasyland are not known yet. */
export function follows(draft: Draft, requests: Waiting[]): boolean {
  const numbers = new Set<number>();
  for (const { operation, body } of requests) {
    const { number } = JSON.parse(body) as { number: number };
    if (operation === "record_hand") numbers.add(number);
    if (operation === "undo_hand") numbers.delete(number);
  }
  return requests.every(({ refusal }) => refusal === null) && [...numbers].every((number) => number < draft.number);
}
