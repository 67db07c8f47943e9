import { nameCard, showCard } from "./cards.js";

/** The face of a card: a rank and the glyph of its suit; its name for screen readers. */
export function CardFace({ card, named = true }: { card: string; named?: boolean }) {
  const { rank, suit } = showCard(card);
  return (
    <>
      <span class="rank" aria-hidden="true">{rank}</span>
      <span class="suit" aria-hidden="true">{suit}</span>
      {named && <span class="hidden-text">{nameCard(card)}</span>}
    </>
  );
}
