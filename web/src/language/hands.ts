// The words for what a row makes. The service describes it in English; in other languages its ranks are worded here.
// One word for a rank is not enough for them: it depends on the phrase that the rank is in.

import { language } from "./current.js";
import { gettext, ngettext, pgettext } from "./gettext.js";

/** What a row makes, as the service describes it, for example `pair of queens, four kicker`. */
export interface HandInWords {
  description: string;
}

const RANKS = ["deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"];

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

/** The ranks of a pair, as in `pair of queens`: in German they are one word with it. */
const ofPair = (): string[] => [
  pgettext("pair of", "deuces"), pgettext("pair of", "threes"), pgettext("pair of", "fours"), pgettext("pair of", "fives"),
  pgettext("pair of", "sixes"), pgettext("pair of", "sevens"), pgettext("pair of", "eights"), pgettext("pair of", "nines"),
  pgettext("pair of", "tens"), pgettext("pair of", "jacks"), pgettext("pair of", "queens"), pgettext("pair of", "kings"),
  pgettext("pair of", "aces"),
];

/** The ranks of three or four equal cards, as in `three queens` and `four queens`. */
const ofEqual = (): string[] => [
  pgettext("three of", "deuces"), pgettext("three of", "threes"), pgettext("three of", "fours"), pgettext("three of", "fives"),
  pgettext("three of", "sixes"), pgettext("three of", "sevens"), pgettext("three of", "eights"), pgettext("three of", "nines"),
  pgettext("three of", "tens"), pgettext("three of", "jacks"), pgettext("three of", "queens"), pgettext("three of", "kings"),
  pgettext("three of", "aces"),
];

/** The ranks that are listed, as in `two pair, queens and fours` and `full house, queens over fours`. */
const listed = (): string[] => [
  pgettext("two pair", "deuces"), pgettext("two pair", "threes"), pgettext("two pair", "fours"), pgettext("two pair", "fives"),
  pgettext("two pair", "sixes"), pgettext("two pair", "sevens"), pgettext("two pair", "eights"), pgettext("two pair", "nines"),
  pgettext("two pair", "tens"), pgettext("two pair", "jacks"), pgettext("two pair", "queens"), pgettext("two pair", "kings"),
  pgettext("two pair", "aces"),
];

type Words = () => string[];

/** The phrases of the service, each with what words it. A phrase of a newer service stays in English. */
const PHRASES: [RegExp, (first: string, second: string) => string][] = [
  [/^pair of (\w+)$/, (first) => gettext("pair of %(ranks)s", { ranks: name(ofPair, first) })],
  [/^two pair, (\w+) and (\w+)$/, (first, second) => gettext("two pair, %(high)s and %(low)s", { high: name(listed, first), low: name(listed, second) })],
  [/^three (\w+)$/, (first) => gettext("three %(ranks)s", { ranks: name(ofEqual, first) })],
  [/^four (\w+)$/, (first) => gettext("four %(ranks)s", { ranks: name(ofEqual, first) })],
  [/^straight, (\w+) high$/, (first) => gettext("straight, %(rank)s high", { rank: name(ofStraight, first) })],
  [/^straight flush, (\w+) high$/, (first) => gettext("straight flush, %(rank)s high", { rank: name(ofStraight, first) })],
  [/^royal flush$/, () => gettext("royal flush")],
  [/^flush, ([\w-]+)$/, (first) => gettext("flush, %(ranks)s", { ranks: nameAll(first) })],
  [/^full house, (\w+) over (\w+)$/, (first, second) => gettext("full house, %(three)s over %(two)s", { three: name(listed, first), two: name(listed, second) })],
  [/^([\w-]+) low$/, (first) => gettext("%(ranks)s low", { ranks: nameAll(first) })],
  [/^(\w+) high$/, (first) => gettext("%(rank)s high", { rank: name(oneByOne, first) })],
];

/** Return what a row makes, in the language of the page. */
export function describeHand(hand: HandInWords): string {
  return language === "en" ? hand.description : wordHand(hand);
}

/** Return what a row makes, from the messages of the page. In English this is the description. */
export function wordHand({ description }: HandInWords): string {
  const [, made = description, kickers] = /^(.+), ([\w-]+) kickers?$/.exec(description) ?? [];
  const hand = wordMade(made);
  if (kickers === undefined) return hand;
  const values = { hand, ranks: nameAll(kickers) };
  return ngettext("%(hand)s, %(ranks)s kicker", "%(hand)s, %(ranks)s kickers", kickers.split("-").length, values);
}

function wordMade(made: string): string {
  for (const [pattern, word] of PHRASES) {
    const found = pattern.exec(made);
    if (found !== null) return word(found[1] ?? "", found[2] ?? "");
  }
  return made;
}

/** Return a rank, in the singular or the plural, in the words of a phrase. */
function name(words: Words, rank: string): string {
  return words()[RANKS.findIndex((each) => rank.startsWith(each))] ?? rank;
}

function nameAll(ranks: string): string {
  return ranks.split("-").map((rank) => name(oneByOne, rank)).join("-");
}
