import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordedHand } from "../../client/src/contract.js";
import { countWon } from "./results.js";

const HAND = {
  players: [{ seat: 1, points: 6 }, { seat: 2, points: -6 }],
  transfers: [{ payer: 2, payee: 1, due: 6, paid: 4 }],
} as unknown as RecordedHand;

test("points that are paid with the hand are those after caps", () => {
  assert.equal(countWon({ stakes_scope: "hand" }, HAND, 1), 4);
  assert.equal(countWon({ stakes_scope: "fantasyland" }, HAND, 2), -4);
});

test("points that are paid at the end of the round are those of the hand, also in the last one", () => {
  assert.equal(countWon({ stakes_scope: "round" }, { ...HAND, transfers: [] }, 1), 6);
  assert.equal(countWon({ stakes_scope: "round" }, HAND, 2), -6);
});
