// The names of cards, as people read them. Nothing here knows the rules of a game.

import { pgettext } from "../language/gettext.js";

const GLYPHS: Record<string, string> = { s: "♠", h: "♥", d: "♦", c: "♣" };
/** Shows a suit as text in the colour of the text; without it, some systems show a picture. */
const AS_TEXT = "\u{FE0E}";

export const RANK_LETTERS = ["A", "K", "Q", "J", "T", "9", "8", "7", "6", "5", "4", "3", "2"];
export const SUIT_LETTERS = ["s", "h", "d", "c"];

/** Return the parts of a card that are shown: `10` and `♠` for `Ts`. */
export function showCard(card: string): { rank: string; suit: string } {
  const rank = card[0]!;
  return { rank: rank === "T" ? "10" : rank, suit: (GLYPHS[card[1]!] ?? "?") + AS_TEXT };
}

/** Return the name of a card, for example `queen of spades`. */
export function nameCard(card: string): string {
  return pgettext("card", "%(rank)s of %(suit)s", { rank: nameRank(card[0]!), suit: nameSuitOf(card[1]) });
}

/** Return the name of a rank, for example `queen`. */
export function nameRank(rank: string): string {
  switch (rank) {
    case "A":
      return pgettext("rank", "ace");
    case "K":
      return pgettext("rank", "king");
    case "Q":
      return pgettext("rank", "queen");
    case "J":
      return pgettext("rank", "jack");
    case "T":
      return pgettext("rank", "ten");
    case "9":
      return pgettext("rank", "nine");
    case "8":
      return pgettext("rank", "eight");
    case "7":
      return pgettext("rank", "seven");
    case "6":
      return pgettext("rank", "six");
    case "5":
      return pgettext("rank", "five");
    case "4":
      return pgettext("rank", "four");
    case "3":
      return pgettext("rank", "three");
    case "2":
      return pgettext("rank", "two");
    default:
      return rank;
  }
}

/** Return the name of a suit in the plural, for example `spades`. */
export function nameSuit(suit: string): string {
  switch (suit) {
    case "s":
      return pgettext("suit", "spades");
    case "h":
      return pgettext("suit", "hearts");
    case "d":
      return pgettext("suit", "diamonds");
    case "c":
      return pgettext("suit", "clubs");
    default:
      return suit;
  }
}

/** Return the name of a suit as it stands in the name of a card. */
function nameSuitOf(suit: string | undefined): string {
  switch (suit) {
    case "s":
      return pgettext("card", "spades");
    case "h":
      return pgettext("card", "hearts");
    case "d":
      return pgettext("card", "diamonds");
    case "c":
      return pgettext("card", "clubs");
    default:
      return String(suit);
  }
}
