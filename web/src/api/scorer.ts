// Where the result of a hand comes from before it is recorded.

import type { Tablestakes } from "../../client/src/client.js";
import type { HandRequest, RecordedHandWithRound, Round } from "../../client/src/contract.js";
import { ApiError, TransportError } from "../../client/src/errors.js";
import { describeProblem, type Context } from "./sentences.js";

/** The code of a hand whose number another hand has. */
export const CONFLICT = "hand-conflict";
/** The code of a hand that was recorded before and undone. */
export const HAND_UNDONE = "hand-undone";

/** The parts of a result that the page shows. */
export type Score = Pick<RecordedHandWithRound, "players" | "exchanges" | "transfers" | "stacks"> & {
  round: Pick<Round, "stakes_scope" | "status" | "seats" | "next">;
};

export type ScoreResult =
  | { kind: "scored"; score: Score }
  | { kind: "refused"; details: string[] }
  /** Another hand is recorded under the number. Saving this one compares them. */
  | { kind: "conflict" }
  | { kind: "unavailable" };

/** Scores a hand as it would be recorded next. `unavailable` lets the page ask the next scorer. */
export interface HandScorer {
  score(round: Round, hand: HandRequest, signal: AbortSignal): Promise<ScoreResult>;
}

/** Return every mistake of a refusal, in words. */
export function describeRefusal(error: ApiError, context?: Context): string[] {
  return describeProblem(error.problem, context);
}

/** Return what the sentences about a hand of a round name. */
export function contextOf(round: Pick<Round, "seats">, body?: unknown): Context {
  return { names: new Map(round.seats.map(({ seat, player }) => [seat, player])), body };
}

/** Return the record of a hand that was recorded before and undone, or null if the refusal is another one. */
export function findUndone(error: ApiError): string | null {
  const expected = error.code === HAND_UNDONE ? error.errors[0]?.expected : null;
  return typeof expected === "string" ? expected : null;
}

/** Scores with a dry run of the service. */
export class ServiceScorer implements HandScorer {
  constructor(private readonly client: Tablestakes) {}

  async score(round: Round, hand: HandRequest, signal: AbortSignal): Promise<ScoreResult> {
    try {
      const options = { path: { round_id: round.id }, query: { dry_run: true }, body: hand, signal, idempotencyKey: null };
      return { kind: "scored", score: await this.client.post("/v1/rounds/{round_id}/hands", options) };
    } catch (error) {
      if (error instanceof ApiError && error.code === CONFLICT) return { kind: "conflict" };
      const restores = error instanceof ApiError ? findUndone(error) : null;
      // The result of a hand that counts again. Whether it shall is asked when it is saved.
      if (restores !== null && restores !== hand.restores) return this.score(round, { ...hand, restores }, signal);
      if (error instanceof ApiError) return { kind: "refused", details: describeRefusal(error, contextOf(round, hand)) };
      if (error instanceof TransportError) return { kind: "unavailable" };
      throw error;
    }
  }
}

/** Return the result of the first scorer that has one. */
export async function scoreWith(
  scorers: HandScorer[],
  round: Round,
  hand: HandRequest,
  signal: AbortSignal,
): Promise<ScoreResult> {
  for (const scorer of scorers) {
    const result = await scorer.score(round, hand, signal);
    if (result.kind !== "unavailable") return result;
  }
  return { kind: "unavailable" };
}
