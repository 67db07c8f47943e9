// Plays a round with types that openapi-typescript generated; arguments: the address, a key, the table's name.

import createClient from "openapi-fetch";
import type { components, paths } from "./contract.js";

type Schemas = components["schemas"];

const [url, key, name] = process.argv.slice(2) as [string, string, string];
const api = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });

/** Return the answer, or end with the problem. */
async function must<T>(answer: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data, error } = await answer;
  if (data === undefined) throw new Error(`refused: ${JSON.stringify(error)}`);
  return data;
}

function cards(row: string): Schemas["Card"][] {
  return row.match(/../g) ?? [];
}

function board(seat: number, top: string, middle: string, bottom: string): Schemas["NamedPlayerHand"] {
  return { seat, top: cards(top), middle: cards(middle), bottom: cards(bottom) };
}

/** Import a round document and wait for the end. */
async function importLine(line: string): Promise<Schemas["Import"]> {
  const headers = { "Content-Type": "application/x-ndjson" };
  let job = await must(api.POST("/v1/imports", { body: line, bodySerializer: (body) => body, headers }));
  while (job.state === "queued" || job.state === "running") {
    await new Promise((resolve) => setTimeout(resolve, 100));
    job = await must(api.GET("/v1/imports/{import_id}", { params: { path: { import_id: job.id } } }));
  }
  return job;
}

const table = await must(api.POST("/v1/tables", { body: { name, ruleset: "pineapple" } }));
const seats = [
  { seat: 1, player: "ann", stack: 100 },
  { seat: 2, player: "ben", stack: 100 },
];
const round = await must(
  api.POST("/v1/tables/{table_id}/rounds", { params: { path: { table_id: table.id } }, body: { seats } }),
);
const params = { path: { round_id: round.id } };
const hand: Schemas["HandRequest"] = {
  number: 1,
  button: 2,
  players: [board(1, "QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h"), board(2, "Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs")],
};
const recorded = await must(api.POST("/v1/rounds/{round_id}/hands", { params, body: hand }));
const refused = await api.POST("/v1/rounds/{round_id}/hands", { params, body: { ...hand, number: 9 } });
const closed = await must(api.POST("/v1/rounds/{round_id}/close", { params, body: { reason: "late" } }));
const settlement = await must(api.GET("/v1/rounds/{round_id}/settlement", { params }));
const other = await must(
  api.POST("/v1/rounds/{round_id}/what-if", { params, body: { ruleset: "pineapple-2-4-us-none" } }),
);
const exported = await must(api.GET("/v1/export", { params: { query: { table: table.id } }, parseAs: "text" }));
const document: Schemas["RoundDocument"] = { ...JSON.parse(exported), table: `${name} again` };
const job = await importLine(JSON.stringify(document));
const results = await must(
  api.GET("/v1/imports/{import_id}/results", { params: { path: { import_id: job.id } }, parseAs: "text" }),
);

console.log(
  JSON.stringify({
    points: Object.fromEntries(recorded.players.map((player) => [player.seat, player.points])),
    category: recorded.players[0]!.rows.top.category,
    refused: refused.error?.code,
    status: closed.status,
    state: settlement.state,
    net: settlement.net,
    paid: settlement.transfers.map((transfer) => transfer.paid),
    other_net: Object.fromEntries(other.net.map((net) => [net.player, net.after])),
    imported: results
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).status),
  }),
);
