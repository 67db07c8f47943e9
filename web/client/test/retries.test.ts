import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { ApiError, Tablestakes, TablestakesError, TransportError, type RetryRules } from "tablestakes-client";
import { BUSY, CUT_OFF, DOWN, HANG, HTML, IN_USE, NOTHING, problem, reply, serve, type Step } from "./faulty_server.js";

const ROUND = { id: "1", status: "open" };
const OK = reply(200, ROUND);
const TEMPORARY: Record<string, Step> = { DOWN, HTML, NOTHING, CUT_OFF, BUSY, IN_USE };

function connect(url: string, retries: Partial<RetryRules> = {}): Tablestakes {
  return new Tablestakes({ url, key: "secret-key", retries: { firstPause: 1, ...retries } });
}

function isTransportError(message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof TransportError && message.test(error.message);
}

function getRound(api: Tablestakes, signal?: AbortSignal): Promise<unknown> {
  const options = { path: { round_id: "1" } };
  return api.get("/v1/rounds/{round_id}", signal === undefined ? options : { ...options, signal });
}

function addTable(api: Tablestakes, options: { idempotencyKey?: string | null } = {}): Promise<unknown> {
  return api.post("/v1/tables", { body: { name: "friday", ruleset: "pineapple" }, ...options });
}

for (const [name, fault] of Object.entries(TEMPORARY)) {
  test(`a read request is retried after ${name}`, async () => {
    const { url, received } = await serve(fault, fault, OK);
    assert.deepEqual(await getRound(connect(url)), ROUND);
    assert.deepEqual(received.map(({ target }) => target), Array(3).fill("GET /v1/rounds/1"));
    assert.equal(received[0]!.headers.authorization, "Bearer secret-key");
    assert.equal(received[0]!.headers["idempotency-key"], undefined);
  });

  test(`a post is retried with the same body and idempotency key after ${name}`, async () => {
    const { url, received } = await serve(fault, fault, OK);
    const api = connect(url);
    await addTable(api);
    assert.equal(received.length, 3);
    assert.equal(new Set(received.map(({ body }) => body)).size, 1);
    const keys = new Set(received.map(({ headers }) => headers["idempotency-key"]));
    assert.equal(keys.size, 1);
    assert.match(String([...keys][0]), /^[0-9a-f-]{36}$/);
    await addTable(api);
    assert.ok(!keys.has(received[3]!.headers["idempotency-key"]));
  });
}

test("a given idempotency key is sent, and null sends none", async () => {
  const { url, received } = await serve(OK);
  await addTable(connect(url), { idempotencyKey: "order-7" });
  await addTable(connect(url), { idempotencyKey: null });
  assert.deepEqual(received.map(({ headers }) => headers["idempotency-key"]), ["order-7", undefined]);
});

test("a refused request is not retried, and its error has the problem document", async () => {
  const { url, received } = await serve(problem(409, "hand-conflict"));
  const error = await addTable(connect(url)).catch((refused: unknown) => refused);
  assert.ok(error instanceof ApiError && error instanceof TablestakesError);
  assert.deepEqual([error.status, error.code, error.message], [409, "hand-conflict", "no: hand-conflict"]);
  assert.deepEqual([error.requestId, error.errors[0]?.pointer], ["7", "#/number"]);
  assert.equal(received.length, 1);
});

for (const [status, code] of [[429, "rate-limited"], [503, "busy-streams"]] as const) {
  test(`a ${status} is retried after the time that it states`, async () => {
    const { url, received } = await serve(problem(status, code, { "Retry-After": "1" }), OK);
    const started = performance.now();
    await getRound(connect(url));
    assert.ok(performance.now() - started >= 990);
    assert.equal(received.length, 2);
  });
}

test("a service that always asks to wait is reported after three waits", async () => {
  const { url, received } = await serve(problem(429, "rate-limited", { "Retry-After": "0" }));
  await assert.rejects(getRound(connect(url)), ApiError);
  assert.equal(received.length, 4);
});

for (const seconds of ["86400", "", "soon", "-1"]) {
  test(`a 429 with Retry-After '${seconds}' is reported at once`, async () => {
    const { url, received } = await serve(problem(429, "rate-limited", { "Retry-After": seconds }));
    await assert.rejects(getRound(connect(url)), { code: "rate-limited" });
    assert.equal(received.length, 1);
  });
}

test("retries end if the service stays down", async () => {
  const { url, received } = await serve(DOWN);
  await assert.rejects(getRound(connect(url)), isTransportError(/not available/));
  assert.equal(received.length, 4);
});

test("retries end if nothing listens at the address", async () => {
  const { url } = await serve(OK);
  const unused = url.replace(/\d+$/, "1");
  const expected = isTransportError(/does not respond \((connection refused|bad port)\); is the service running/);
  await assert.rejects(getRound(connect(unused)), expected);
});

/** Return a port on which nothing listens now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("a refused connection is retried until the service is back, and the reason is reported once", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "application/json").setHeader("Connection", "close").end(JSON.stringify(ROUND));
  });
  setTimeout(() => server.listen(Number(new URL(url).port), "127.0.0.1"), 3_000);
  const reasons: string[] = [];
  const api = new Tablestakes({ url, onWaiting: ({ message }) => reasons.push(message) });
  assert.deepEqual(await getRound(api), ROUND);
  assert.deepEqual(reasons, [`${url} does not respond (connection refused); is the service running there?`]);
  server.close();
});

test("a refused connection is an error after the time for retries, or at once where only one attempt is allowed", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const refused = isTransportError(/does not respond \(connection refused\)/);
  const started = performance.now();
  await assert.rejects(getRound(connect(url, { retryFor: 60_000, attempts: 1 })), refused);
  await assert.rejects(getRound(connect(url, { retryFor: 500, longestPause: 50 })), refused);
  assert.ok(performance.now() - started >= 500);
});

test("an attempt without a response is ended and retried", async () => {
  const { url, received } = await serve(HANG, OK);
  assert.deepEqual(await getRound(connect(url, { timeout: 300 })), ROUND);
  assert.equal(received.length, 2);
});

test("a signal cancels a call while it waits to retry", async () => {
  const { url, received } = await serve(DOWN);
  const controller = new AbortController();
  const call = getRound(connect(url, { firstPause: 60_000, longestPause: 60_000 }), controller.signal);
  while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  assert.equal(received.length, 1);
});

test("responses of another server are errors", async () => {
  const others = [
    { status: 200, type: "text/html", body: "<h1>Welcome</h1>" },
    { status: 404, type: "text/html", body: "<h1>Not here</h1>" },
    { status: 200, type: "application/json", body: "{" },
    { status: 400, type: "application/json", body: '{"code": 7}' },
    { status: 302, type: "text/plain", body: "", headers: { Location: "https://example.net/" } },
  ];
  for (const other of others) {
    const { url, received } = await serve(other);
    await assert.rejects(getRound(connect(url)), isTransportError(/not a response of Tablestakes/));
    assert.equal(received.length, 1);
  }
});

test("an address may have a path and end in a slash", async () => {
  const { url, received } = await serve(OK);
  await getRound(connect(`${url}/ofc/`));
  assert.equal(received[0]!.target, "GET /ofc/v1/rounds/1");
});

for (const url of ["localhost:8000", "127.0.0.1", "http://", "ftp://127.0.0.1", "x"]) {
  test(`'${url}' is refused as an address`, () => {
    assert.throws(() => connect(url), /is not the URL of a service/);
  });
}

test("an invalid key is refused, and the error does not show it", () => {
  for (const key of ["ключ", "two keys", "a\nb", ""]) {
    const isHidden = ({ message }: Error): boolean => key === "" || !message.includes(key);
    assert.throws(() => new Tablestakes({ key }), /expected one key/);
    assert.throws(() => new Tablestakes({ key }), isHidden);
  }
});

test("parameters of the path are quoted, and empty ones are refused", async () => {
  const { url, received } = await serve(OK);
  const api = connect(url);
  await api.get("/v1/rulesets/{reference}", { path: { reference: "../tables?" } });
  assert.equal(received[0]!.target, "GET /v1/rulesets/..%2Ftables%3F");
  await assert.rejects(api.get("/v1/rounds/{round_id}", { path: { round_id: "" } }), /'round_id' is required/);
});

test("a list is read page by page, with its filters", async () => {
  const page = (id: number, cursor: string | null) =>
    reply(200, { rounds: [{ id }], has_more: cursor !== null, next_cursor: cursor });
  const { url, received } = await serve(page(1, "next page"), page(2, null));
  const found = [];
  for await (const round of connect(url).list("/v1/rounds", { query: { status: "open" } })) found.push(round.id);
  assert.deepEqual(found, [1, 2]);
  assert.deepEqual(
    received.map(({ target }) => target),
    ["GET /v1/rounds?status=open", "GET /v1/rounds?status=open&cursor=next+page"],
  );
});

test("hands are sent in requests of at most 500 lines and 1 MiB", async () => {
  const lines = { status: 200, type: "application/x-ndjson", body: '{"line":1}\n{"line":2}\n' };
  const { url, received } = await serve(lines);
  const hand = { round: "1", number: 1, button: 1, players: [] };
  const results = await connect(url).recordHands(Array(501).fill(hand));
  assert.deepEqual(received.map(({ body }) => body.trim().split("\n").length), [500, 1]);
  assert.deepEqual(results.map(({ line }) => line), [1, 2, 3, 4]);
  const large = { ...hand, round: "x".repeat(400_000) };
  await connect(url).recordHands([large, large, large]);
  assert.deepEqual(received.slice(2).map(({ body }) => body.trim().split("\n").length), [2, 1]);
  assert.ok(received.every(({ headers }) => headers["idempotency-key"] === undefined));
  assert.deepEqual(await connect(url).recordHands([]), []);
});
