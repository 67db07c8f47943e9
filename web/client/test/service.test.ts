// Calls to a running service: OFC_URL is its address and OFC_API_KEY a key with every scope.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { ApiError, Tablestakes, type HandRequest, type NamedPlayerHand, type Round } from "tablestakes-client";

const api = new Tablestakes({ url: process.env["OFC_URL"]!, key: process.env["OFC_API_KEY"]! });
const SEATS = [
  { seat: 1, player: "ann", stack: 100 },
  { seat: 2, player: "ben", stack: 100 },
];

function board(seat: number, top: string, middle: string, bottom: string): NamedPlayerHand {
  const cards = (row: string): string[] => row.match(/../g) ?? [];
  return { seat, top: cards(top), middle: cards(middle), bottom: cards(bottom) };
}

const FIRST: HandRequest = {
  number: 1,
  button: 2,
  players: [board(1, "9sQd4c", "KsKd9h8h3c", "AhJh7h6h2h"), board(2, "Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs")],
};

async function openRound(reference?: string): Promise<Round & { name: string }> {
  const name = `table ${randomUUID()}`;
  const table = await api.post("/v1/tables", { body: { name, ruleset: "pineapple" } });
  const body = reference === undefined ? { seats: SEATS } : { seats: SEATS, reference };
  return { ...(await api.post("/v1/tables/{table_id}/rounds", { path: { table_id: table.id }, body })), name };
}

test("a round is played, and its settlement read", async () => {
  const { id } = await openRound();
  const path = { round_id: id };
  const recorded = await api.post("/v1/rounds/{round_id}/hands", { path, body: FIRST });
  assert.deepEqual(recorded.round.hands, 1);
  assert.equal(recorded.players.reduce((sum, player) => sum + player.points, 0), 0);
  await api.post("/v1/rounds/{round_id}/close", { path, body: { reason: "late" } });
  const settlement = await api.get("/v1/rounds/{round_id}/settlement", { path });
  assert.equal(settlement.state, "provisional");
  assert.equal(settlement.net["1"], recorded.players[0]!.points);
});

test("the same hand sent again is a replay, and another is a conflict", async () => {
  const { id } = await openRound();
  const path = { round_id: id };
  const first = await api.send("post", "/v1/rounds/{round_id}/hands", { path, body: FIRST });
  const again = await api.send("post", "/v1/rounds/{round_id}/hands", { path, body: FIRST });
  assert.deepEqual([first.status, first.isReplay, again.isReplay], [201, false, true]);
  assert.equal(again.data.id, first.data.id);
  const other = { ...FIRST, button: 1 };
  const refused = await api.post("/v1/rounds/{round_id}/hands", { path, body: other }).catch((error: unknown) => error);
  assert.ok(refused instanceof ApiError);
  assert.deepEqual([refused.status, refused.code], [409, "hand-conflict"]);
  assert.ok(refused.errors.length > 0);
  assert.match(refused.requestId, /^[0-9a-f-]{36}$/);
});

test("a list yields every item, over several pages", async () => {
  const rounds: string[] = [];
  const { table, id } = await openRound();
  await api.post("/v1/rounds/{round_id}/close", { path: { round_id: id }, body: { reason: "late" } });
  for (let count = 0; count < 2; count += 1) {
    const round = await api.post("/v1/tables/{table_id}/rounds", { path: { table_id: table }, body: { seats: SEATS } });
    await api.post("/v1/rounds/{round_id}/close", { path: { round_id: round.id }, body: { reason: "late" } });
    rounds.unshift(round.id);
  }
  const found: string[] = [];
  for await (const round of api.list("/v1/rounds", { query: { table, limit: 1 } })) found.push(round.id);
  assert.deepEqual(found, [...rounds, id]);
});

test("hands of several rounds are recorded in one request", async () => {
  const [first, second] = [await openRound("evening/1"), await openRound()];
  const results = await api.recordHands([
    { round: { table: first.name, reference: "evening/1" }, ...FIRST },
    { round: second.id, ...FIRST, number: 9 },
    { round: second.id, ...FIRST },
  ]);
  assert.deepEqual(results.map(({ status }) => status), ["recorded", "refused", "not_attempted"]);
  assert.equal(results[0]!.hand?.round.id, first.id);
  assert.equal(typeof results[1]!.problem?.code, "string");
});

test("rounds are exported and imported", async () => {
  const round = await openRound("evening/1");
  await api.post("/v1/rounds/{round_id}/hands", { path: { round_id: round.id }, body: FIRST });
  const documents = [];
  for await (const document of api.exportRounds({ table: round.table, limit: 1 })) documents.push(document);
  assert.equal(documents.length, 1);
  const again = { ...documents[0]!, table: `${round.name} again` };
  const job = await api.startImport([again, "{}"], { state: "provisional" });
  const ended = await api.waitForImport(job.id, { pause: 50 });
  assert.equal(ended.state, "succeeded");
  const results = await api.importResults(job.id);
  assert.deepEqual(results.map(({ status }) => status), ["stored", "refused"]);
  assert.equal(results[1]!.line, 2);
});

test("an export is read over several pages", async () => {
  const round = await openRound();
  const path = { round_id: round.id };
  await api.post("/v1/rounds/{round_id}/close", { path, body: { reason: "late" } });
  await api.post("/v1/tables/{table_id}/rounds", { path: { table_id: round.table }, body: { seats: SEATS } });
  let count = 0;
  for await (const document of api.exportRounds({ table: round.table, limit: 1 })) count += document.seats.length / 2;
  assert.equal(count, 2);
});

test("a round that has not changed is a 304, and a correction of another version a 409", async () => {
  const { id } = await openRound();
  const path = { round_id: id };
  const read = await api.send("get", "/v1/rounds/{round_id}", { path });
  const headers = { "If-None-Match": read.headers.get("ETag")! };
  const again = await api.send("get", "/v1/rounds/{round_id}", { path, headers });
  assert.deepEqual([again.status, again.data], [304, undefined]);
  await api.post("/v1/rounds/{round_id}/hands", { path, body: FIRST });
  const change = { op: "replace" as const, path: "/hands/0/button", value: 1 };
  const call = { path, body: { version: 1, reason: "button", patch: [change] } };
  await assert.rejects(api.post("/v1/rounds/{round_id}/corrections", call), { code: "round-changed" });
});

test("a display name is set and erased", async () => {
  const path = { player: `ann/${randomUUID()}` };
  const named = await api.put("/v1/players/{player}", { path, body: { display_name: "Ann" } });
  assert.equal(named.display_name, "Ann");
  assert.equal(await api.delete("/v1/players/{player}", { path }), undefined);
});

test("a ledger is read as CSV if the call accepts it", async () => {
  const { data, headers } = await api.send("get", "/v1/ledger", { headers: { Accept: "text/csv" } });
  assert.match(headers.get("Content-Type")!, /^text\/csv/);
  assert.equal(typeof (data as unknown), "string");
});
