import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ruleset, Table } from "../../client/src/contract.js";
import type { Session } from "../api/session.js";
import type { Rules } from "../rules/index.js";
import { nextOpeningTime, openLocally, type LocalOpening } from "./local_rounds.js";
import { writeNextRound } from "./storage.js";

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
    await writeNextRound(TABLE, { name, version: 1 } as Ruleset, { ann: 200, ben: 200 });
    const { request, opened } = (await openLocally(SESSION, RULES, TABLE, { seats: PLAYERS })) as LocalOpening;
    const terms = { ruleset: "classic@1", point_value: 50, unit: "EUR" };
    const { expected } = JSON.parse(request.body) as { expected: object };
    assert.deepEqual(expected, { ...terms, seats: PLAYERS.map(({ seat }) => ({ seat, opening_stack: 200 })) });
    assert.equal(opened.ruleset.name, "classic");
    assert.equal(opened.document.ruleset, "classic@1");
  });
}
