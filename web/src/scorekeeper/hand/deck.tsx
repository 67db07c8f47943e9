import { useMemo } from "preact/hooks";
import { CardFace } from "../../design/card.js";
import { nameCard, nameSuit, RANK_LETTERS, showCard, SUIT_LETTERS } from "../../design/cards.js";
import { isUsed, type Draft } from "./draft.js";
import { useStable } from "./stable.js";
import { language } from "../../language/current.js";
import { gettext } from "../../language/gettext.js";

interface Props {
  draft: Draft;
  /** The rank that was typed, until its suit is typed too. */
  pendingRank: string | null;
  onCard(card: string): void;
  onUndo(): void;
  /** Opens the field in which a board is typed, pasted or dictated. */
  onText(): void;
}

/** All cards, suit by suit. Used ones are disabled. */
export function Deck({ draft, pendingRank, onCard, onUndo, onText }: Props) {
  const tap = useStable(onCard);
  return (
    <div class="deck" role="group" aria-label={gettext("Cards")}>
      {SUIT_LETTERS.map((suit, row) => [
        ...RANK_LETTERS.map((rank) => {
          const card = rank + suit;
          const used = isUsed(draft, card);
          return <DeckCard key={card} card={card} isUsed={used} isPending={rank === pendingRank && !used} onTap={tap} />;
        }),
        row === SUIT_LETTERS.length - 2 ? (
          <button key="text" type="button" class="button" aria-label={gettext("Type or dictate a board")} onClick={onText}>
            <TextIcon />
          </button>
        ) : row < SUIT_LETTERS.length - 1 ? (
          <span key={suit} class="deck-cell" title={nameSuit(suit)} aria-hidden="true">{showCard(`A${suit}`).suit}</span>
        ) : (
          <button key="undo" type="button" class="button" aria-label={gettext("Undo the last tap")} disabled={draft.steps.length === 0} onClick={onUndo}>
            <UndoIcon />
          </button>
        ),
      ])}
    </div>
  );
}

interface CardProps {
  card: string;
  isUsed: boolean;
  isPending: boolean;
  onTap(card: string): void;
}

/** A card of the deck. A tap changes one of the 52: the others are not rendered again. */
function DeckCard({ card, isUsed, isPending, onTap }: CardProps) {
  return useMemo(
    () => (
      <button
        type="button"
        class={isPending ? "card deck-card pending" : "card deck-card"}
        data-card={card}
        data-suit={card[1]}
        disabled={isUsed}
        onClick={() => onTap(card)}
      >
        <CardFace card={card} />
        <span class="hidden-text">{isUsed ? gettext("%(card)s, used", { card: nameCard(card) }) : nameCard(card)}</span>
      </button>
    ),
    [card, isUsed, isPending, onTap, language],
  );
}

export function UndoIcon() {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d="M9 14 4 9l5-5" />
      <path d="M4 9h10a6 6 0 0 1 0 12h-3" />
    </svg>
  );
}

function TextIcon() {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <rect x="9" y="3" width="6" height="11" rx="3" />
      <path d="M5 11a7 7 0 0 0 14 0M12 18v3M8 21h8" />
    </svg>
  );
}
