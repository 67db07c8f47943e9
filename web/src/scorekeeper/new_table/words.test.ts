import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAmount, suggestName } from "./words.js";

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
