import { showCard } from "./cards.js";

/** The face of a card: a rank and the glyph of its suit. Its name for screen readers stands beside it. */
export function CardFace({ card }: { card: string }) {
  const { rank, suit } = showCard(card);
  return (
    <>
      <span class="rank" aria-hidden="true">{rank}</span>
      <span class="suit" aria-hidden="true">{suit}</span>
    </>
  );
}
