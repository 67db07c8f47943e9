import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMoney, formatMoneyWon, formatRuleset } from "./format.js";

test("a ruleset has its name, and the version of one that has several", () => {
  assert.deepEqual(["pineapple@1", "house@3", "classic"].map(formatRuleset), ["pineapple", "house, version 3", "classic"]);
});

test("money that was won or lost has its sign", () => {
  assert.deepEqual([480, -480, 0].map((amount) => formatMoneyWon(amount, "USD", 2)), ["+$4.80", "−$4.80", "$0.00"]);
});

test("money has the digits of its unit, and is exact", () => {
  assert.equal(formatMoney(2600, "EUR", 2), "€26.00");
  assert.equal(formatMoney(-5, "EUR", 2), "−€0.05");
  assert.equal(formatMoney(1250, "JPY", 0), "¥1,250");
  assert.equal(formatMoney(1500, "KWD", 3), "KWD\u{a0}1.500");
  assert.equal(formatMoney(9007199254740991, "EUR", 2), "€90,071,992,547,409.91");
});

test("an amount of a unit of the club has its digits and its code", () => {
  assert.equal(formatMoney(125000, "mBTC", 5), "1.25000\u{a0}mBTC");
  assert.equal(formatMoneyWon(-1250, "chips", 0), "−1,250\u{a0}chips");
  assert.equal(formatMoneyWon(9007199254740991, "BTC", 8), "+90,071,992.54740991\u{a0}BTC");
});
