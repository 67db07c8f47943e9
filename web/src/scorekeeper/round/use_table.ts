// The table of the page as it is now: it can be changed for its next rounds, or archived, while the page is open.

import { useEffect, useRef } from "preact/hooks";
import type { Table } from "../../../client/src/contract.js";
import { TransportError } from "../../../client/src/errors.js";
import type { Session } from "../../api/session.js";
import { prepareTable } from "../local_rounds.js";
import { forgive } from "./scorekeepers.js";

/** How often the service is asked whether the table has changed, in milliseconds. */
const POLL_EVERY = 3_000;

interface Options {
  session: Session;
  table: Table;
  /** Whether the service does not respond, or accepts no requests with the secret. */
  isOffline: boolean;
  /** Whether the form that opens a round is shown: when it appears, the table is read at once. */
  isOpening: boolean;
  /** Receives the table when it has changed. */
  onTable(table: Table): void;
}

/** Follow the changes of a table, and store what is needed to open its next round without a network. */
export function useTable(options: Options): void {
  const { session, table, isOffline, isOpening } = options;
  const latest = useRef(options);
  latest.current = options;

  useEffect(() => {
    if (isOffline) return undefined;
    let tag: string | null = null;
    let isStopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async (): Promise<void> => {
      const headers: Record<string, string> = tag === null ? {} : { "If-None-Match": tag };
      const request = { path: { table_id: table.id }, headers };
      const { status, data, headers: received } = await session.client.send("get", "/v1/tables/{table_id}", request);
      if (status === 304 || isStopped) return;
      tag = received.get("ETag");
      if (JSON.stringify(data) !== JSON.stringify(latest.current.table)) latest.current.onTable(data);
    };
    const follow = async (): Promise<void> => {
      if (document.visibilityState === "visible") await poll().catch(forgive);
      if (!isStopped) timer = setTimeout(() => void follow(), POLL_EVERY);
    };
    void follow();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [session, table.id, isOffline, isOpening]);

  useEffect(() => {
    const controller = new AbortController();
    void prepareTable(session, table, controller.signal);
    return () => controller.abort(new TransportError("the table has changed"));
  }, [session, table]);
}
