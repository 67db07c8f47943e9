import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { setLanguage } from "./current.js";
import { describeHand, wordHand } from "./hands.js";

afterEach(() => setLanguage("en", {}));

const HANDS = [
  { description: "pair of queens, four kicker" },
  { description: "pair of sixes, ace-king-three kickers" },
  { description: "two pair, aces and deuces, nine kicker" },
  { description: "three threes, four-deuce kickers" },
  { description: "three aces" },
  { description: "straight, five high" },
  { description: "flush, ace-jack-seven-six-deuce" },
  { description: "full house, sixes over deuces" },
  { description: "four fours, three kicker" },
  { description: "straight flush, king high" },
  { description: "royal flush" },
  { description: "ace high, eight-deuce kickers" },
  { description: "eight-six-four-three-deuce low" },
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

test("a phrase of a newer service stays as it is", () => {
  setLanguage("ru", {});
  assert.equal(describeHand({ description: "five aces" }), "five aces");
});
