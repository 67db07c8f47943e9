import assert from "node:assert/strict";
import { test } from "node:test";
import { eveningOf } from "./evening.js";

const BERLIN = { time_zone: "Europe/Berlin", evening_begins: "06:00" };

for (const [now, evening] of [
  ["2026-11-20T20:15:00Z", "2026-11-20"],
  ["2026-11-21T04:59:00Z", "2026-11-20"],
  ["2026-11-21T05:00:00Z", "2026-11-21"],
  ["2026-11-20T23:30:00Z", "2026-11-20"],
  ["2027-01-01T02:00:00Z", "2026-12-31"],
] as const) {
  test(`${now} is in the evening of ${evening}`, () => {
    assert.equal(eveningOf(BERLIN, new Date(now)), evening);
  });
}

test("an evening can begin at midnight", () => {
  assert.equal(eveningOf({ time_zone: "UTC", evening_begins: "00:00" }, new Date("2026-11-20T00:00:00Z")), "2026-11-20");
});
