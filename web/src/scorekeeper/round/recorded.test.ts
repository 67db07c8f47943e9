import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hand } from "../../../client/src/contract.js";
import { draftOf, exchange, isDiscarded, listChanges } from "./recorded.js";

const HAND = {
  number: 2,
  button: 1,
  players: [
    { seat: 1, top: ["Qs", "Qd", "4c"], middle: ["Ks", "Kd", "9h", "8h", "3c"], bottom: ["Ah", "Jh", "7h", "6h", "2h"] },
    { seat: 2, fantasyland: 14, top: ["Ac", "8d", "2s"], middle: ["Ts", "Tc", "5d", "5c", "6s"], bottom: ["7s", "7d", "7c", "Jd", "Js"], discards: ["3d"] },
  ],
} as unknown as Hand;
const DRAFT = draftOf("r", HAND, new Map([[1, "ann"], [2, "ben"]]));

test("another card changes its row only", () => {
  assert.deepEqual(listChanges(DRAFT, exchange(DRAFT, "1.top.1", "As")), [{ hand: 2, seat: 1, row: "top", cards: ["Qs", "As", "4c"] }]);
});

test("a card that is elsewhere in the hand changes places", () => {
  const changes = listChanges(DRAFT, exchange(DRAFT, "1.top.2", "7s"));
  assert.deepEqual(changes.map(({ seat, row, cards }) => [seat, row, cards.join(" ")]), [[1, "top", "Qs Qd 7s"], [2, "bottom", "4c 7d 7c Jd Js"]]);
});

test("a card that is chosen and chosen back changes nothing", () => {
  assert.deepEqual(listChanges(DRAFT, exchange(exchange(DRAFT, "1.top.1", "As"), "1.top.1", "Qd")), []);
});

test("discards are known, because they cannot be exchanged", () => {
  assert.ok(isDiscarded(DRAFT, "3d"));
  assert.ok(!isDiscarded(DRAFT, "Qs"));
});
