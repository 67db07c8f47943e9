// Calls that the compiler must refuse: an unused `@ts-expect-error` is an error of the compiler.

import { test } from "node:test";
import { Tablestakes, type LimitedBy, type Round } from "tablestakes-client";

const api = new Tablestakes();

export async function misuse(): Promise<void> {
  // @ts-expect-error: no operation has this path
  await api.get("/v1/rooms");
  // @ts-expect-error: the path has no PUT
  await api.put("/v1/tables", { body: { name: "friday", ruleset: "pineapple" } });
  // @ts-expect-error: the path has a parameter
  await api.get("/v1/rounds/{round_id}");
  // @ts-expect-error: the body is required
  await api.post("/v1/tables");
  // @ts-expect-error: `ruleset` is required
  await api.post("/v1/tables", { body: { name: "friday" } });
  // @ts-expect-error: the body has no field of this name
  await api.post("/v1/tables", { body: { name: "friday", ruleset: "pineapple", colour: "green" } });
  // @ts-expect-error: the operation has no parameter of this name
  await api.get("/v1/rounds", { query: { colour: "green" } });
  // @ts-expect-error: not a list
  api.list("/v1/club");
  // @ts-expect-error: a round has no field of this name
  (await api.get("/v1/rounds/{round_id}", { path: { round_id: "1" } })).colour;
}

export async function use(): Promise<void> {
  const round: Round = await api.get("/v1/rounds/{round_id}", { path: { round_id: "1" } });
  const settlement = await api.get("/v1/rounds/{round_id}/settlement", { path: { round_id: round.id } });
  const limits: (LimitedBy | null)[] = settlement.transfers.map((transfer) => transfer.limited_by);
  for await (const payment of api.list("/v1/ledger")) limits.push(payment.limited_by);
  const gone: undefined = await api.delete("/v1/keys/{key_id}", { path: { key_id: "1" } });
  const lines: string = await api.get("/v1/export");
  console.log(gone, lines);
}

test("misuse is refused by the compiler", () => {});
