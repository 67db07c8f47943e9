import assert from "node:assert/strict";
import { test } from "node:test";
import { nextButton } from "./first_button.js";

test("the button goes to the next player clockwise, also if who had it last is gone", () => {
  assert.equal(nextButton(2, [5, 1, 2]), 5);
  assert.equal(nextButton(5, [5, 1, 2]), 1);
  assert.equal(nextButton(3, [5, 1]), 5);
  assert.equal(nextButton(3, []), null);
});
