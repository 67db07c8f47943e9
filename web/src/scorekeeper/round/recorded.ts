// The recorded hands of a round: their cards from its document, their results from the list of its hands.

import type { Hand, Round, RowChange } from "../../../client/src/contract.js";
import type { Session } from "../../api/session.js";
import type { KnownHand, PlayedRequest } from "../database.js";
import { fillDraft, listPlayers, parsePlace, ROWS, type Draft, type HandPlayer, type Place } from "../hand/draft.js";
import { listPending } from "../local_rounds.js";
import { readRound } from "../storage.js";

const MOST_LISTED = 100;

export interface PlayedHand {
  hand: Hand;
  /** Null while the hand waits to be sent. */
  result: KnownHand | null;
}

/** Read the hands of a round, the newest first. */
export async function readHands(session: Session, round: string): Promise<PlayedHand[]> {
  const path = { round_id: round };
  const list = async (): Promise<Map<number, KnownHand>> => {
    const listed = new Map<number, KnownHand>();
    const options = { path, query: { limit: MOST_LISTED } };
    for await (const result of session.client.list("/v1/rounds/{round_id}/hands", options)) listed.set(result.number, result);
    return listed;
  };
  const [document, results] = await Promise.all([
    session.client.get("/v1/rounds/{round_id}/document", { path }),
    list(),
  ]);
  const played = document.hands.flatMap((hand): PlayedHand[] => {
    const result = results.get(hand.number);
    // A hand that was undone between the two requests is in one of them only.
    return result === undefined ? [] : [{ hand, result }];
  });
  return played.reverse();
}

/** Return the hands of a round as they are stored on the device, and those that wait, the newest first. */
export async function readStoredHands(round: Round): Promise<PlayedHand[] | null> {
  const stored = await readRound(round.id);
  if (stored === undefined || stored.round.version !== round.version) return null;
  const played = new Map<number, PlayedHand>();
  const add = (hand: Hand, result: KnownHand | null): void => void played.set(hand.number, { hand, result });
  const play = ({ operation, body }: PlayedRequest, isRecorded: boolean): void => {
    const hand = body as Hand;
    if (operation === "record_hand") add(hand, isRecorded ? findResult(stored.hands, hand) : null);
    if (operation === "undo_hand") played.delete(hand.number);
  };
  for (const hand of stored.document.hands) add(hand, findResult(stored.hands, hand));
  for (const request of stored.sent) play(request, true);
  for (const { operation, body } of await listPending(round.id)) play({ operation, body: JSON.parse(body) as object }, false);
  return [...played.values()].reverse();
}

function findResult(results: KnownHand[], { number }: Hand): KnownHand | null {
  return results.find((result) => result.number === number) ?? null;
}

/** Return the last hand of a round as a draft, to change it after it was undone; null if its cards are not on the device. */
export async function draftUndone(round: Round, names: Map<number, string>): Promise<Draft | null> {
  const played = (await readStoredHands(round))?.find(({ hand }) => hand.number === round.hands);
  if (played === undefined) return null;
  const { top_ups: topUps = [], played_at: playedAt = null, number } = played.hand;
  // Any seat can have the button of the first hand; that of a later one follows from the round.
  return { ...draftOf(round.id, played.hand, names), topUps, isButtonChosen: number === 1, undone: { playedAt } };
}

/** Return the cards of a recorded hand by their places. */
export function draftOf(round: string, { number, button, players }: Hand, names: Map<number, string>): Draft {
  return fillDraft({ round, number, button }, players as unknown as HandPlayer[], names);
}

/** Place a card. If it had another place in the hand, that one gets the card that was here. */
export function exchange(draft: Draft, place: Place, card: string): Draft {
  const cards = { ...draft.cards };
  const other = Object.keys(cards).find((each) => cards[each] === card);
  const before = cards[place];
  if (other !== undefined && before !== undefined) cards[other] = before;
  cards[place] = card;
  return { ...draft, cards };
}

/** Return whether a card is among the discards of a hand, which a correction of rows does not change. */
export function isDiscarded(draft: Draft, card: string): boolean {
  return Object.keys(draft.cards).some((place) => draft.cards[place] === card && parsePlace(place).group === "discards");
}

/** Return the rows that differ, as a correction names them. */
export function listChanges(before: Draft, after: Draft): RowChange[] {
  const old = listPlayers(before);
  return listPlayers(after).flatMap((player, index) =>
    ROWS.filter((row) => player[row].join() !== old[index]![row].join()).map((row) => ({
      hand: after.number,
      seat: player.seat,
      row,
      cards: player[row] as RowChange["cards"],
    })),
  );
}
