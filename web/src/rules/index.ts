// The rules of the service in the page: the same Python files as on the server, in a worker. No rule is written here.

import type {
  Description, HeldBalances, Message, Progress, ReplayResult, ScoreResult, SettleResult, TypedResult, TypedText, Unavailable,
  WorkerMessage,
} from "./messages.js";

export type * from "./messages.js";

/** Where the rules of this service are. */
const ADDRESS = "/static/rules/";

/** A round, with the documents that the service returns. */
export interface GivenRound {
  /** `GET /v1/rounds/{id}/document`. */
  document: object;
  /** `GET /v1/rulesets/{reference}`. */
  ruleset: object;
  /** What was requested since, in order. */
  requests?: { operation: string; body: object }[];
  /** The number of a hand: only what was played before it counts. */
  before?: number;
}

export interface Rules {
  /** Return which rules run, once they are loaded. */
  describe(): Promise<Description | Unavailable>;
  /** Score the next hand of a round: a request to record it, complete or not. It waits until the rules are loaded. */
  score(round: GivenRound, hand: unknown): Promise<ScoreResult>;
  /** Return a round as the service will show it. It waits until the rules are loaded. */
  replay(round: GivenRound): Promise<ReplayResult>;
  /** Return who owes whom with what waits on the device, and the payments that settle it. It waits until the rules are loaded. */
  settle(held: HeldBalances): Promise<SettleResult>;
  /** Return the cards that a text names. It waits until the rules are loaded. */
  read(typed: TypedText): Promise<TypedResult>;
  /** End the worker. */
  stop(): void;
}

/** Start to load the rules in the background. Nothing here throws: what fails is the result `unavailable`. */
export function startRules(onProgress: (progress: Progress) => void, address: string = ADDRESS): Rules {
  const base = new URL(address, location.href).href;
  return new WorkerRules(new Worker(`${base}worker.js`, { type: "module", name: "rules" }), base, onProgress);
}

type Result = ScoreResult | ReplayResult | SettleResult | TypedResult;

class WorkerRules implements Rules {
  private readonly description: Promise<Description | Unavailable>;
  private readonly waiting = new Map<number, (result: Result) => void>();
  private readonly describeAs: (description: Description | Unavailable) => void;
  private failure: Unavailable | null = null;
  private lastId = 0;

  constructor(
    private readonly worker: Worker,
    address: string,
    private readonly onProgress: (progress: Progress) => void,
  ) {
    let resolve!: (description: Description | Unavailable) => void;
    this.description = new Promise((done) => (resolve = done));
    this.describeAs = resolve;
    worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => this.receive(data));
    worker.addEventListener("error", ({ message }) => this.fail("failed", message || "the worker could not be started"));
    worker.addEventListener("messageerror", () => this.fail("failed", "a message of the worker could not be read"));
    this.send({ kind: "start", address });
  }

  describe(): Promise<Description | Unavailable> {
    return this.description;
  }

  score(round: GivenRound, hand: unknown): Promise<ScoreResult> {
    const texts = { round: JSON.stringify(round), hand: JSON.stringify(hand) ?? "" };
    return this.ask((id) => ({ kind: "score", id, ...texts })) as Promise<ScoreResult>;
  }

  replay(round: GivenRound): Promise<ReplayResult> {
    return this.ask((id) => ({ kind: "replay", id, round: JSON.stringify(round) })) as Promise<ReplayResult>;
  }

  settle(held: HeldBalances): Promise<SettleResult> {
    return this.ask((id) => ({ kind: "settle", id, held: JSON.stringify(held) })) as Promise<SettleResult>;
  }

  read(typed: TypedText): Promise<TypedResult> {
    return this.ask((id) => ({ kind: "read", id, typed: JSON.stringify(typed) })) as Promise<TypedResult>;
  }

  private ask(build: (id: number) => Message): Promise<Result> {
    if (this.failure !== null) return Promise.resolve(this.failure);
    const id = (this.lastId += 1);
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.send(build(id));
    });
  }

  stop(): void {
    this.worker.terminate();
    this.fail("failed", "the worker was stopped");
  }

  private send(request: Message): void {
    this.worker.postMessage(request);
  }

  private receive(message: WorkerMessage): void {
    switch (message.kind) {
      case "progress":
        this.onProgress({ loaded: message.loaded, total: message.total });
        break;
      case "ready":
        this.describeAs(message.description);
        break;
      case "unavailable":
        this.fail(message.reason, message.detail);
        break;
      case "scored":
        this.resolve(message.id, JSON.parse(message.result) as Result);
        break;
      case "failed":
        this.resolve(message.id, { kind: "unavailable", reason: "failed", detail: message.detail });
    }
  }

  private resolve(id: number, result: Result): void {
    this.waiting.get(id)?.(result);
    this.waiting.delete(id);
  }

  /** Resolve every waiting and every later request with the failure. */
  private fail(reason: Unavailable["reason"], detail: string): void {
    this.failure ??= { kind: "unavailable", reason, detail };
    this.describeAs(this.failure);
    for (const id of [...this.waiting.keys()]) this.resolve(id, this.failure);
  }
}
