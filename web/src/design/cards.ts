// The names of cards, as people read them. Nothing here knows the rules of a game.

const RANKS: Record<string, string> = {
  A: "ace", K: "king", Q: "queen", J: "jack", T: "ten", 9: "nine", 8: "eight", 7: "seven", 6: "six", 5: "five",
  4: "four", 3: "three", 2: "two",
};
const SUITS: Record<string, { name: string; glyph: string }> = {
  s: { name: "spades", glyph: "♠" },
  h: { name: "hearts", glyph: "♥" },
  d: { name: "diamonds", glyph: "♦" },
  c: { name: "clubs", glyph: "♣" },
};
/** Shows a suit as text in the colour of the text; without it, some systems show a picture. */
const AS_TEXT = "\u{FE0E}";

export const RANK_LETTERS = ["A", "K", "Q", "J", "T", "9", "8", "7", "6", "5", "4", "3", "2"];
export const SUIT_LETTERS = ["s", "h", "d", "c"];

/** Return the parts of a card that are shown: `10` and `♠` for `Ts`. */
export function showCard(card: string): { rank: string; suit: string } {
  const rank = card[0]!;
  return { rank: rank === "T" ? "10" : rank, suit: (SUITS[card[1]!]?.glyph ?? "?") + AS_TEXT };
}

/** Return the name of a card, for example `queen of spades`. */
export function nameCard(card: string): string {
  return `${nameRank(card[0]!)} of ${SUITS[card[1]!]?.name ?? card[1]}`;
}

/** Return the name of a rank, for example `queen`. */
export function nameRank(rank: string): string {
  return RANKS[rank] ?? rank;
}

/** Return the name of a suit in the plural, for example `spades`. */
export function nameSuit(suit: string): string {
  return SUITS[suit]?.name ?? suit;
}
