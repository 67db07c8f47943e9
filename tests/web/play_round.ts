// Plays a round with the installed package, and prints its settlement.

import { ApiError, Tablestakes, type HandRequest } from "tablestakes-client";

const api = new Tablestakes({ url: process.env["OFC_URL"]!, key: process.env["OFC_API_KEY"]! });
const cards = (row: string): string[] => row.match(/../g) ?? [];

const table = await api.post("/v1/tables", { body: { name: `packed ${Date.now()}`, ruleset: "pineapple" } });
const seats = [
  { seat: 1, player: "ann", stack: 100 },
  { seat: 2, player: "ben", stack: 100 },
];
const round = await api.post("/v1/tables/{table_id}/rounds", { path: { table_id: table.id }, body: { seats } });
const path = { round_id: round.id };
const hand: HandRequest = {
  number: 1,
  button: 2,
  players: [
    { seat: 1, top: cards("QsQd4c"), middle: cards("KsKd9h8h3c"), bottom: cards("AhJh7h6h2h") },
    { seat: 2, top: cards("Ac8d2s"), middle: cards("TsTc5d5c6s"), bottom: cards("7s7d7cJdJs") },
  ],
};
await api.post("/v1/rounds/{round_id}/hands", { path, body: hand });
const refused = await api
  .post("/v1/rounds/{round_id}/hands", { path, body: { ...hand, number: 9, dealt_again: true } })
  .catch((error: unknown) => (error instanceof ApiError ? error.code : error));
await api.post("/v1/rounds/{round_id}/close", { path, body: { reason: "late" } });
const { net, state, transfers } = await api.get("/v1/rounds/{round_id}/settlement", { path });
console.log(JSON.stringify({ net, paid: transfers.map(({ paid }) => paid), state, refused }));
