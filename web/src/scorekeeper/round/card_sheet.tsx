import { useLayoutEffect, useRef } from "preact/hooks";
import { CardFace } from "../../design/card.js";
import { nameCard, RANK_LETTERS, SUIT_LETTERS } from "../../design/cards.js";

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
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => { // Before the next key or tap: a dialog not yet shown would leave it to the card below.
    const shown = dialog.current!;
    shown.showModal();
    return () => shown.close(); // The focus goes back to the card below.
  }, []);
  // The event `close` comes after the focus is back on the card below, whose next key would be lost; browsers send it alone
  // if Escape is pressed again and again.
  const cancel = (event: Event): void => {
    event.preventDefault();
    onCancel();
  };
  const end = (event: Event): void => {
    if ((event.currentTarget as Element).isConnected) onCancel();
  };
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="sheet-title" onCancel={cancel} onClose={end}>
      <header class="sheet-head">
        <h2 id="sheet-title">{title}</h2>
        <button type="button" class="button plain" onClick={onCancel}>Cancel</button>
      </header>
      <div class="deck" role="group" aria-label="Cards">
        {SUIT_LETTERS.map((suit) => [
          ...RANK_LETTERS.map((rank) => {
            const card = rank + suit;
            const place = whereIs(card);
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
                <span class="hidden-text">{place === undefined ? nameCard(card) : `${nameCard(card)}, exchange with ${place}`}</span>
              </button>
            );
          }),
          <span key={suit} class="deck-cell" aria-hidden="true" />,
        ])}
      </div>
      <p class="quiet small">A card with a line below it is elsewhere in this hand: the two change places.</p>
    </dialog>
  );
}
