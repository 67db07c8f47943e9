// Requests of a panel: one at a time, with its problem in words.

import { useRef, useState } from "preact/hooks";
import { ApiError, TransportError } from "../../../client/src/errors.js";
import { makeId } from "../../../client/src/ids.js";
import { describeRefusal } from "../../api/scorer.js";

export interface Requests {
  isBusy: boolean;
  problem: string[] | null;
  /** The code with which the service refused the last request. */
  code: string | null;
  /** Run a request, and return its result; undefined if the service refused it or did not respond. */
  run<T>(request: () => Promise<T>): Promise<T | undefined>;
}

const NO_RESPONSE = "The service does not respond. Try again when it does; nothing is recorded twice.";

/** Return what runs the requests of a panel. */
export function useRequests(): Requests {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string[] | null>(null);
  const [code, setCode] = useState<string | null>(null);
  const last = useRef(0);
  const run = async <T,>(request: () => Promise<T>): Promise<T | undefined> => {
    const id = (last.current += 1);
    setBusy(true);
    setProblem(null);
    setCode(null);
    try {
      const result = await request();
      return id === last.current ? result : undefined;
    } catch (error) {
      const details = explain(error);
      if (id === last.current) {
        setProblem(details);
        setCode(error instanceof ApiError ? error.code : null);
      }
      return undefined;
    } finally {
      if (id === last.current) setBusy(false);
    }
  };
  return { isBusy, problem, code, run };
}

/** Return what returns the idempotency key of a body: the same body has the same key, and takes effect once. */
export function useKey(): (body: string) => string {
  const last = useRef({ body: "", key: "" });
  return (body) => {
    if (last.current.body !== body) last.current = { body, key: makeId() };
    return last.current.key;
  };
}

/** Return why a request failed, in words. */
export function explain(error: unknown): string[] {
  if (error instanceof TransportError) return [NO_RESPONSE];
  if (error instanceof ApiError) return describeRefusal(error);
  throw error;
}
