// What is known of the boards of a hand while its cards are entered: computed by the rules, off the main thread.

import { useEffect, useRef, useState } from "preact/hooks";
import type { HandRequest, Round } from "../../../client/src/contract.js";
import type { HandScorer, Score } from "../../api/scorer.js";
import type { HandInWords } from "../../language/hands.js";
import { listPlayers, type Draft, type HandPlayer, type Place, type RowName } from "./draft.js";

/** The score of a board as far as it is set. */
export interface LiveBoard {
  seat: number | null;
  complete: boolean;
  /** Whether the board is foul, however it is completed. */
  foul: boolean;
  royalties: number;
  /** The Fantasyland cards that its full rows earn. */
  fantasyland: number;
  rows: Partial<Record<RowName, HandInWords & { royalty: number }>>;
}

/** The request to record a hand, as far as it is known. */
export type PartialHand = Partial<Omit<HandRequest, "players">> & { number: number; players: HandPlayer[] };

export type LiveBoards = ReadonlyMap<number, LiveBoard>;

/** Scores the boards of a hand that is not complete. Null if the rules are not on the device. */
export interface LiveScorer extends HandScorer {
  scoreBoards(round: Round, hand: PartialHand): Promise<LiveBoard[] | null>;
}

const NONE: LiveBoards = new Map();

/** Return the boards of a draft as far as they are set. While a newer draft is scored, what it does not change stays. */
export function useLiveBoards(round: Round, draft: Draft, scorers: HandScorer[]): LiveBoards {
  const [shown, setShown] = useState<{ cards: Draft["cards"]; boards: LiveBoards } | null>(null);
  const latest = useRef(draft);
  latest.current = draft;
  const isBusy = useRef(false);
  const scorer = scorers.find(isLive);
  useEffect(() => {
    if (scorer === undefined) return;
    // One request at a time: the drafts between two requests are never scored, and a late result is dropped.
    const score = async (): Promise<void> => {
      if (isBusy.current) return;
      isBusy.current = true;
      try {
        let scored: Draft;
        let boards: LiveBoard[] | null;
        do {
          scored = latest.current;
          boards = await scorer.scoreBoards(round, buildPartial(scored));
        } while (latest.current.cards !== scored.cards);
        if (boards !== null) setShown({ cards: scored.cards, boards: bySeat(boards) });
      } finally {
        isBusy.current = false;
      }
    };
    void score();
  }, [draft.cards, round.version, scorer]);
  return shown !== null && continues(draft.cards, shown.cards) ? shown.boards : NONE;
}

/** Return the boards of a hand that was scored. */
export function boardsOf(score: Score): LiveBoards {
  return bySeat(score.players.map((player) => ({ ...player, complete: true })));
}

function bySeat(boards: LiveBoard[]): LiveBoards {
  return new Map(boards.flatMap((board) => (board.seat === null ? [] : [[board.seat, board]])));
}

function buildPartial(draft: Draft): PartialHand {
  const { number, button, topUps = [] } = draft;
  const known = { ...(button === null ? {} : { button }), ...(topUps.length > 0 ? { top_ups: topUps } : {}) };
  return { number, ...known, players: listPlayers(draft) };
}

/** Return whether every card of an earlier draft still has its place, so that what was certain still is. */
function continues(cards: Record<Place, string>, earlier: Record<Place, string>): boolean {
  return Object.entries(earlier).every(([place, card]) => cards[place] === card);
}

function isLive(scorer: HandScorer): scorer is LiveScorer {
  return "scoreBoards" in scorer;
}
