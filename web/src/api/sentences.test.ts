import assert from "node:assert/strict";
import { test } from "node:test";
import { describeKind, describeMistake, describeProblem } from "./sentences.js";

const names = new Map([[1, "ann"], [2, "ben"], [3, "cyd"]]);

test("a mistake of a hand names the player, the row and the card", () => {
  const body = { number: 4, players: [{ seat: 2, top: ["As", "Kd"] }] };
  const short = { code: "row-size", pointer: "#/players/0/top", detail: "`players[0].top` has 2 cards; expected 3" };
  assert.equal(describeMistake(short, { names, body }), "ben: the number of cards in a row is wrong: top.");
  const twice = { code: "card-twice", pointer: "#/players/0/top/0", detail: "`players[0].top[0]`: As is already in the middle of seat 1; expected each card once" };
  assert.equal(describeMistake(twice, { names, body }), "ben: the same card is in this hand twice: the ace of spades.");
});

test("the wrong button names who has it and who should", () => {
  const wrong = { code: "button-wrong", pointer: "#/button", detail: "`button`: the button is in seat 2; expected seat 3: the next player" };
  assert.equal(describeMistake(wrong, { names }), "The button is with the wrong player: ben has it, and it is with cyd in this hand.");
});

test("a mistake of a new round names the player of the seat, not of the last round", () => {
  const body = { seats: [{ seat: 1, player: "Zoë", stack: 0 }] };
  const small = { code: "stack-too-small", pointer: "#/seats/0/stack", detail: "`seats[0].stack`: seat 1 opens with 0 points; expected 1 or more" };
  assert.equal(describeMistake(small, { names, body }), "Zoë: a stack is 1 point or more.");
});

test("a mistake of a later hand of a corrected round names the hand", () => {
  const detail = "`changes[0]`: at #/hands/1/players/0/fantasyland of the changed document: seat 1 is in Fantasyland and has not earned it in the hand before; expected 0";
  const unearned = { code: "fantasyland-not-earned", pointer: "#/changes/0", detail };
  assert.equal(describeMistake(unearned, { names }), "Hand 2, ann: this player did not earn Fantasyland in the hand before.");
});

test("a problem without mistakes has the sentence of its kind, and an unknown code one of its own", () => {
  assert.deepEqual(describeProblem({ code: "round-open", detail: "the table has the open round 019", errors: [] }), ["The table has an open round. Finish it or close it first."]);
  assert.equal(describeKind({ code: "of-a-newer-service", detail: "`x`" }), "The service refused this. Load the page again.");
});
