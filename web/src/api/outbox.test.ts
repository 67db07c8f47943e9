import assert from "node:assert/strict";
import { test } from "node:test";
import { Tablestakes } from "../../client/src/client.js";
import { sendAll, type Waiting } from "./outbox.js";

interface Sent {
  path: string;
  body: string;
  key: string;
}

type Reply = (sent: Sent) => Response | Error;

class Storage {
  constructor(readonly requests: Waiting[]) {}
  read = async (): Promise<Waiting[]> => [...this.requests];
  remove = async (id: number): Promise<void> => {
    this.requests.splice(this.requests.findIndex((each) => each.id === id), 1);
  };
  change = async (changed: Waiting): Promise<void> => {
    this.requests.splice(this.requests.findIndex((each) => each.id === changed.id), 1, changed);
  };
}

function waiting(id: number, round: string): Waiting {
  const body = JSON.stringify({ number: id });
  return { id, round, path: `/v1/rounds/${round}/hands`, body, idempotencyKey: `key-${id}`, label: `Hand ${id}`, refusal: null };
}

function client(reply: Reply): { sent: Sent[]; api: Tablestakes } {
  const sent: Sent[] = [];
  const fetch = async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    const request = { path: new URL(String(url)).pathname, body: String(init?.body), key: headers.get("Idempotency-Key")! };
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

const recorded: Reply = ({ path }) => json(201, { round: { id: path.split("/")[3] } });
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
  assert.deepEqual(storage.requests.map(({ id, refusal }) => [id, refusal]), [[1, ["detail of hand-conflict"]], [3, null]]);
  await sendAll(api, storage);
  assert.equal(sent.length, 2, "a refused request is not sent again by itself");
});

for (const [name, reply] of [
  ["no network", () => new TypeError("failed to fetch")],
  ["a login page of a hotel", () => new Response("<html>", { headers: { "Content-Type": "text/html" } })],
  ["an unavailable service", () => problem(503, "unavailable")],
  ["a locked round", () => problem(409, "busy")],
] as [string, Reply][]) {
  test(`${name} leaves everything as it is`, async () => {
    const storage = new Storage([waiting(1, "a"), waiting(2, "b")]);
    const { sent, api } = client(reply);
    assert.equal((await sendAll(api, storage)).kind, "offline");
    assert.equal(sent.length, 1);
    assert.deepEqual(storage.requests, [waiting(1, "a"), waiting(2, "b")]);
  });
}

test("a secret that is not valid any more refuses no request", async () => {
  const storage = new Storage([waiting(1, "a")]);
  const result = await sendAll(client(() => problem(401, "key-unknown")).api, storage);
  assert.equal(result.kind, "unauthorized");
  assert.deepEqual(storage.requests, [waiting(1, "a")]);
});
