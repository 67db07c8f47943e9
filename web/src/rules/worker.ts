// The worker that runs the rules: it loads Python from its own origin, and answers one request after the other.

import type { Answer, Message, Progress, Unavailable } from "./messages.js";
import { ARCHIVE, PythonRules, WrongDigest, type LoadPyodide, type Manifest } from "./python.js";

interface WorkerScope {
  fetch: typeof fetch;
  postMessage(message: Answer): void;
  addEventListener(type: "message", listen: (event: MessageEvent<Message>) => void): void;
}

const MANIFEST = "manifest.json";
/** The module that the browser imports itself, so that its bytes cannot be counted: it is fetched into the cache before. */
const IMPORTED = "pyodide.asm.mjs";

const scope = globalThis as unknown as WorkerScope;
const fetchUncounted = scope.fetch.bind(scope);
let rules: Promise<PythonRules> | undefined;

/** Counts the bytes of the files as the network delivers them: compressed ones by their compressed size. */
class Counter {
  private readonly loaded = new Map<string, number>();
  private readonly sizes: Map<string, number>;

  constructor(private readonly manifest: Manifest) {
    this.sizes = new Map(Object.entries(manifest.files).map(([name, { gzip }]) => [name, gzip]));
  }

  /** Return a response whose body is counted while it is read. */
  count(name: string, response: Response): Response {
    const file = this.manifest.files[name];
    if (file === undefined || response.body === null) return response;
    const size = response.headers.has("Content-Encoding") ? file.gzip : file.bytes;
    this.sizes.set(name, size);
    let read = 0;
    const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (block, controller) => {
        read += block.length;
        this.report(name, Math.min(size, Math.round((read * size) / file.bytes)));
        controller.enqueue(block);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  }

  private report(name: string, bytes: number): void {
    this.loaded.set(name, Math.max(bytes, this.loaded.get(name) ?? 0));
    const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
    const progress: Progress = { loaded: sum(this.loaded.values()), total: sum(this.sizes.values()) };
    scope.postMessage({ kind: "progress", ...progress });
  }
}

async function read(address: string): Promise<Response> {
  const response = await scope.fetch(address);
  if (!response.ok) throw new Error(`${address} responded ${response.status}`);
  return response;
}

async function load(address: string): Promise<PythonRules> {
  const manifest = (await (await read(address + MANIFEST)).json()) as Manifest;
  const counter = new Counter(manifest);
  // Pyodide loads its files with `fetch` too.
  scope.fetch = async (input, options) => {
    const url = new URL(input instanceof Request ? input.url : input, address);
    return counter.count(url.pathname.split("/").at(-1) ?? "", await fetchUncounted(input, options));
  };
  const archive = read(address + ARCHIVE).then((response) => response.arrayBuffer());
  archive.catch(() => undefined); // reported when it is awaited
  await (await read(address + IMPORTED)).arrayBuffer();
  const { loadPyodide } = (await import(/* @vite-ignore */ `${address}pyodide.mjs`)) as { loadPyodide: LoadPyodide };
  const pyodide = await loadPyodide({ indexURL: address });
  scope.fetch = fetchUncounted;
  return PythonRules.start(pyodide, manifest, new Uint8Array(await archive));
}

function explain(error: unknown): Unavailable {
  const detail = error instanceof Error ? error.message : String(error);
  return { kind: "unavailable", reason: error instanceof WrongDigest ? "wrong_digest" : "not_loaded", detail };
}

async function answer(request: Message): Promise<void> {
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
    const result = (await rules).score(request.round, request.hand);
    scope.postMessage({ kind: "scored", id: request.id, result });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    scope.postMessage({ kind: "failed", id: request.id, detail });
  }
}

scope.addEventListener("message", ({ data }) => void answer(data));
