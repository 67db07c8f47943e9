import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { sendEarly, takeEarly } from "./early.js";

const SERVICE = "http://service.test";
const HEADERS = { Authorization: "Bearer ofc_link_a" };
const LINK = `${SERVICE}/v1/link`;
const TABLES = `${SERVICE}/v1/tables`;

/** How the service responds; each request that was sent. */
let respond: (path: string) => Promise<Response>;
let sent: { path: string; options: RequestInit }[];

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  sent = [];
  respond = async (path) => new Response(path, { headers: { "Request-Id": "1" } });
  const fetched = (path: string, options: RequestInit): Promise<Response> => {
    sent.push({ path, options });
    return respond(path);
  };
  Object.assign(globalThis, { location: { origin: SERVICE }, fetch: fetched, early: undefined });
});

function take(url: string, options: RequestInit = {}): Promise<Response> | undefined {
  return takeEarly(url, { method: "GET", headers: HEADERS, ...options });
}

test("a response is taken once, by who has sent its secret", async () => {
  sendEarly("ofc_link_a");
  assert.deepEqual(sent.map(({ path }) => path), ["/v1/link", "/v1/tables", "/v1/rounds?limit=5"]);
  assert.equal(take(LINK, { headers: { Authorization: "Bearer ofc_link_b" } }), undefined);
  assert.equal(take(LINK, { headers: {} }), undefined);
  assert.equal(take(`${SERVICE}/v1/rounds?limit=50`), undefined);
  const response = await take(LINK);
  assert.equal(await response?.text(), "/v1/link");
  assert.equal(response?.headers.get("Request-Id"), "1");
  assert.equal(take(LINK), undefined);
});

test("nothing is taken after the page has changed something, or after a while", () => {
  sendEarly("ofc_link_a");
  assert.equal(take(`${SERVICE}/v1/rounds/1/hands`, { method: "POST" }), undefined);
  assert.equal(take(LINK), undefined);
  sendEarly("ofc_link_a");
  mock.timers.tick(10_000);
  assert.equal(take(LINK), undefined);
});

test("what has failed is sent again", async () => {
  respond = async (path) => {
    if (path === "/v1/link") throw new TypeError("no network");
    return new Response(path);
  };
  sendEarly("ofc_link_a");
  await new Promise(setImmediate);
  assert.equal(take(LINK), undefined);
  assert.notEqual(take(TABLES), undefined);
});

test("who has waited for one response in vain waits for no other one", async () => {
  respond = () => new Promise(() => undefined);
  sendEarly("ofc_link_a");
  const abort = new AbortController();
  const waiting = take(LINK, { signal: abort.signal });
  abort.abort(new Error("too late"));
  await assert.rejects(waiting!, /too late/);
  assert.equal(take(TABLES), undefined);
});

test("a response whose end does not arrive is not waited for without an end", async () => {
  const endless = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([1])) });
  respond = async () => new Response(endless);
  sendEarly("ofc_link_a");
  const abort = new AbortController();
  const waiting = take(LINK, { signal: abort.signal });
  await new Promise(setImmediate);
  abort.abort(new Error("too late"));
  await assert.rejects(waiting!, /too late/);
});
