import assert from "node:assert/strict";
import { test } from "node:test";
import { fillDraft } from "./draft.js";
import { changeSuit, listTaken, readGroups, writeBoard } from "./text.js";

const NAMES = new Map([[1, "ann"], [2, "ben"]]);
const PLAYERS = [
  { seat: 1, fantasyland: 14, top: ["Qs", "Qd", "4c"], middle: ["Ks"], bottom: [], discards: ["2h"] },
  { seat: 2, top: [], middle: [], bottom: ["Ah"] },
];
const DRAFT = fillDraft({ round: "r", number: 1, button: 2 }, PLAYERS, NAMES);
const PARTS = {
  top: [{ rank: "Q", suit: null, suits: ["s", "d"] }, { rank: "T", suit: "h", suits: [] }],
  middle: [],
  bottom: [{ rank: "A", suit: null, suits: ["c"] }],
};

test("a board is written as it is typed, without the rows after its last card", () => {
  assert.equal(writeBoard(DRAFT, DRAFT.seats[0]!), "QsQd4c / Ks / / 2h");
  assert.equal(writeBoard(DRAFT, DRAFT.seats[1]!), "/ / Ah");
  assert.equal(writeBoard({ ...DRAFT, cards: {} }, DRAFT.seats[0]!), "");
});

test("the suit of a card is added to the text, and the others stay open", () => {
  assert.equal(changeSuit(PARTS, "top", 0, "d"), "Qd Th / / A");
  assert.equal(changeSuit(PARTS, "bottom", 0, "c"), "Q Th / / Ac");
});

test("cards of the other seats are taken", () => {
  assert.deepEqual(listTaken(DRAFT, DRAFT.seats[1]!, NAMES), {
    Qs: "in the top of ann", Qd: "in the top of ann", "4c": "in the top of ann", Ks: "in the middle of ann", "2h": "among the discards of ann",
  });
});

test("the cards that were read are put by rows", () => {
  assert.deepEqual(readGroups({ top: [{ rank: "T", suit: "h", suits: [] }], middle: [] }), { top: ["Th"], middle: [] });
});
