import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordedHand } from "../../client/src/contract.js";
import { countWon, listBustedBy } from "./results.js";

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

test("who is out after a hand that they played is busted by it", () => {
  const seats = [
    { seat: 1, stack: 0, playing: false },
    { seat: 2, stack: 0, playing: false },
    { seat: 3, stack: 0, playing: true },
    { seat: 4, stack: 9, playing: false },
  ];
  const played = [{ seat: 2 }, { seat: 3 }, { seat: 4 }];
  assert.deepEqual(listBustedBy({ players: played, round: { seats } } as unknown as Parameters<typeof listBustedBy>[0]), [2]);
});
