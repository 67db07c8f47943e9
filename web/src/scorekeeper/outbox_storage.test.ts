import assert from "node:assert/strict";
import { test } from "node:test";
import type { Round } from "../../client/src/contract.js";
import type { Waiting } from "../api/outbox.js";
import type { StoredRound } from "./database.js";
import { addOpening, addRequest, completeRequest, readOutbox } from "./outbox_storage.js";
import { readRound, writeRound } from "./storage.js";

const TERMS = { ruleset: "pineapple@1", point_value: 50, unit: "EUR" };

for (const [name, changes, isStored] of [
  ["the terms of this device", {}, true],
  ["another ruleset", { ruleset: "classic@1" }, false],
  ["another point value", { point_value: 100 }, false],
  ["another unit", { unit: "USD" }, false],
] as const) {
  test(`a round that the service opened with ${name} is ${isStored ? "stored" : "read again"}`, async () => {
    const opening = { operation: "open_round", round: "new-1", body: "{}" } as Waiting;
    const opened = { round: { ...TERMS, id: "new-1", version: 0 }, hands: [], sent: [] } as unknown as StoredRound;
    const id = await addOpening(opening, opened);
    const round = { ...TERMS, ...changes, id: `round with ${name}`, version: 1 } as unknown as Round;
    await completeRequest({ ...opening, id }, { round, hand: null });
    assert.equal((await readRound(round.id))?.round.version, isStored ? 1 : undefined);
    assert.equal(await readRound("new-1"), undefined);
  });
}

test("an undo names the record of its hand, if the hand was sent since the undo was tapped", async () => {
  const undo = (round: string): Waiting => ({ operation: "undo_hand", round, body: '{"number":1}' }) as Waiting;
  const hand = { operation: "record_hand", round: "a", body: '{"number":1}' } as Waiting;
  await writeRound({ round: { id: "a" }, hands: [{ id: "h1", number: 1 }] } as unknown as StoredRound);
  const read = async (id: number): Promise<string | undefined> => (await readOutbox()).find((each) => each.id === id)?.body;
  assert.equal(await read(await addRequest(undo("a"))), '{"number":1,"hand":"h1"}');
  assert.equal(await read(await addRequest(undo("b"))), '{"number":1}');
  await addRequest(hand);
  assert.equal(await read(await addRequest(undo("a"))), '{"number":1}');
});
