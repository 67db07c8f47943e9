// The newest round of a table, as it is with everything that waits on this device and what other devices recorded.

import { useEffect, useRef } from "preact/hooks";
import type { Round, Table } from "../../../client/src/contract.js";
import { ApiError, TransportError } from "../../../client/src/errors.js";
import { ROUNDS_READ } from "../../api/early.js";
import { describeNotValid } from "../../api/outbox.js";
import { describeRefusal } from "../../api/scorer.js";
import type { Session } from "../../api/session.js";
import type { Rules } from "../../rules/index.js";
import { listPending, playLocally, prepareRound } from "../local_rounds.js";
import type { Outbox } from "../outbox.js";
import { readOutbox } from "../outbox_storage.js";
import { isNew, readRound, readTable } from "../storage.js";

/** How often the service is asked what other devices recorded, in milliseconds. */
const POLL_EVERY = 1_500;

interface Options {
  session: Session;
  table: Table;
  rules: Rules | null;
  outbox: Outbox;
  /** The round that the service returned last, if it is of this table. */
  received: Round | null;
  round: Round | null | undefined;
  /** Whether the round of the service is shown although another one waits to be opened. */
  showsOther: boolean;
  show(round: Round | null): Promise<void>;
  /** Receives why the service refuses to show the rounds, or null once it shows them. */
  onRead(refused: string[] | null): void;
}

/** Follow the newest round of a table. Returns a function that shows it again after a change of what waits. */
export function useRound(options: Options): (newest?: Round | null) => Promise<void> {
  const { session, table, rules, received, round, showsOther } = options;
  const latest = useRef(options);
  latest.current = options;
  /** Counts what was shown, so that an older response of the service does not replace it. */
  const shown = useRef(0);
  const tag = useRef<string | null>(null);

  const refresh = async (newest?: Round | null): Promise<void> => {
    const turn = (shown.current += 1);
    const found = await findRound(table, newest, latest.current.showsOther);
    const view = found && (await playWaiting(latest.current.session, latest.current.rules, table, found));
    if (turn === shown.current && view !== undefined) await latest.current.show(view);
  };

  const poll = async (): Promise<void> => {
    const { outbox } = latest.current;
    const turn = shown.current;
    try {
      // A link to a table shows its rounds only. They were asked for before the table was known.
      const query = { ...(session.link?.table === table.id ? {} : { table: table.id }), limit: ROUNDS_READ };
      const headers: Record<string, string> = tag.current === null ? {} : { "If-None-Match": tag.current };
      const response = await session.client.send("get", "/v1/rounds", { query, headers });
      latest.current.onRead(null);
      if (outbox.isOffline) {
        outbox.setOffline(false);
        await outbox.send();
      }
      if (response.status === 304) return;
      // What waits hides what the service returned, which is read again until nothing waits.
      const waits = (await readOutbox()).some(({ table: of }) => of.id === table.id);
      if (turn !== shown.current) return;
      tag.current = waits ? null : response.headers.get("ETag");
      const { rounds } = response.data;
      await refresh(chooseRound(rounds, latest.current.round));
    } catch (error) {
      if (error instanceof TransportError) outbox.setOffline(true);
      else if (!(error instanceof ApiError)) throw error;
      else if (error.status === 401) outbox.setBlocked(describeNotValid());
      else latest.current.onRead(describeRefusal(error));
    }
  };

  useEffect(() => {
    tag.current = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    const follow = async (): Promise<void> => {
      if (document.visibilityState === "visible" && latest.current.outbox.blocked === null) await poll();
      if (!isStopped) timer = setTimeout(() => void follow(), POLL_EVERY);
    };
    void refresh().then(follow);
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [table.id, session]);
  useEffect(() => {
    if (received !== null && received.table === table.id) void refresh(received);
  }, [received]);
  useEffect(() => {
    if (round) void prepareRound(session, round);
  }, [round?.id, round?.version, session]);
  useEffect(() => {
    if (rules !== null) void refresh();
  }, [rules]);
  useEffect(() => {
    tag.current = null;
    void (showsOther ? poll() : refresh());
  }, [showsOther]);
  return refresh;
}

/** Return the open round, or the newest one; the one that is shown, if it was recorded after that. */
function chooseRound(rounds: Round[], shown: Round | null | undefined): Round | null {
  const open = rounds.find(({ status }) => status === "open");
  const [newest] = rounds;
  if (open !== undefined || newest === undefined) return open ?? null;
  // A round that was opened without a network can have begun before one that ended before it was sent.
  const same = rounds.find(({ id }) => id === shown?.id);
  return same !== undefined && same.recorded_at > newest.recorded_at ? same : newest;
}

/** Return the newest round of a table without what waits: one that waits to be opened, or the one of the service. */
async function findRound(
  table: Table,
  newest: Round | null | undefined,
  showsOther: boolean,
): Promise<Round | null | undefined> {
  const openings = (await readOutbox()).filter((each) => each.table.id === table.id && each.operation === "open_round");
  const opened = openings.length > 0 && !showsOther ? await readRound(openings.at(-1)!.round) : undefined;
  if (opened !== undefined) return opened.round;
  if (newest !== undefined) return newest;
  const cached = (await readTable(table.id))?.round;
  if (showsOther && cached && isNew(cached.id)) return undefined;
  const stored = cached ? await readRound(cached.id) : undefined;
  // What was shown has hands that wait; the stored round has those of the service only.
  return stored !== undefined && stored.round.version >= cached!.version ? stored.round : cached;
}

async function playWaiting(session: Session, rules: Rules | null, table: Table, round: Round): Promise<Round> {
  if (!isNew(round.id) && (await listPending(round.id)).length === 0) return round;
  if (rules !== null) await prepareRound(session, round);
  const played = await playLocally(rules, round);
  if (played.kind === "round") return played.round;
  // Without the rules, it is as it was scored when the hands were saved.
  const cached = (await readTable(table.id))?.round;
  return cached?.id === round.id ? cached : round;
}
