// Requests of a panel: one at a time, with its problem in words.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../../client/src/contract.js";
import { ApiError, TransportError } from "../../../client/src/errors.js";
import { makeId } from "../../../client/src/ids.js";
import { describeRefusal } from "../../api/scorer.js";
import { describeProblem, type Context } from "../../api/sentences.js";
import { gettext } from "../../language/gettext.js";

export interface Requests {
  isBusy: boolean;
  problem: string[] | null;
  /** The code with which the service refused the last request. */
  code: string | null;
  /** Run a request, and return its result; undefined if the service refused it or did not respond. */
  run<T>(request: () => Promise<T>, context?: Context): Promise<T | undefined>;
}

/** Whether the service responds, as far as the page knows; and what finds out that it does not. */
export interface Connection {
  isOffline: boolean;
  onOffline(): void;
}

/** Return how often the service has responded again: what could not be read is then read again. */
export function useReturns({ isOffline }: Connection): number {
  const [returns, setReturns] = useState(0);
  const wasOffline = useRef(isOffline);
  useEffect(() => {
    if (wasOffline.current && !isOffline) setReturns((last) => last + 1);
    wasOffline.current = isOffline;
  }, [isOffline]);
  return returns;
}

/** Return what runs the requests of a panel. */
export function useRequests(connection?: Connection): Requests {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string[] | null>(null);
  const [code, setCode] = useState<string | null>(null);
  const last = useRef(0);
  const run = async <T,>(request: () => Promise<T>, context?: Context): Promise<T | undefined> => {
    const id = (last.current += 1);
    setBusy(true);
    setProblem(null);
    setCode(null);
    try {
      const result = await request();
      return id === last.current ? result : undefined;
    } catch (error) {
      const details = explain(error, context);
      if (error instanceof TransportError) connection?.onOffline();
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

/** Why something failed, in words, with the places of the request that are wrong, if there is one for each detail. */
export interface Failure {
  details: string[];
  pointers?: string[];
}

/** Return why the rules or the service refuse a request. */
export function fail(problem: Pick<Problem, "code" | "detail" | "errors">, context?: Context): Failure {
  const details = describeProblem(problem, context);
  const pointers = (problem.errors ?? []).map(({ pointer }) => pointer);
  return pointers.length === details.length ? { details, pointers } : { details };
}

/** Return why a request failed, in words. */
export function explain(error: unknown, context?: Context): string[] {
  if (error instanceof TransportError) return [gettext("The service does not respond. Try again when it does; nothing is recorded twice.")];
  if (error instanceof ApiError) return describeRefusal(error, context);
  throw error;
}
