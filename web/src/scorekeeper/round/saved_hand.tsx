import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { HandRequest, Round } from "../../../client/src/contract.js";
import type { Waiting } from "../../api/outbox.js";
import { countWon, listBustedBy } from "../../api/results.js";
import type { Score } from "../../api/scorer.js";
import { gettext, pgettext } from "../../language/gettext.js";
import { formatChange, signClass } from "../format.js";
import type { HandPlayer } from "../hand/draft.js";
import { Sheet } from "../sheet.js";
import { nameLasting } from "../storage.js";
import { PlayedBoards } from "./played_boards.js";
import { nameSeat } from "./words.js";

/** The hand that was saved last on this page. */
export interface SavedHand {
  /** The round that it was played in, by its lasting name. */
  round: string;
  hand: HandRequest;
  /** Null if it could not be scored. */
  score: Score | null;
  /** The seats that are out after it. */
  busted: number[];
}

/** Return a hand that was saved in a round. */
export function describeSaved(round: Round, hand: HandRequest, score: Score | null): SavedHand {
  return { round: nameLasting(round), hand, score, busted: score === null ? [] : listBustedBy(score) };
}

/** Return whether a hand that was saved is the last one of a round, and is worth what it was when it was saved. */
export function isLast({ round: name, hand, score }: SavedHand, round: Round): boolean {
  const stacks = new Map(round.seats.map(({ seat, stack }) => [seat, stack]));
  const isSame = score === null || score.round.seats.every(({ seat, stack }) => stacks.get(seat) === stack);
  return name === nameLasting(round) && hand.number === round.hands && isSame;
}

/** Return whether a hand that was saved waits to be sent; these are the requests of its round. */
export function isWaiting({ hand }: SavedHand, requests: Waiting[]): boolean {
  return requests.some(({ operation, body }) => operation === "record_hand" && (JSON.parse(body) as HandRequest).number === hand.number);
}

interface Props {
  saved: SavedHand;
  names: ReadonlyMap<number, string>;
  /** Whether the hand still waits to be sent. */
  isWaiting: boolean;
  /** Whether it stays on the screen: until the first card of the next hand. */
  isFresh: boolean;
  /** What else follows from it. */
  children?: ComponentChildren;
}

/** States what the last hand was worth, above what comes next. Its boards are a tap away. */
export function LastHand({ saved, names, isWaiting, isFresh, children }: Props) {
  const [isShown, setShown] = useState(false);
  const { hand, score } = saved;
  const nameOf = (seat: number): string => names.get(seat) ?? nameSeat(seat);
  const title = isWaiting ? gettext("Hand %(hand)s saved", { hand: hand.number }) : gettext("Hand %(hand)s recorded", { hand: hand.number });
  return (
    <div class={isFresh ? "notice saved fresh" : "notice saved"}>
      <p role="status">
        <strong>{title}</strong>
        {score !== null && score.players.map(({ seat }, index) => {
          const won = countWon(score.round, score, seat);
          return (
            <span key={seat}>
              {index === 0 ? ": " : ", "}
              {nameOf(seat)} <b class={`figure ${signClass(won)}`}>{formatChange(won)}</b>
            </span>
          );
        })}
        {" · "}
        <button type="button" class="inline-action" aria-label={gettext("Show hand %(hand)s", { hand: hand.number })} onClick={() => setShown(true)}>{pgettext("button", "show")}</button>
      </p>
      {children}
      {isShown && (
        <Sheet title={title} action={pgettext("button", "Close")} onEnd={() => setShown(false)}>
          <div class="hand-details">
            <PlayedBoards round={score?.round ?? { stakes_scope: "hand" }} players={hand.players as unknown as HandPlayer[]} result={score} nameOf={nameOf} />
          </div>
        </Sheet>
      )}
    </div>
  );
}
