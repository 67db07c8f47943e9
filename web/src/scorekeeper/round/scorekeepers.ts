// Who is entering a hand: this device reports it, and shows the others.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Scorekeeper, Table } from "../../../client/src/contract.js";
import { TablestakesError } from "../../../client/src/errors.js";
import { makeId } from "../../../client/src/ids.js";
import type { Session } from "../../api/session.js";
import { gettext } from "../../language/gettext.js";

const DEVICE = makeId();
/** An entry of the service expires after 10 seconds. */
const REPORT_EVERY = 4_000;
const POLL_EVERY = 2_000;

/** Report the number of the hand that is entered here, if any, and return the other devices that enter one. */
export function useScorekeepers(session: Session, table: Table, hand: number | null, isOffline: boolean): Scorekeeper[] {
  const [others, setOthers] = useState<Scorekeeper[]>([]);
  const latest = useRef({ isOffline });
  latest.current = { isOffline };
  const { client } = session;
  const isVisible = (): boolean => document.visibilityState === "visible" && !latest.current.isOffline;

  useEffect(() => {
    if (hand === null) return undefined;
    const path = { table_id: table.id, device_id: DEVICE };
    const report = (): void => {
      if (isVisible()) ignoreFailure(client.put("/v1/tables/{table_id}/scorekeepers/{device_id}", { path, body: { hand } }));
    };
    report();
    const timer = setInterval(report, REPORT_EVERY);
    return () => {
      clearInterval(timer);
      if (isVisible()) ignoreFailure(client.delete("/v1/tables/{table_id}/scorekeepers/{device_id}", { path }));
    };
  }, [client, table.id, hand]);

  useEffect(() => {
    let tag: string | null = null;
    let isStopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async (): Promise<void> => {
      const headers: Record<string, string> = tag === null ? {} : { "If-None-Match": tag };
      const options = { path: { table_id: table.id }, headers };
      const { status, data, headers: received } = await client.send("get", "/v1/tables/{table_id}/scorekeepers", options);
      tag = received.get("ETag");
      if (status !== 304 && !isStopped) setOthers(data.scorekeepers.filter(({ device }) => device !== DEVICE));
    };
    const follow = async (): Promise<void> => {
      if (isVisible()) await poll().catch(forgive);
      else setOthers([]);
      if (!isStopped) timer = setTimeout(() => void follow(), POLL_EVERY);
    };
    void follow();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [client, table.id]);
  return others;
}

/** Return who is entering which hand, in words, or null if nobody is. */
export function describeScorekeepers(others: Scorekeeper[]): string | null {
  const parts = others.map(({ label, hand }) => gettext("%(scorekeeper)s is entering hand %(hand)s", { scorekeeper: label, hand }));
  return parts.length === 0 ? null : parts.join("; ");
}

/** What is shown is of the moment: a failure is not worth a word. */
function ignoreFailure(request: Promise<unknown>): void {
  request.catch(forgive);
}

/** Ignore that a request failed; anything else is thrown. */
export function forgive(error: unknown): void {
  if (!(error instanceof TablestakesError)) throw error;
}
