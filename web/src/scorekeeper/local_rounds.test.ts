import assert from "node:assert/strict";
import { test } from "node:test";
import type { Round, Ruleset, Table } from "../../client/src/contract.js";
import type { Session } from "../api/session.js";
import type { Rules } from "../rules/index.js";
import { nextOpeningTime, openLocally, readStacks, type LocalOpening } from "./local_rounds.js";
import { writeNextRound, writeTable } from "./storage.js";

const NOW = Date.parse("2026-11-24T20:00:00.500Z");

test("the first round of a table is opened now", () => {
  assert.equal(nextOpeningTime(null, NOW), "2026-11-24T20:00:00.500Z");
});

test("a round is opened now, if the last one is older", () => {
  assert.equal(nextOpeningTime({ opened_at: "2026-11-24T19:59:59.999999Z" }, NOW), "2026-11-24T20:00:00.500Z");
});

test("a round comes after the last one although the clock of the device is late", () => {
  assert.equal(nextOpeningTime({ opened_at: "2026-11-24T20:03:00.123456Z" }, NOW), "2026-11-24T20:03:00.124Z");
});

const TABLE = { id: "t", name: "friday", ruleset: "classic@1", point_value: 50, unit: "EUR" } as Table;
const PLAYERS = [{ seat: 1, player: "ann" }, { seat: 2, player: "ben" }];
const RULES = {
  replay: async () => ({ kind: "replayed", round: { seats: PLAYERS.map((seat) => ({ ...seat, opening_stack: 200 })) } }),
} as unknown as Rules;
/** A service that has the ruleset `classic@1`. */
const SESSION = { client: { get: async () => ({ name: "classic", version: 1 }) } } as unknown as Session;

for (const name of ["classic", "pineapple"]) {
  test(`a round has the ruleset and the money of its table, if the device has stored the ruleset ${name}`, async () => {
    await writeNextRound(TABLE, { name, version: 1 } as Ruleset, { stacks: { ann: 200, ben: 200 }, buyIns: {} });
    const { request, opened } = (await openLocally(SESSION, RULES, TABLE, { seats: PLAYERS })) as LocalOpening;
    const terms = { ruleset: "classic@1", point_value: 50, unit: "EUR" };
    const { expected } = JSON.parse(request.body) as { expected: object };
    assert.deepEqual(expected, { ...terms, seats: PLAYERS.map(({ seat }) => ({ seat, opening_stack: 200 })) });
    assert.equal(opened.ruleset.name, "classic");
    assert.equal(opened.document.ruleset, "classic@1");
  });
}

/** A round at the table, with the opening and the last stack of each player. */
function play(id: string, stacks: Record<string, [number, number]>, changes: Partial<Round> = {}): Round {
  const seats = Object.entries(stacks).map(([player, [opening_stack, stack]], index) => ({ seat: index + 1, player, opening_stack, stack }));
  return { id, reference: null, point_value: 50, unit: "EUR", seats, ...changes } as unknown as Round;
}

test("a rebuy is what a player bought in for last, and no stack that was carried over", () => {
  const newestFirst = [
    play("4", { ann: [30, 0], ben: [100, 60], cyd: [80, 90] }),
    play("3", { ann: [290, 30], ben: [10, 0] }),
    play("2", { ann: [60, 290], ben: [240, 10] }),
    play("1", { ann: [60, 60], ben: [60, 240] }, { point_value: 20 }),
  ];
  assert.deepEqual(readStacks(newestFirst, TABLE), { stacks: { ann: 0, ben: 60, cyd: 90 }, buyIns: { ann: 60, ben: 100, cyd: 80 } });
});

test("what players buy in for is known when a round opens, and stays when the service has given it an ID", async () => {
  const opened = { ...TABLE, id: "another" } as Table;
  const shown = async (round: Round) => writeTable(opened, round);
  assert.deepEqual(await shown(play("new-1", { ann: [60, 60], ben: [60, 60] }, { reference: "r" })), { ann: 60, ben: 60 });
  assert.deepEqual(await shown(play("new-1", { ann: [60, 90], ben: [60, 30] }, { reference: "r" })), { ann: 60, ben: 60 });
  assert.deepEqual(await shown(play("1", { ann: [60, 90], ben: [60, 30] }, { reference: "r" })), { ann: 60, ben: 60 });
  assert.deepEqual(await shown(play("2", { ann: [90, 90], ben: [80, 80] })), { ann: 60, ben: 80 });
});
