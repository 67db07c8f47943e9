import { useEffect, useRef, useState } from "preact/hooks";
import type { Round, Table } from "../../client/src/contract.js";
import { ApiError, TablestakesError, TransportError } from "../../client/src/errors.js";
import { startClock } from "../api/clock.js";
import { buildSession, connect, listTables, takeSecretFromAddress, type Session } from "../api/session.js";
import { describeKind } from "../api/sentences.js";
import { gettext, ngettext } from "../language/gettext.js";
import { LanguageSelect } from "../language/select.js";
import { Bar } from "./bar.js";
import { JoinScreen } from "./join.js";
import { useOutbox } from "./outbox.js";
import { exchange } from "./phone.js";
import { useRules } from "./rules.js";
import { TableScreen } from "./round/table_screen.js";
import { keepStorage, StorageNotice, useStorageFailure } from "./environment.js";
import { useSettling } from "./settling.js";
import { forgetAll, readSetting, readTable, writeSecret, writeSetting } from "./storage.js";
import { TablesScreen } from "./tables.js";
import { UpdateNotice } from "./update.js";

/** How long after a failure a link is opened again, in milliseconds. */
const OPEN_AGAIN = 3_000;

/** The scorekeeper's page. */
export function App() {
  const [session, setSession] = useState<Session | null>(null);
  const [isStarting, setStarting] = useState(true);
  const [isBusy, setBusy] = useState(false);
  const [message, setMessage] = useState<string | null>(null);
  const [tables, setTables] = useState<Table[] | null>(null);
  const [table, setTable] = useState<Table | null>(null);
  const [isEntering, setEntering] = useState(false);
  const [isJoining, setJoining] = useState(false);
  /** The secret of a link to which the service has not responded. */
  const [opening, setOpening] = useState<string | null>(null);
  const [received, setReceived] = useState<Round | null>(null);
  const loadedRules = useRules(!isStarting);
  const outbox = useOutbox(session, (rounds) => {
    // They are in the order in which they were played.
    setReceived(rounds.filter((round) => round.table === table?.id).at(-1) ?? null);
  });

  const current = useRef<Session | null>(null);
  current.current = session;

  /** Open the table where the page was last, or the only one, or the list. */
  const enter = async (entered: Session): Promise<void> => {
    const listed = await listTables(entered);
    const location = await readSetting("location");
    setTables(listed);
    const last = listed.find(({ id }) => id === location?.table) ?? (listed.length === 1 ? listed[0] : undefined);
    goTo(last ?? null, last !== undefined && last.id === location?.table && location?.isEntering === true);
    setSession(entered);
    void keepStorage();
  };

  /** Connect; without a network, use what is stored on the device if there is a table. */
  const join = async (secret: string, isStored: boolean): Promise<void> => {
    setBusy(true);
    setMessage(null);
    try {
      try {
        const connected = await connect(await exchange(secret));
        const isKnown = connected.link !== null || secret === (await readSetting("secret"));
        if (isStored || isKnown) await writeSecret(connected.secret, connected.link);
        await enter(connected);
      } catch (error) {
        if (!(error instanceof TransportError) || !(await reopen(secret))) throw error;
        outbox.setOffline(true);
      }
      setJoining(false);
      await endOpening();
    } catch (error) {
      if (!(error instanceof TablestakesError)) throw error;
      if (error instanceof ApiError) await endOpening();
      const text = error instanceof ApiError ? describeJoin(error) : gettext("The service does not respond. Check the connection of this device, and try again.");
      setMessage(text);
      // Hands can still be entered at the table that is open; nothing is sent until there is a valid secret.
      if (current.current?.secret === secret && error instanceof ApiError) outbox.setBlocked(text);
      else if (current.current !== null && error instanceof ApiError) setJoining(true);
    } finally {
      setBusy(false);
    }
  };

  /** Open a link: it is erased from the address, so it is stored and opened again until the service responds. */
  const openLink = async (secret: string): Promise<void> => {
    await writeSetting("opening", secret);
    setOpening(secret);
    await join(secret, true);
  };
  const endOpening = async (): Promise<void> => {
    setOpening(null);
    await writeSetting("opening", null);
  };

  /** Show the table where the page was, from what is stored with the secret. Returns whether there is one. */
  const reopen = async (secret: string): Promise<boolean> => {
    if (current.current?.secret === secret) return true;
    // What another secret may do is known only to the service.
    if (secret !== (await readSetting("secret"))) return false;
    const location = await readSetting("location");
    const cached = location && (await readTable(location.table));
    if (!cached) return false;
    setTable(cached.table);
    setEntering(location.isEntering);
    setSession(buildSession(secret, (await readSetting("link")) ?? null));
    setStarting(false);
    return true;
  };

  useEffect(() => {
    const start = async (): Promise<void> => {
      startClock((await readSetting("clock")) ?? 0, (ahead) => void writeSetting("clock", ahead));
      const link = takeSecretFromAddress() ?? (await readSetting("opening"));
      const secret = await readSetting("secret");
      if (link !== undefined) {
        await openLink(link);
      } else if (secret !== undefined) {
        await reopen(secret);
        await join(secret, false);
      }
      setStarting(false);
    };
    void start();
    // A link opened while the page is open changes only the fragment.
    const follow = (): void => {
      const shared = takeSecretFromAddress();
      if (shared !== undefined) void (current.current === null ? openLink(shared) : join(shared, true));
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);

  useEffect(() => {
    if (opening === null || isBusy || session !== null) return undefined;
    const timer = setTimeout(() => void join(opening, true), OPEN_AGAIN);
    return () => clearTimeout(timer);
  }, [opening, isBusy, session]);

  const goTo = (chosen: Table | null, entering: boolean): void => {
    setTable(chosen);
    enterHand(chosen, entering);
  };
  /** Show the hand that is entered at a table, or its round. The page opens there again. */
  const enterHand = (at: Table | null, entering: boolean): void => {
    setEntering(entering);
    void writeSetting("location", at === null ? null : { table: at.id, isEntering: entering });
  };
  /** Replace a table that has changed. */
  const changeTable = (changed: Table): void => {
    setTable((open) => (open?.id === changed.id ? changed : open));
    setTables((listed) => listed?.map((each) => (each.id === changed.id ? changed : each)) ?? null);
  };
  /** Show a table that was created, with the first hand of its round. */
  const addTable = (added: Table): void => {
    setTables((listed) => [added, ...(listed ?? []).filter(({ id }) => id !== added.id)]);
    goTo(added, true);
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

  const isAtTable = session !== null && table !== null && !isJoining;
  useSettling(isAtTable ? table.id : session !== null && !isJoining ? "tables" : "join");
  const status = describeStatus(outbox.isOffline, outbox.waiting.length);
  const notices = (
    <>
      <UpdateNotice isSafe={!isEntering} />
      <StorageNotice waiting={outbox.waiting} />
    </>
  );
  if (isAtTable) {
    const isOnlyTable = session.link?.table === table.id;
    return (
      <>
        {notices}
        {outbox.blocked !== null && <Rejoin reason={outbox.blocked} waiting={outbox.waiting.length} onJoin={() => setJoining(true)} />}
        <TableScreen
          key={table.id}
          {...{ session, table, loadedRules, outbox, received, status, isEntering }}
          onTable={changeTable}
          onEntering={(entering) => enterHand(table, entering)}
          onBack={isOnlyTable ? undefined : () => void leaveTable(session)}
          menu={isOnlyTable && <LinkMenu onJoin={() => setJoining(true)} onForget={() => void forget()} />}
        />
      </>
    );
  }
  return (
    <>
      {notices}
      <Bar title="Tablestakes" subtitle={gettext("Scorekeeper")} status={status} />
      {session !== null && !isJoining ? (
        <TablesScreen {...{ session, tables, outbox }} onChoose={(chosen) => goTo(chosen, false)} onAdded={addTable} onForget={() => void forget()} />
      ) : isStarting ? (
        <main class="narrow"><p class="quiet">{gettext("Loading…")}</p></main>
      ) : (
        <JoinScreen {...{ message, isBusy, outbox }} onJoin={(secret, stored) => void join(secret, stored)} onCancel={session === null ? undefined : () => setJoining(false)} />
      )}
    </>
  );
}

/** Shows why nothing can be sent with the link. */
function Rejoin({ reason, waiting, onJoin }: { reason: string; waiting: number; onJoin(): void }) {
  const isInMemory = useStorageFailure();
  return (
    <div class="notice error rejoin" role="alert">
      <p>
        <strong>{reason}</strong> {gettext("Ask for another link and open it here.")}
        {waiting > 0 && ` ${describeStored(waiting, isInMemory)}`}
      </p>
      <div class="buttons"><button type="button" class="button" onClick={onJoin}>{gettext("Join with another link")}</button></div>
    </div>
  );
}

function describeStored(waiting: number, isInMemory: boolean): string {
  if (isInMemory) {
    return ngettext(
      "%(count)s request stays on this open page and will be sent then.",
      "%(count)s requests stay on this open page and will be sent then.",
      waiting,
    );
  }
  return ngettext(
    "%(count)s saved request stays on this device and will be sent then.",
    "%(count)s saved requests stay on this device and will be sent then.",
    waiting,
  );
}

/** What can be done with the link to the table that is open. */
function LinkMenu({ onJoin, onForget }: { onJoin(): void; onForget(): void }) {
  return (
    <>
      <div class="buttons">
        <button type="button" class="button plain" onClick={onJoin}>{gettext("Join with another link")}</button>
        <button type="button" class="button plain" onClick={onForget}>{gettext("Sign out on this device")}</button>
      </div>
      <LanguageSelect />
    </>
  );
}

function describeJoin(error: ApiError): string {
  return error.status === 401 ? gettext("This link or key is not valid, or no longer valid.") : describeKind(error.problem);
}

function describeStatus(isOffline: boolean, waiting: number): string | null {
  if (waiting === 0) return isOffline ? gettext("offline") : null;
  if (isOffline) return ngettext("offline, %(count)s waiting", "offline, %(count)s waiting", waiting);
  return ngettext("%(count)s waiting", "%(count)s waiting", waiting);
}
