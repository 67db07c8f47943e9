// The worker that runs the rules: it loads Python from its own origin, and processes one request after the other.

import type { Message, Progress, Unavailable, WorkerMessage } from "./messages.js";
import { ARCHIVE, PythonRules, WrongDigest, type LoadPyodide, type Manifest } from "./python.js";

interface WorkerScope {
  fetch: typeof fetch;
  postMessage(message: WorkerMessage): void;
  addEventListener(type: "message", listen: (event: MessageEvent<Message>) => void): void;
}

const MANIFEST = "manifest.json";

const scope = globalThis as unknown as WorkerScope;
let rules: Promise<PythonRules> | undefined;

/** Counts the bytes of the files as the network delivers them: compressed ones by their compressed size. */
class Counter {
  private readonly loaded = new Map<string, number>();
  private readonly sizes: Map<string, number>;

  constructor(private readonly manifest: Manifest) {
    this.sizes = new Map(Object.entries(manifest.files).map(([name, { gzip }]) => [name, gzip]));
  }

  /** Read a file, and count its bytes meanwhile. */
  async read(name: string, response: Response): Promise<Uint8Array> {
    const file = this.manifest.files[name]!;
    const size = response.headers.has("Content-Encoding") ? file.gzip : file.bytes;
    this.sizes.set(name, size);
    const content = new Uint8Array(file.bytes);
    const reader = response.body!.getReader();
    for (let position = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return content;
      if (position + value.length > file.bytes) throw new WrongDigest(`${name} is longer than ${file.bytes} bytes`);
      content.set(value, position);
      position += value.length;
      this.report(name, Math.round((position * size) / file.bytes));
    }
  }

  private report(name: string, bytes: number): void {
    this.loaded.set(name, Math.max(bytes, this.loaded.get(name) ?? 0));
    const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
    const progress: Progress = { loaded: sum(this.loaded.values()), total: sum(this.sizes.values()) };
    scope.postMessage({ kind: "progress", ...progress });
  }
}

async function read(address: string): Promise<Response> {
  // The page sends and reads meanwhile: what somebody waits for comes first.
  const response = await scope.fetch(address, { priority: "low" });
  if (!response.ok) throw new Error(`${address} responded ${response.status}`);
  return response;
}

async function load(address: string): Promise<PythonRules> {
  const manifest = (await (await read(address + MANIFEST)).json()) as Manifest;
  const counter = new Counter(manifest);
  // Pyodide loads its files again, from the browser's cache: only what comes unchanged from there is compiled already.
  const contents = await Promise.all(
    Object.keys(manifest.files).map(async (name) => [name, await counter.read(name, await read(address + name))] as const),
  );
  const archive = new Map(contents).get(ARCHIVE)!;
  const { loadPyodide } = (await import(/* @vite-ignore */ `${address}pyodide.mjs`)) as { loadPyodide: LoadPyodide };
  const pyodide = await loadPyodide({ indexURL: address });
  return PythonRules.start(pyodide, manifest, archive);
}

function explain(error: unknown): Unavailable {
  const detail = error instanceof Error ? error.message : String(error);
  return { kind: "unavailable", reason: error instanceof WrongDigest ? "wrong_digest" : "not_loaded", detail };
}

function compute({ score, replay, settle, readTyped }: PythonRules, request: Exclude<Message, { kind: "start" }>): string {
  switch (request.kind) {
    case "score":
      return score(request.round, request.hand);
    case "replay":
      return replay(request.round);
    case "settle":
      return settle(request.held);
    case "read":
      return readTyped(request.typed);
  }
}

async function process(request: Message): Promise<void> {
  if (request.kind === "start") {
    rules ??= load(request.address);
    try {
      scope.postMessage({ kind: "ready", description: (await rules).description });
    } catch (error) {
      scope.postMessage(explain(error));
    }
    return;
  }
  try {
    if (rules === undefined) throw new Error("the worker was not started");
    scope.postMessage({ kind: "scored", id: request.id, result: compute(await rules, request) });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    scope.postMessage({ kind: "failed", id: request.id, detail });
  }
}

scope.addEventListener("message", ({ data }) => void process(data));
