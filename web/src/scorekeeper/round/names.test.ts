import assert from "node:assert/strict";
import { test } from "node:test";
import { findLookalike, suggestNames } from "./names.js";

const KNOWN = ["Cyd", "ann", "J\u00fcrgen", "Stra\u00dfer"];

test("a name that differs from a known one in case, width, composition or blanks looks like it", () => {
  const names = ["cyd", " CYD ", "\uff43\uff59\uff44", "Ju\u0308rgen", "STRASSER"];
  assert.deepEqual(names.map((name) => findLookalike(name, KNOWN)), ["Cyd", "Cyd", "Cyd", "J\u00fcrgen", "Stra\u00dfer"]);
});

test("a known name and a new one look like nobody else", () => {
  for (const name of ["Cyd", " Cyd ", "", "  ", "cydney", "an"]) assert.equal(findLookalike(name, KNOWN), undefined);
});

test("known names are suggested by how they begin, without those that are taken", () => {
  assert.deepEqual(suggestNames("", KNOWN, ["ann"]), ["Cyd", "J\u00fcrgen", "Stra\u00dfer"]);
  assert.deepEqual(suggestNames("c", KNOWN, []), ["Cyd"]);
  assert.deepEqual(suggestNames("cyd", KNOWN, []), ["Cyd"]);
  assert.deepEqual(suggestNames("Cyd", KNOWN, []), []);
});
