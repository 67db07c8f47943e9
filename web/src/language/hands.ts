// The words for what a row makes. The service describes it in English; in other languages its ranks are worded here.
// One word for a rank is not enough for them: it depends on the phrase that the rank is in.

import { language } from "./current.js";
import { gettext, ngettext, pgettext } from "./gettext.js";

/** What a row makes, as the service describes it, for example `pair of queens, four kicker`. */
export interface HandInWords {
  category: string;
  description: string;
}

const RANKS = ["deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"];
const IN_TEXT = new RegExp(`\\b(${RANKS.join("|")})(?:e?s)?\\b`, "g");

/** The ranks one by one, as in `queen-jack-four`. */
const oneByOne = (): string[] => [
  pgettext("rank", "deuce"), pgettext("rank", "three"), pgettext("rank", "four"), pgettext("rank", "five"), pgettext("rank", "six"),
  pgettext("rank", "seven"), pgettext("rank", "eight"), pgettext("rank", "nine"), pgettext("rank", "ten"), pgettext("rank", "jack"),
  pgettext("rank", "queen"), pgettext("rank", "king"), pgettext("rank", "ace"),
];

/** The ranks of a straight, as in `straight, queen high`. */
const ofStraight = (): string[] => [
  pgettext("straight", "deuce"), pgettext("straight", "three"), pgettext("straight", "four"), pgettext("straight", "five"),
  pgettext("straight", "six"), pgettext("straight", "seven"), pgettext("straight", "eight"), pgettext("straight", "nine"),
  pgettext("straight", "ten"), pgettext("straight", "jack"), pgettext("straight", "queen"), pgettext("straight", "king"),
  pgettext("straight", "ace"),
];

/** The ranks of equal cards, as in `pair of queens`, `three queens` and `four queens`. */
const ofEqual = (): string[] => [
  pgettext("pair of", "deuces"), pgettext("pair of", "threes"), pgettext("pair of", "fours"), pgettext("pair of", "fives"),
  pgettext("pair of", "sixes"), pgettext("pair of", "sevens"), pgettext("pair of", "eights"), pgettext("pair of", "nines"),
  pgettext("pair of", "tens"), pgettext("pair of", "jacks"), pgettext("pair of", "queens"), pgettext("pair of", "kings"),
  pgettext("pair of", "aces"),
];

/** The ranks that are listed, as in `two pair, queens and fours` and `full house, queens over fours`. */
const listed = (): string[] => [
  pgettext("two pair", "deuces"), pgettext("two pair", "threes"), pgettext("two pair", "fours"), pgettext("two pair", "fives"),
  pgettext("two pair", "sixes"), pgettext("two pair", "sevens"), pgettext("two pair", "eights"), pgettext("two pair", "nines"),
  pgettext("two pair", "tens"), pgettext("two pair", "jacks"), pgettext("two pair", "queens"), pgettext("two pair", "kings"),
  pgettext("two pair", "aces"),
];

/** Return what a row makes, in the language of the page. */
export function describeHand(hand: HandInWords): string {
  return language === "en" ? hand.description : wordHand(hand);
}

/** Return what a row makes, from the messages of the page. In English this is the description. */
export function wordHand({ category, description }: HandInWords): string {
  const ranks = [...description.matchAll(IN_TEXT)].map(([, rank]) => RANKS.indexOf(rank!));
  const named = ranks.map((rank) => oneByOne()[rank]!);
  const [first = 0, second = 0] = ranks;
  switch (category) {
    case "pair":
      return addKickers(gettext("pair of %(ranks)s", { ranks: ofEqual()[first]! }), named.slice(1));
    case "two_pair":
      return addKickers(gettext("two pair, %(high)s and %(low)s", { high: listed()[first]!, low: listed()[second]! }), named.slice(2));
    // The number of the cards is a word that is a rank too.
    case "three_of_a_kind":
      return addKickers(gettext("three %(ranks)s", { ranks: ofEqual()[second]! }), named.slice(2));
    case "four_of_a_kind":
      return addKickers(gettext("four %(ranks)s", { ranks: ofEqual()[second]! }), named.slice(2));
    case "straight":
      return gettext("straight, %(rank)s high", { rank: ofStraight()[first]! });
    case "straight_flush":
      return gettext("straight flush, %(rank)s high", { rank: ofStraight()[first]! });
    case "royal_flush":
      return gettext("royal flush");
    case "flush":
      return gettext("flush, %(ranks)s", { ranks: named.join("-") });
    case "full_house":
      return gettext("full house, %(three)s over %(two)s", { three: listed()[first]!, two: listed()[second]! });
    case "high_card":
      if (description.endsWith(" low")) return gettext("%(ranks)s low", { ranks: named.join("-") });
      return addKickers(gettext("%(rank)s high", { rank: named[0] ?? "" }), named.slice(1));
    default:
      return description;
  }
}

function addKickers(hand: string, kickers: string[]): string {
  if (kickers.length === 0) return hand;
  const values = { hand, ranks: kickers.join("-") };
  return ngettext("%(hand)s, %(ranks)s kicker", "%(hand)s, %(ranks)s kickers", kickers.length, values);
}
