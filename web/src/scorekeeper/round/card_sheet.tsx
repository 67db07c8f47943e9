import { CardFace } from "../../design/card.js";
import { nameCard, RANK_LETTERS, SUIT_LETTERS } from "../../design/cards.js";
import { gettext } from "../../language/gettext.js";
import { Sheet } from "../sheet.js";

interface Props {
  title: string;
  current: string | undefined;
  /** Where a card is in the hand, in words; undefined for a free card. */
  whereIs(card: string): string | undefined;
  isDisabled(card: string): boolean;
  onCard(card: string): void;
  onCancel(): void;
}

/** All cards at the bottom of the screen, to choose one. */
export function CardSheet({ title, current, whereIs, isDisabled, onCard, onCancel }: Props) {
  return (
    <Sheet title={title} action={gettext("Cancel")} onEnd={onCancel}>
      <div class="deck" role="group" aria-label={gettext("Cards")}>
        {SUIT_LETTERS.map((suit) => [
          ...RANK_LETTERS.map((rank) => {
            const card = rank + suit;
            const place = whereIs(card);
            const name = nameCard(card);
            return (
              <button
                key={card}
                type="button"
                class={place === undefined ? "card deck-card" : "card deck-card placed"}
                data-choose={card}
                data-suit={suit}
                disabled={card === current || isDisabled(card)}
                onClick={() => onCard(card)}
              >
                <CardFace card={card} />
                <span class="hidden-text">{place === undefined ? name : gettext("%(card)s, exchange with %(place)s", { card: name, place })}</span>
              </button>
            );
          }),
          <span key={suit} class="deck-cell" aria-hidden="true" />,
        ])}
      </div>
      <p class="quiet small">{gettext("A card with a line below it is elsewhere in this hand: the two change places.")}</p>
    </Sheet>
  );
}
