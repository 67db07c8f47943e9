import assert from "node:assert/strict";
import { test } from "node:test";
import { describeRuleset, parseAmount, suggestName } from "./words.js";

type Rules = Parameters<typeof describeRuleset>[0];

function rules(enter: Record<string, number>, more: object = {}): Rules {
  return { variant: "pineapple", low_middle: false, fantasyland: { enter }, ...more } as Rules;
}

test("a ruleset is described by its deal and its way into Fantasyland", () => {
  assert.equal(describeRuleset(rules({ QQ: 14 })), "Pineapple, Fantasyland from queens");
  assert.equal(describeRuleset(rules({ QQ: 14, KK: 15, AA: 16, trips: 17 })), "Pineapple, progressive Fantasyland from queens");
  assert.equal(describeRuleset(rules({ trips: 14 }, { variant: "turbo" })), "Turbo, Fantasyland from three of a kind");
  assert.equal(describeRuleset(rules({}, { variant: "classic" })), "Classic, no Fantasyland");
  assert.equal(describeRuleset(rules({ KK: 14 }, { low_middle: true })), "Pineapple with a low middle row, Fantasyland from kings");
});

test("an amount is read in its smallest units", () => {
  const read = ["1", "0.5", "0,10", "0.10", " 2.5 "].map((text) => parseAmount(text, 2));
  assert.deepEqual(read, [100, 50, 10, 10, 250]);
  for (const text of ["", "0", "0.00", "0.105", "-1", "1e3", "1.2.3", "ten"]) assert.equal(parseAmount(text, 2), null, text);
  assert.equal(parseAmount("5", 0), 5);
  assert.equal(parseAmount("5.0", 0), null);
});

test("a table is named by the day, with a number if another one has the name", () => {
  const day = new Date(2026, 10, 27);
  assert.equal(suggestName(day, []), "Fri 27 Nov");
  assert.equal(suggestName(day, ["Fri 27 Nov", "Fri 27 Nov 2"]), "Fri 27 Nov 3");
});
