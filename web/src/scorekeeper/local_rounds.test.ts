import assert from "node:assert/strict";
import { test } from "node:test";
import { nextOpeningTime } from "./local_rounds.js";

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
