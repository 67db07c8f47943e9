// Cards typed on a keyboard: a rank, then a suit, for example `qs`; also `10h`.

import { RANK_LETTERS, SUIT_LETTERS } from "../../design/cards.js";

export interface Typed {
  /** The rank that waits for its suit. */
  rank: string | null;
  /** The card that the key completed. */
  card: string | null;
}

/** Return what a key makes of the rank that waits, or undefined for a key that is no part of a card. */
export function typeKey(rank: string | null, key: string): Typed | undefined {
  if (key === "1") return { rank: "1", card: null };
  if (rank === "1") return key === "0" ? { rank: "T", card: null } : typeKey(null, key);
  const upper = key.toUpperCase();
  if (key.length !== 1) return undefined;
  if (RANK_LETTERS.includes(upper)) return { rank: upper, card: null };
  const suit = key.toLowerCase();
  if (rank !== null && SUIT_LETTERS.includes(suit)) return { rank: null, card: rank + suit };
  return undefined;
}
