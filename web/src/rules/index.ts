// The rules of the service in the page: the same Python files as on the server, in a worker. No rule is written here.

import type { Answer, Description, Progress, Message, ScoreResult, Unavailable } from "./messages.js";

export type * from "./messages.js";

/** Where the rules of this service are. */
const ADDRESS = "/static/rules/";

/** A round, with the documents that the service returns. */
export interface GivenRound {
  /** `GET /v1/rounds/{id}/document`, with any hands that are not recorded yet added as they will be sent. */
  document: object;
  /** `GET /v1/rulesets/{reference}`. */
  ruleset: object;
}

export interface Rules {
  /** Return which rules run, once they are loaded. */
  describe(): Promise<Description | Unavailable>;
  /** Score the next hand of a round: a request to record it, complete or not. It waits until the rules are loaded. */
  score(round: GivenRound, hand: unknown): Promise<ScoreResult>;
  /** End the worker. */
  stop(): void;
}

/** Start to load the rules in the background. Nothing here throws: what fails is the result `unavailable`. */
export function startRules(onProgress: (progress: Progress) => void, address: string = ADDRESS): Rules {
  const base = new URL(address, location.href).href;
  return new WorkerRules(new Worker(`${base}worker.js`, { type: "module", name: "rules" }), base, onProgress);
}

class WorkerRules implements Rules {
  private readonly description: Promise<Description | Unavailable>;
  private readonly waiting = new Map<number, (result: ScoreResult) => void>();
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
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.receive(data));
    worker.addEventListener("error", ({ message }) => this.fail("failed", message || "the worker could not be started"));
    worker.addEventListener("messageerror", () => this.fail("failed", "a message of the worker could not be read"));
    this.send({ kind: "start", address });
  }

  describe(): Promise<Description | Unavailable> {
    return this.description;
  }

  score(round: GivenRound, hand: unknown): Promise<ScoreResult> {
    if (this.failure !== null) return Promise.resolve(this.failure);
    const id = (this.lastId += 1);
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.send({ kind: "score", id, round: JSON.stringify(round), hand: JSON.stringify(hand) ?? "" });
    });
  }

  stop(): void {
    this.worker.terminate();
    this.fail("failed", "the worker was stopped");
  }

  private send(request: Message): void {
    this.worker.postMessage(request);
  }

  private receive(answer: Answer): void {
    switch (answer.kind) {
      case "progress":
        this.onProgress({ loaded: answer.loaded, total: answer.total });
        break;
      case "ready":
        this.describeAs(answer.description);
        break;
      case "unavailable":
        this.fail(answer.reason, answer.detail);
        break;
      case "scored":
        this.resolve(answer.id, JSON.parse(answer.result) as ScoreResult);
        break;
      case "failed":
        this.resolve(answer.id, { kind: "unavailable", reason: "failed", detail: answer.detail });
    }
  }

  private resolve(id: number, result: ScoreResult): void {
    this.waiting.get(id)?.(result);
    this.waiting.delete(id);
  }

  /** Answer everything that waits, and everything that comes later, with the failure. */
  private fail(reason: Unavailable["reason"], detail: string): void {
    this.failure ??= { kind: "unavailable", reason, detail };
    this.describeAs(this.failure);
    for (const id of [...this.waiting.keys()]) this.resolve(id, this.failure);
  }
}
