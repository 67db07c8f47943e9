import { CardFace } from "../../design/card.js";
import { nameCard } from "../../design/cards.js";
import { gettext } from "../../language/gettext.js";
import { describeHand, type HandInWords } from "../../language/hands.js";
import { nameRow } from "../../language/words.js";
import { placeOf, ROWS, type Place, type RowName } from "../hand/draft.js";

interface Props {
  title: string;
  seat: number;
  rows: Record<RowName, readonly string[]>;
  results: Record<RowName, HandInWords & { royalty: number }> | null;
  isFoul: boolean;
  /** Cards that are marked: those that a correction changes. */
  marked?: ReadonlySet<string>;
  /** Receives the place of a tapped card. Undefined if the cards cannot be changed. */
  onCard?: ((place: Place) => void) | undefined;
}

/** A board as it was played, with what its rows make. */
export function RecordedBoard({ title, seat, rows, results, isFoul, marked, onCard }: Props) {
  return (
    <section class="recorded" aria-label={title}>
      <h3>{title}{isFoul && <> <span class="pill warning">{gettext("Foul")}</span></>}</h3>
      {ROWS.map((row) => (
        <div key={row} class={`recorded-row ${row}`} role="group" aria-label={nameRow(row)}>
          {rows[row].map((card, index) => {
            const name = marked?.has(card) ? gettext("%(card)s, changed", { card: nameCard(card) }) : nameCard(card);
            const shared = { class: marked?.has(card) ? "card marked" : "card", "data-suit": card[1] };
            return onCard === undefined ? (
              <span key={card} {...shared}><CardFace card={card} /><span class="hidden-text">{name}</span></span>
            ) : (
              <button key={card} type="button" {...shared} onClick={() => onCard(placeOf(seat, row, index))}>
                <CardFace card={card} />
                <span class="hidden-text">{name}</span>
              </button>
            );
          })}
          {results !== null && (
            <span class="row-note">
              <span>{describeHand(results[row])}</span>
              {results[row].royalty > 0 && <strong class="figure">+{results[row].royalty}<span class="hidden-text"> {gettext("royalty")}</span></strong>}
            </span>
          )}
        </div>
      ))}
    </section>
  );
}
