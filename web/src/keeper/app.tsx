import { useEffect, useState } from "preact/hooks";
import type { Round, Table } from "../../client/src/contract.js";
import { ApiError, TablestakesError, TransportError } from "../../client/src/errors.js";
import { buildClient, connect, listTables, takeSecretFromAddress, type Session } from "../api/session.js";
import { Bar } from "./bar.js";
import { JoinScreen } from "./join.js";
import { useOutbox } from "./outbox.js";
import { useRules } from "./rules.js";
import { TableScreen } from "./round/table_screen.js";
import { forgetAll, readSetting, readTable, writeSetting } from "./storage.js";
import { TablesScreen } from "./tables.js";
import { UpdateNotice } from "./update.js";

/** The scorekeeper's page. */
export function App() {
  const [session, setSession] = useState<Session | null>(null);
  const [isStarting, setStarting] = useState(true);
  const [isBusy, setBusy] = useState(false);
  const [message, setMessage] = useState<string | null>(null);
  const [tables, setTables] = useState<Table[] | null>(null);
  const [table, setTable] = useState<Table | null>(null);
  const [isEntering, setEntering] = useState(false);
  const [received, setReceived] = useState<Round | null>(null);
  const loadedRules = useRules();
  const outbox = useOutbox(session, (rounds) => {
    setReceived(rounds.find((round) => round.table === table?.id) ?? null);
  });

  /** Open the table where the page was last, or the only one, or the list. */
  const enter = async (entered: Session): Promise<void> => {
    try {
      const listed = await listTables(entered);
      const location = await readSetting("location");
      setTables(listed);
      const last = listed.find(({ id }) => id === location?.table) ?? (listed.length === 1 ? listed[0] : undefined);
      setTable(last ?? null);
      setEntering(last !== undefined && last.id === location?.table && location?.isEntering === true);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      outbox.setOffline(true);
      const location = await readSetting("location");
      const cached = location && (await readTable(location.table));
      setTable(cached?.table ?? null);
      setEntering(cached !== undefined && location?.isEntering === true);
    }
    setSession(entered);
  };

  const join = async (secret: string, isStored: boolean): Promise<void> => {
    setBusy(true);
    setMessage(null);
    try {
      await enter(await connectOrUseOffline(secret));
      if (isStored) await writeSetting("secret", secret);
    } catch (error) {
      if (!(error instanceof TablestakesError)) throw error;
      setMessage(error instanceof ApiError ? describeJoin(error) : error.message);
      if (error instanceof ApiError) setSession(null);
    } finally {
      setBusy(false);
    }
  };

  /** Show the table where the page was, from what is stored, before the service responds. */
  const reopen = async (secret: string): Promise<void> => {
    const location = await readSetting("location");
    const cached = location && (await readTable(location.table));
    if (!cached) return;
    setTable(cached.table);
    setEntering(location.isEntering);
    setSession({ secret, client: buildClient(secret), link: null });
    setStarting(false);
  };

  useEffect(() => {
    const start = async (): Promise<void> => {
      const shared = takeSecretFromAddress();
      const secret = shared ?? (await readSetting("secret"));
      if (shared === undefined && secret !== undefined) await reopen(secret);
      if (secret !== undefined) await join(secret, shared !== undefined);
      setStarting(false);
    };
    void start();
    // A link opened while the page is open changes only the fragment.
    const follow = (): void => {
      const shared = takeSecretFromAddress();
      if (shared !== undefined) void join(shared, true);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);

  const goTo = (chosen: Table | null, entering: boolean): void => {
    setTable(chosen);
    setEntering(entering);
    void writeSetting("location", chosen === null ? null : { table: chosen.id, isEntering: entering });
  };
  const leaveTable = async (left: Session): Promise<void> => {
    goTo(null, false);
    if (tables !== null) return;
    try {
      setTables(await listTables(left));
    } catch (error) {
      if (!(error instanceof TablestakesError)) throw error;
      outbox.setOffline(error instanceof TransportError);
    }
  };
  const forget = async (): Promise<void> => {
    await forgetAll();
    setSession(null);
    setTable(null);
    setTables(null);
  };

  const status = describeStatus(outbox.isOffline, outbox.waiting.length);
  const update = <UpdateNotice isSafe={!isEntering} />;
  if (session !== null && table !== null) {
    const isOnlyTable = session.link?.table === table.id;
    return (
      <>
        {update}
        {outbox.blocked !== null && <p class="notice error" role="alert">{outbox.blocked}</p>}
        <TableScreen
          key={table.id}
          {...{ session, table, loadedRules, outbox, received, status, isEntering }}
          onEntering={(entering) => goTo(table, entering)}
          onBack={isOnlyTable ? undefined : () => void leaveTable(session)}
        />
      </>
    );
  }
  return (
    <>
      {update}
      <Bar title="Tablestakes" subtitle="Scorekeeper" status={status} />
      {session !== null ? (
        <TablesScreen tables={tables} onChoose={(chosen) => goTo(chosen, false)} onForget={() => void forget()} />
      ) : isStarting ? (
        <main class="narrow"><p class="quiet">Loading…</p></main>
      ) : (
        <JoinScreen {...{ message, isBusy }} waiting={outbox.waiting.length} onJoin={(secret, stored) => void join(secret, stored)} />
      )}
    </>
  );
}

/** Connect; without a network, use what is stored on the device if there is a table. */
async function connectOrUseOffline(secret: string): Promise<Session> {
  try {
    return await connect(secret);
  } catch (error) {
    if (!(error instanceof TransportError) || (await readSetting("location")) === undefined) throw error;
    return { secret, client: buildClient(secret), link: null };
  }
}

function describeJoin(error: ApiError): string {
  return error.status === 401 ? "This link or key is not valid, or not valid any more." : error.message;
}

function describeStatus(isOffline: boolean, waiting: number): string | null {
  if (waiting > 0) return `${isOffline ? "offline, " : ""}${waiting} waiting`;
  return isOffline ? "offline" : null;
}
