import type { FieldError, Problem } from "./contract.js";

/** The base of all errors of the client. */
export class TablestakesError extends Error {
  override name = "TablestakesError";
}

/** The service refused a request. `problem` is its problem document. */
export class ApiError extends TablestakesError {
  override name = "ApiError";

  constructor(readonly problem: Problem) {
    super(problem.detail);
  }

  /** The HTTP status. */
  get status(): number {
    return this.problem.status;
  }

  /** The stable code of the problem, for example `hand-conflict`. */
  get code(): string {
    return this.problem.code;
  }

  /** Every error found in the request, each with a JSON pointer to its place. */
  get errors(): FieldError[] {
    return this.problem.errors ?? [];
  }

  /** The ID of the request, as in the log of the service. */
  get requestId(): string {
    return this.problem.request_id;
  }
}

/** The service did not respond, also after retries, or another server did. The request may have taken effect. */
export class TransportError extends TablestakesError {
  override name = "TransportError";
}

/** Return the problem document that a body contains, or undefined if another server sent it. */
export function parseProblem(status: number, body: string): Problem | undefined {
  let found: Partial<Problem> | null;
  try {
    found = JSON.parse(body) as Partial<Problem> | null;
  } catch {
    return undefined;
  }
  const isProblem =
    typeof found?.title === "string" && typeof found.code === "string" && typeof found.detail === "string";
  return isProblem ? ({ errors: [], request_id: "", ...found, status } as unknown as Problem) : undefined;
}
