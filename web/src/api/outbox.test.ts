import assert from "node:assert/strict";
import { test } from "node:test";
import { Tablestakes } from "../../client/src/client.js";
import { TransportError } from "../../client/src/errors.js";
import { sendAll, type Accepted, type Waiting } from "./outbox.js";

interface Sent {
  path: string;
  query: string;
  body: string;
  key: string;
}

type Reply = (sent: Sent) => Response | Error;

class Storage {
  constructor(readonly requests: Waiting[]) {}
  read = async (): Promise<Waiting[]> => [...this.requests];
  complete = async (completed: Waiting, { round }: Accepted): Promise<void> => {
    this.requests.splice(this.requests.findIndex((each) => each.id === completed.id), 1);
    if (completed.operation !== "open_round") return;
    for (const each of this.requests) if (each.round === completed.round) each.round = round.id;
  };
  change = async (changed: Waiting): Promise<void> => {
    this.requests.splice(this.requests.findIndex((each) => each.id === changed.id), 1, changed);
  };
  beginPayment = async ({ id }: Waiting): Promise<boolean> => this.requests.some((each) => each.id === id);
  completePayment = async (completed: Waiting, entry: string | null): Promise<void> => {
    this.requests.splice(this.requests.findIndex((each) => each.id === completed.id), 1);
    this.entries.push(entry);
  };
  readonly entries: (string | null)[] = [];
}

function waiting(id: number, round: string, changes: Partial<Waiting> = {}): Waiting {
  return {
    id,
    round,
    operation: "record_hand",
    table: { id: `table of ${round}`, name: "friday" },
    reference: null,
    body: JSON.stringify({ number: id }),
    idempotencyKey: `key-${id}`,
    label: `Hand ${id}`,
    storedAt: "2026-11-24T20:00:00Z",
    refusal: null,
    ...changes,
  };
}

function opening(id: number, round: string, table: string): Waiting {
  const body = JSON.stringify({ reference: `reference of ${round}` });
  return waiting(id, round, { operation: "open_round", table: { id: table, name: "friday" }, body });
}

function client(reply: Reply): { sent: Sent[]; api: Tablestakes } {
  const sent: Sent[] = [];
  const fetch = async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    const { pathname: path, search: query } = new URL(String(url));
    const request = { path, query, body: String(init?.body), key: headers.get("Idempotency-Key")! };
    sent.push(request);
    const response = reply(request);
    if (response instanceof Error) throw response;
    return response;
  };
  return { sent, api: new Tablestakes({ url: "http://service", key: "k", retries: { attempts: 1, waits: 0 }, fetch }) };
}

function json(status: number, body: object): Response {
  const type = status < 400 ? "application/json" : "application/problem+json";
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": type } });
}

const recorded: Reply = ({ path, body }) => {
  const [, , , id, verb] = path.split("/");
  const { number, reference } = JSON.parse(body) as { number?: number; reference?: string };
  if (verb === "rounds") return json(201, { id: `opened-${id}`, table: id, reference });
  return verb === "hands" ? json(201, { id: `hand ${number}`, number, in_force: true, round: { id } }) : json(201, { id });
};

function payment(id: number, changes: Partial<Waiting> = {}): Waiting {
  const body = JSON.stringify({ payer: "cyd", payee: "ann", unit: "EUR", amount: 40, reference: `reference ${id}` });
  const chain = { operation: "record_payment", table: { id: "t", name: "friday" }, reference: `reference ${id}` } as const;
  return waiting(id, `payment ${id}`, { ...chain, body, ...changes });
}

/** The service records every payment, with warnings or without. */
const recording = (...warnings: string[]): Reply => ({ path, body }) => {
  if (!path.startsWith("/v1/payments")) return recorded({ path, body, query: "", key: "" });
  const [, , , entry, verb] = path.split("/");
  if (verb === "reversal") return json(201, { id: "reversal", reverses: entry });
  const warned = warnings.map((code) => ({ pointer: "#/reference", code, detail: `detail of ${code}` }));
  return json(201, { id: "entry", ...(JSON.parse(body) as object), ...(warned.length > 0 ? { warnings: warned } : {}) });
};
const problem = (status: number, code: string): Response =>
  json(status, { type: "t", title: "t", code, status, detail: `detail of ${code}`, request_id: "1", errors: [] });

test("requests are sent in order with the stored bytes and keys, and removed", async () => {
  const storage = new Storage([waiting(1, "a"), waiting(2, "b"), waiting(3, "a")]);
  const { sent, api } = client(recorded);
  const result = await sendAll(api, storage);
  assert.equal(result.kind, "done");
  assert.deepEqual(result.rounds.map(({ id }) => id), ["a", "b"]);
  assert.deepEqual(sent.map(({ key, body }) => [key, body]), [1, 2, 3].map((id) => [`key-${id}`, `{"number":${id}}`]));
  assert.deepEqual(storage.requests, []);
});

test("a refusal stops its round, and no other", async () => {
  const storage = new Storage([waiting(1, "a"), waiting(2, "b"), waiting(3, "a")]);
  const { sent, api } = client((request) =>
    request.key === "key-1" ? problem(409, "hand-conflict") : recorded(request),
  );
  assert.equal((await sendAll(api, storage)).kind, "done");
  assert.deepEqual(sent.map(({ key }) => key), ["key-1", "key-2"]);
  assert.deepEqual(storage.requests.map(({ id, refusal }) => [id, refusal]), [[1, { code: "hand-conflict", details: ["Another hand is recorded under this number."] }], [3, null]]);
  await sendAll(api, storage);
  assert.equal(sent.length, 2, "a refused request is not sent again by itself");
});

const undone = (restores: string): Response => {
  const errors = [{ pointer: "#/restores", code: "hand-undone", detail: "d", expected: restores }];
  return json(409, { type: "t", title: "t", code: "hand-undone", status: 409, detail: "d", request_id: "1", errors });
};

test("a hand that was undone on this device and saved again counts again", async () => {
  const storage = new Storage([waiting(1, "a", { isRestoring: true }), waiting(2, "a")]);
  const { sent, api } = client((request) => (request.key === "key-1" ? undone("h1") : recorded(request)));
  assert.equal((await sendAll(api, storage)).kind, "done");
  assert.deepEqual(sent.map(({ body }) => body), ['{"number":1}', '{"number":1,"restores":"h1"}', '{"number":2}']);
  assert.notEqual(sent[1]!.key, "key-1");
  assert.deepEqual(storage.requests, []);
});

for (const [name, changes] of [
  ["a hand that somebody else has undone", {}],
  ["a hand whose record cannot count again", { isRestoring: true, body: '{"number":1,"restores":"h1"}' }],
] as const) {
  test(`${name} waits for a decision`, async () => {
    const storage = new Storage([waiting(1, "a", changes)]);
    const { sent, api } = client(() => undone("h1"));
    assert.equal((await sendAll(api, storage)).kind, "done");
    assert.equal(sent.length, 1);
    assert.deepEqual(storage.requests.map(({ refusal }) => [refusal?.code, refusal?.hand]), [["hand-undone", "h1"]]);
  });
}

for (const [name, reply] of [
  ["no network", () => new TypeError("failed to fetch")],
  ["a login page of a hotel", () => new Response("<html>", { headers: { "Content-Type": "text/html" } })],
  ["an unavailable service", () => problem(503, "unavailable")],
  ["a response to another request", () => json(201, { id: "hand 9", number: 9, in_force: true, round: { id: "a" } })],
] as [string, Reply][]) {
  test(`${name} leaves everything as it is`, async () => {
    const storage = new Storage([waiting(1, "a"), waiting(2, "b")]);
    const { sent, api } = client(reply);
    assert.equal((await sendAll(api, storage)).kind, "offline");
    assert.equal(sent.length, 1);
    assert.deepEqual(storage.requests, [waiting(1, "a"), waiting(2, "b")]);
  });
}

for (const [field, isTableChanged] of [["ruleset", true], ["point_value", true], ["seats/0/opening_stack", undefined]] as const) {
  test(`an opening with another ${field} than expected is ${isTableChanged ? "" : "not "}explained by a change of its table`, async () => {
    const storage = new Storage([opening(1, "new-a", "t")]);
    const errors = [{ pointer: `#/expected/${field}`, code: "expected-differs", detail: "1 is expected; the result is 2" }];
    const reply = { type: "t", title: "t", code: "expected-differs", status: 422, detail: "d", request_id: "1", errors };
    await sendAll(client(() => json(422, reply)).api, storage);
    const refusal = storage.requests[0]?.refusal;
    assert.equal(refusal?.isTableChanged, isTableChanged);
    assert.equal(refusal?.details[0]?.startsWith("The table was changed"), isTableChanged ?? false);
  });
}

test("a secret that is no longer valid refuses no request", async () => {
  const storage = new Storage([waiting(1, "a")]);
  const result = await sendAll(client(() => problem(401, "key-unknown")).api, storage);
  assert.equal(result.kind, "unauthorized");
  assert.deepEqual(storage.requests, [waiting(1, "a")]);
});

test("a secret that may not record says so", async () => {
  const storage = new Storage([waiting(1, "a")]);
  const result = await sendAll(client(() => problem(403, "scope-missing")).api, storage);
  assert.deepEqual(result, { kind: "unauthorized", rounds: [], detail: "This link or key does not allow this. Ask the person who gave it to you." });
  assert.deepEqual(storage.requests, [waiting(1, "a")]);
});

test("a limit of requests stops all that wait, and refuses none", async () => {
  const storage = new Storage([waiting(1, "a"), waiting(2, "b")]);
  const { sent, api } = client(() => problem(429, "rate-limited"));
  assert.equal((await sendAll(api, storage)).kind, "limited");
  assert.equal(sent.length, 1);
  assert.deepEqual(storage.requests, [waiting(1, "a"), waiting(2, "b")]);
});

test("a request that waits for a response ends with its signal", async () => {
  const storage = new Storage([waiting(1, "a")]);
  const controller = new AbortController();
  const fetch = (_: unknown, init?: RequestInit): Promise<Response> =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      controller.abort(new TransportError("the network has changed"));
    });
  const api = new Tablestakes({ url: "http://service", key: "k", retries: { attempts: 1, waits: 0 }, fetch: fetch as typeof globalThis.fetch });
  assert.equal((await sendAll(api, storage, controller.signal)).kind, "offline");
  assert.deepEqual(storage.requests, [waiting(1, "a")]);
});

test("a round that is locked, or fails on the server, waits alone", async () => {
  for (const reply of [problem(409, "busy"), problem(500, "internal-error")]) {
    const storage = new Storage([waiting(1, "a"), waiting(2, "b"), waiting(3, "a")]);
    const { sent, api } = client((request) => (request.key === "key-1" ? reply : recorded(request)));
    assert.equal((await sendAll(api, storage)).kind, "offline");
    assert.deepEqual(sent.map(({ key }) => key), ["key-1", "key-2"]);
    assert.deepEqual(storage.requests.map(({ id, refusal }) => [id, refusal]), [[1, null], [3, null]]);
  }
});

test("hands of a round that is opened are sent to the round of the service", async () => {
  const storage = new Storage([opening(1, "new-1", "t"), waiting(2, "new-1")]);
  const { sent, api } = client(recorded);
  assert.equal((await sendAll(api, storage)).kind, "done");
  assert.deepEqual(sent.map(({ path }) => path), ["/v1/tables/t/rounds", "/v1/rounds/opened-t/hands"]);
});

test("the next round of a table is opened after everything of its last one", async () => {
  const last = { table: { id: "t", name: "friday" } };
  const storage = new Storage([waiting(1, "a", last), opening(2, "new-1", "t"), waiting(3, "new-1", last), waiting(4, "b")]);
  const { sent, api } = client((request) =>
    request.key === "key-1" ? problem(422, "hand-invalid") : recorded(request),
  );
  assert.equal((await sendAll(api, storage)).kind, "done");
  assert.deepEqual(sent.map(({ key }) => key), ["key-1", "key-4"]);
});

test("a hand that was undone before is refused until it is restored", async () => {
  const storage = new Storage([waiting(1, "a")]);
  const errors = [{ pointer: "#/restores", code: "hand-undone", detail: "d", expected: "h" }];
  const undone = json(409, { title: "t", code: "hand-undone", detail: "d", errors });
  assert.equal((await sendAll(client(() => undone).api, storage)).kind, "done");
  assert.deepEqual([storage.requests[0]?.refusal?.code, storage.requests[0]?.refusal?.hand], ["hand-undone", "h"]);
});

test("a payment is sent after everything that was stored before it at its table, and holds up nothing", async () => {
  const at = { table: { id: "t", name: "friday" } };
  const requests = [waiting(1, "a", at), payment(2), opening(3, "new-1", "t"), payment(4, { table: { id: "other", name: "attic" } })];
  const { sent, api } = client((request) => (request.key === "key-1" ? problem(422, "hand-invalid") : recording()(request)));
  const storage = new Storage(requests);
  assert.equal((await sendAll(api, storage)).kind, "done");
  assert.deepEqual(sent.map(({ key, query }) => `${key}${query}`), ["key-1", "null?dry_run=true", "key-4"]);
  await storage.change({ ...storage.requests[0]!, refusal: null });
  const second = client(recording());
  assert.equal((await sendAll(second.api, storage)).kind, "done");
  assert.deepEqual(second.sent.map(({ key }) => key), ["key-1", null, "key-2", "key-3"]);
});

test("a payment of which the service warns is asked about, and recorded if it is wanted", async () => {
  const storage = new Storage([payment(1)]);
  const { sent, api } = client(recording("equal-payment", "more-than-owed"));
  assert.equal((await sendAll(api, storage)).kind, "done");
  assert.deepEqual(sent.map(({ query }) => query), ["?dry_run=true"]);
  assert.deepEqual(storage.requests[0]?.refusal, {
    code: "equal-payment",
    details: ["The same payment or charge was recorded before.", "This is more than was owed."],
    isQuestion: true,
    isElsewhere: true,
  });
  await storage.change({ ...storage.requests[0]!, refusal: null, isConfirmed: true });
  assert.equal((await sendAll(api, storage)).kind, "done");
  assert.deepEqual([sent.length, sent[1]?.query, storage.entries], [2, "", ["entry"]]);
});

test("a payment that was sent is sent again without a question", async () => {
  const storage = new Storage([payment(1, { isSent: true })]);
  const { sent, api } = client(recording("equal-payment"));
  await sendAll(api, storage);
  assert.deepEqual([sent.map(({ query }) => query), storage.entries], [[""], ["entry"]]);
});

test("a payment that somebody has taken back since it was sent does not count as recorded", async () => {
  const storage = new Storage([payment(1, { isSent: true })]);
  await sendAll(client(recording("payment-reversed")).api, storage);
  assert.deepEqual([storage.requests, storage.entries], [[], [null]]);
});

test("a payment that somebody has taken back for another reason is not taken back again", async () => {
  const storage = new Storage([payment(1, { operation: "reverse_payment", entry: "e", body: '{"reason":"x"}' })]);
  const { sent, api } = client(() => problem(409, "payment-conflict"));
  assert.equal((await sendAll(api, storage)).kind, "done");
  assert.deepEqual([sent[0]?.path, storage.requests, storage.entries], ["/v1/payments/e/reversal", [], [null]]);
});

test("a payment that the service refuses keeps the reason", async () => {
  const storage = new Storage([payment(1), payment(2)]);
  const { api } = client((request) => (request.body.includes("reference 1") ? problem(422, "request-invalid") : recording()(request)));
  assert.equal((await sendAll(api, storage)).kind, "done");
  assert.deepEqual(storage.requests.map(({ id, refusal }) => [id, refusal?.code]), [[1, "request-invalid"]]);
});
