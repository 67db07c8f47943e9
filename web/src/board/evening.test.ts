import assert from "node:assert/strict";
import { test } from "node:test";
import { eveningOf, nameEvening } from "./evening.js";

const BERLIN = { time_zone: "Europe/Berlin", evening_begins: "06:00" };

test("an evening goes on past midnight, until the next one begins", () => {
  assert.equal(eveningOf("2026-11-20T19:00:00Z", BERLIN), "2026-11-20");
  assert.equal(eveningOf("2026-11-20T23:30:00Z", BERLIN), "2026-11-20");
  assert.equal(eveningOf("2026-11-21T04:59:59Z", BERLIN), "2026-11-20");
  assert.equal(eveningOf("2026-11-21T05:00:00Z", BERLIN), "2026-11-21");
});

test("the day is that of the club, also at the end of a month and in summer time", () => {
  assert.equal(eveningOf("2026-03-01T01:00:00Z", BERLIN), "2026-02-28");
  assert.equal(eveningOf("2026-07-01T03:59:00Z", BERLIN), "2026-06-30");
  assert.equal(eveningOf("2026-07-01T04:00:00Z", BERLIN), "2026-07-01");
  assert.equal(eveningOf("2026-01-01T02:00:00Z", { time_zone: "America/Los_Angeles", evening_begins: "00:00" }), "2025-12-31");
});

test("an evening is named by its day", () => {
  assert.equal(nameEvening("2026-11-20"), "Friday 20 November");
});
