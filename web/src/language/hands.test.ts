import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { setLanguage } from "./current.js";
import { describeHand, wordHand } from "./hands.js";

afterEach(() => setLanguage("en", {}));

const HANDS = [
  { category: "pair", description: "pair of queens, four kicker" },
  { category: "pair", description: "pair of sixes, ace-king-three kickers" },
  { category: "two_pair", description: "two pair, aces and deuces, nine kicker" },
  { category: "three_of_a_kind", description: "three threes, four-deuce kickers" },
  { category: "three_of_a_kind", description: "three aces" },
  { category: "straight", description: "straight, five high" },
  { category: "flush", description: "flush, ace-jack-seven-six-deuce" },
  { category: "full_house", description: "full house, sixes over deuces" },
  { category: "four_of_a_kind", description: "four fours, three kicker" },
  { category: "straight_flush", description: "straight flush, king high" },
  { category: "royal_flush", description: "royal flush" },
  { category: "high_card", description: "ace high, eight-deuce kickers" },
  { category: "high_card", description: "eight-six-four-three-deuce low" },
];

test("the messages of hands are the descriptions of the service", () => {
  for (const hand of HANDS) assert.equal(wordHand(hand), hand.description);
});

test("a hand is a phrase of the language, with its ranks in the case that the phrase needs", () => {
  setLanguage("ru", {
    "pair of %(ranks)s": "пара %(ranks)s", "pair of\u0004queens": "дам", "rank\u0004four": "четвёрка", "rank\u0004queen": "дама",
    "%(hand)s, %(ranks)s kicker": { one: "%(hand)s, кикер %(ranks)s", few: "%(hand)s, кикеры %(ranks)s", many: "%(hand)s, кикеры %(ranks)s" },
  });
  assert.equal(describeHand(HANDS[0]!), "пара дам, кикер четвёрка");
});

test("a category of a newer service has its description", () => {
  setLanguage("ru", {});
  assert.equal(describeHand({ category: "five_of_a_kind", description: "five aces" }), "five aces");
});
