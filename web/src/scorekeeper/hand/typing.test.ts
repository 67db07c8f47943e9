import assert from "node:assert/strict";
import { test } from "node:test";
import { typeKey } from "./typing.js";

function type(text: string): string[] {
  let rank: string | null = null;
  const cards: string[] = [];
  for (const key of text) {
    const typed = typeKey(rank, key);
    if (typed === undefined) continue;
    rank = typed.rank;
    if (typed.card !== null) cards.push(typed.card);
  }
  return cards;
}

test("a card is a rank and a suit, in either case", () => {
  assert.deepEqual(type("qsAhtD9c"), ["Qs", "Ah", "Td", "9c"]);
});

test("a ten can be typed as 10", () => {
  assert.deepEqual(type("10h1kd"), ["Th", "Kd"]);
});

test("a second rank replaces the first, and a suit alone is no card", () => {
  assert.deepEqual(type("q7d s"), ["7d"]);
});

test("other keys are not used", () => {
  for (const key of ["x", "Tab", "F1", " ", "0"]) assert.equal(typeKey(null, key), undefined);
});
