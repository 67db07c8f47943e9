import assert from "node:assert/strict";
import { test } from "node:test";
import { describeTerms } from "./terms.js";

test("the terms of a table are its ruleset and what a point is worth", () => {
  const terms = { ruleset: "house@3", point_value: 50, unit: "EUR", unit_digits: 2 };
  assert.equal(describeTerms(terms), "the ruleset house, version 3 and a point value of €0.50");
  const withoutMoney = { ruleset: "classic@1", point_value: null, unit: null, unit_digits: null };
  assert.equal(describeTerms(withoutMoney), "the ruleset classic and no point value");
});
