// What is owed at a table, read from the service while it responds, and stored for later.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Round, Table } from "../../../client/src/contract.js";
import type { Session } from "../../api/session.js";
import { readAccount } from "./reading.js";

/** How often the service is asked what was paid elsewhere, while who pays whom is shown, in milliseconds. */
const POLL_EVERY = 5_000;

interface Options {
  session: Session;
  table: Table;
  round: Round | null | undefined;
  /** How many payments wait to be sent. */
  payments: number;
  isOffline: boolean;
}

export interface AccountReader {
  /** Changes when other balances were stored. */
  version: number;
  read(): Promise<void>;
}

/** Read what is owed when a table is opened, a round has ended or changed since, payments were sent, and a network is back. */
export function useAccount({ session, table, round, payments, isOffline }: Options): AccountReader {
  const [version, setVersion] = useState(0);
  const latest = useRef<() => Promise<void>>(async () => undefined);
  latest.current = async () => {
    if (!isOffline && (await readAccount(session, table))) setVersion((last) => last + 1);
  };
  const ended = round && round.status !== "open" ? `${round.id} ${round.version}` : (round?.id ?? "");
  useEffect(() => {
    void latest.current();
  }, [session, table.id, ended, payments, isOffline]);
  return { version, read: () => latest.current() };
}

/** Read again and again, as long as what is owed is shown. */
export function usePolling({ read }: AccountReader): void {
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const poll = (): void => {
      if (document.visibilityState === "visible") void latest.current();
    };
    poll();
    const timer = setInterval(poll, POLL_EVERY);
    return () => clearInterval(timer);
  }, []);
}
