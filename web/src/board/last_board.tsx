import type { Round } from "../../client/src/contract.js";
import { countWon } from "../api/results.js";
import { CardFace } from "../design/card.js";
import { nameCard } from "../design/cards.js";
import { gettext } from "../language/gettext.js";
import { nameRow } from "../language/words.js";
import { formatChange, signClass } from "../scorekeeper/format.js";
import type { LastHand } from "./feed.js";

const ROWS = ["top", "middle", "bottom"] as const;

/** The board of a player in the last hand. */
export function LastBoard({ round, hand: { score, cards }, seat }: { round: Round; hand: LastHand; seat: number }) {
  const played = cards.find((each) => each.seat === seat);
  const scored = score.players.find((each) => each.seat === seat);
  if (played === undefined || scored === undefined) return null;
  const won = countWon(round, score, seat);
  return (
    <div class="last" role="group" aria-label={gettext("Hand %(number)s", { number: score.number })}>
      <p class="last-head">
        <span class="quiet">{gettext("Hand %(number)s", { number: score.number })}</span>
        {scored.foul && <span class="pill warning">{gettext("foul")}</span>}
        <strong class={`figure ${signClass(won)}`}>{formatChange(won)}</strong>
      </p>
      {ROWS.map((row) => (
        <div key={row} class={`last-row ${row}`} role="group" aria-label={nameRow(row)}>
          {played[row].map((card) => (
            <span key={card} class="card" data-suit={card[1]} role="img" aria-label={nameCard(card)}>
              <CardFace card={card} />
            </span>
          ))}
          {scored.rows[row].royalty > 0 && <span class="royalty" title={gettext("Royalty")}>+{scored.rows[row].royalty}</span>}
        </div>
      ))}
    </div>
  );
}
