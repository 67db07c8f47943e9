import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chooseButton, clearCards, countCards, fillDraft, fitDraft, isFull, isUsed, listPlayers, moveBy, moveTo, putBoard, putCard, rowPlaces, startDraft,
  takeBack, undo,
  type Draft, type Next,
} from "./draft.js";

const DECK = [..."AKQJT98765432"].flatMap((rank) => [..."shdc"].map((suit) => rank + suit));
const NEXT: Next = {
  round: "r",
  number: 4,
  button: 2,
  seats: [
    { seat: 1, player: "ann", fantasyland: 0 },
    { seat: 2, player: "ben", fantasyland: 15 },
    { seat: 5, player: "cyd", fantasyland: 0 },
  ],
  left: [],
};
const fill = (draft: Draft, count: number): Draft => DECK.slice(0, count).reduce(putCard, draft);

test("cards go to the top, the middle and the bottom of each seat, and discards are left out", () => {
  const draft = fill(startDraft(NEXT), 39);
  assert.equal(draft.cursor, null);
  assert.ok(isFull(draft));
  const players = listPlayers(draft);
  assert.deepEqual(players.flatMap(({ top, middle, bottom }) => [...top, ...middle, ...bottom]), DECK.slice(0, 39));
  assert.deepEqual(players.map(({ seat, fantasyland }) => [seat, fantasyland]), [[1, undefined], [2, 15], [5, undefined]]);
  assert.ok(players.every((player) => player.discards === undefined));
});

test("discards can be filled after the boards", () => {
  const draft = moveTo(fill(startDraft(NEXT), 39), "2.discards.0");
  const one = putCard(draft, "2s");
  assert.equal(one.cursor, "2.discards.1");
  const two = putCard(one, "2h");
  assert.equal(two.cursor, null);
  assert.deepEqual(listPlayers(two)[1]!.discards, ["2s", "2h"]);
});

test("a used card cannot be put twice, also not into its own place", () => {
  const draft = putCard(startDraft(NEXT), "As");
  assert.equal(putCard(draft, "As"), draft);
  const chosen = moveTo(draft, "1.top.0");
  assert.equal(putCard(chosen, "As"), chosen);
  assert.ok(isUsed(draft, "As"));
});

test("a board that is put replaces that of its seat, and one undo takes it back", () => {
  const before = ["As", "Ks", "Qs", "Js"].reduce(putCard, startDraft(NEXT));
  const put = putBoard(before, NEXT.seats[0]!, { top: ["2c", "3c", "4c"], middle: ["5c"] });
  assert.deepEqual(listPlayers(put)[0], { seat: 1, top: ["2c", "3c", "4c"], middle: ["5c"], bottom: [] });
  assert.equal(put.cursor, "1.middle.1");
  assert.deepEqual({ ...undo(put), steps: 0 }, { ...before, steps: 0 });
  const other = putBoard(before, NEXT.seats[1]!, { top: [], discards: ["2h", "2d"] });
  assert.deepEqual(listPlayers(other)[1]!.discards, ["2h", "2d"]);
  assert.equal(countCards(other, NEXT.seats[0]!), 4);
  // Whoever is no longer in Fantasyland has no places to take back.
  const fitted = fitDraft(putCard(other, "5d"), { ...NEXT, seats: NEXT.seats.map((seat) => ({ ...seat, fantasyland: 0 })) });
  assert.equal(Object.keys(undo(undo(undo(fitted))).cards).filter((place) => place.includes("discards")).length, 0);
});

test("undo restores every earlier draft, in reverse order", () => {
  const drafts = [startDraft(NEXT)];
  for (const card of DECK.slice(0, 8)) drafts.push(putCard(drafts.at(-1)!, card));
  drafts.push(takeBack(drafts.at(-1)!, "1.top.1"));
  drafts.push(putCard(drafts.at(-1)!, "2c"));
  for (const earlier of drafts.slice(0, -1).reverse()) {
    const undone = undo(drafts.pop()!);
    assert.deepEqual({ ...undone, steps: 0 }, { ...earlier, steps: 0 });
    drafts[drafts.length - 1] = undone;
  }
  assert.equal(undo(drafts[0]!), drafts[0]);
});

test("a free place in the middle is filled before the cursor goes on", () => {
  const draft = putCard(takeBack(fill(startDraft(NEXT), 10), "1.top.1"), "2c");
  assert.equal(draft.cards["1.top.1"], "2c");
  assert.equal(draft.cursor, "1.bottom.2");
});

test("arrows move along rows, between rows and between seats", () => {
  let draft = startDraft(NEXT);
  const go = (...directions: Parameters<typeof moveBy>[1][]): string | null =>
    (draft = directions.reduce(moveBy, draft)).cursor;
  assert.equal(go("up", "left"), "1.top.0");
  assert.equal(go("right", "right", "down"), "1.middle.2");
  assert.equal(go("right", "right", "right"), "2.middle.0");
  assert.equal(go("left"), "1.middle.4");
  assert.equal(go("up"), "1.top.2");
  assert.equal(go("right", "down", "down", "down"), "2.discards.0");
  assert.equal(go("right", "right"), "5.bottom.0");
  assert.equal(go("down"), "5.bottom.0");
});

test("a hand that was entered before is the draft that it was entered from", () => {
  const draft = fill(startDraft(NEXT), 39);
  const names = new Map(NEXT.seats.map(({ seat, player }) => [seat, player]));
  const again = fillDraft({ round: "r", number: 4, button: 2 }, listPlayers(draft), names);
  assert.deepEqual({ ...again, steps: [] }, { ...draft, steps: [] });
});

test("a seat has places for its cards", () => {
  const [ann, ben] = NEXT.seats;
  assert.equal(rowPlaces(ann!, "discards").length, 0);
  assert.equal(rowPlaces(ben!, "discards").length, 2);
  assert.equal(countCards(fill(startDraft(NEXT), 17), ben!), 4);
});

test("a draft follows its round: who left is dropped with their cards, and who adds points plays", () => {
  const draft = fill(startDraft(NEXT), 20);
  const { seats } = NEXT;
  const without = fitDraft(draft, { ...NEXT, seats: seats.filter(({ seat }) => seat !== 1) });
  assert.deepEqual(without.seats.map(({ seat }) => seat), [2, 5]);
  assert.deepEqual(listPlayers(without)[0]!.top, DECK.slice(13, 16));
  assert.ok(!isUsed(without, DECK[0]!));
  assert.equal(without.cursor, draft.cursor);
  const added = fitDraft({ ...without, topUps: [{ seat: 3, points: 50 }] }, { ...NEXT, seats: without.seats });
  assert.deepEqual(added.seats.map(({ seat, fantasyland }) => [seat, fantasyland]), [[2, 15], [3, 0], [5, 0]]);
  assert.deepEqual(undo(without).steps.length, 6);
  const topUps = [{ seat: 1, points: 20 }, { seat: 3, points: 50 }];
  const left = fitDraft({ ...draft, topUps }, { ...NEXT, seats: without.seats, left: [1] });
  assert.deepEqual([left.topUps, left.seats.map(({ seat }) => seat)], [topUps.slice(1), [2, 3, 5]]);
});

test("the cursor of a draft moves on when its seat is dropped", () => {
  const draft = moveTo(fill(startDraft(NEXT), 20), "1.top.0");
  const without = fitDraft(draft, { ...NEXT, seats: NEXT.seats.slice(1) });
  assert.equal(without.cursor, "2.middle.4");
});

test("the button follows the round, unless it was chosen for somebody who plays", () => {
  const draft = startDraft(NEXT);
  assert.equal(fitDraft(draft, { ...NEXT, button: 5 }).button, 5);
  assert.equal(fitDraft(draft, { ...NEXT, button: null }).button, null);
  const chosen = chooseButton(draft, 1);
  assert.equal(fitDraft(chosen, { ...NEXT, button: 5 }).button, 1);
  assert.equal(fitDraft(chosen, { ...NEXT, button: 5, seats: NEXT.seats.slice(1) }).button, 5);
});

test("discards of a player who is no longer in Fantasyland are free", () => {
  const draft = putCard(moveTo(startDraft(NEXT), "2.discards.0"), "2s");
  const seats = NEXT.seats.map((seat) => ({ ...seat, fantasyland: 0 }));
  const fitted = fitDraft(draft, { ...NEXT, seats });
  assert.ok(!isUsed(fitted, "2s"));
  assert.equal(fitted.cursor, "1.top.0");
});

test("a hand without its cards is entered again, by the same button", () => {
  const cleared = clearCards({ ...chooseButton(fill(startDraft(NEXT), 39), 5), undone: { playedAt: null } });
  assert.deepEqual([cleared.cards, cleared.steps, cleared.cursor, cleared.button, cleared.undone], [{}, [], "1.top.0", 5, undefined]);
});
