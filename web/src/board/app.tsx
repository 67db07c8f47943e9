import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, TablestakesError } from "../../client/src/errors.js";
import { connect, findSecret, takeSecretFromAddress, type Session } from "../api/session.js";
import { dateLocale, language } from "../language/current.js";
import { gettext } from "../language/gettext.js";
import { BoardFeed, type Scoreboard } from "./feed.js";
import { LinkForm } from "./link_form.js";
import { forgetSecret, readSecret, writeSecret } from "./storage.js";
import { TableBoard } from "./table_board.js";
import { registerWorker } from "./worker.js";

const PAUSE = 1_000;
const UNAUTHORIZED = 401;

/** The scoreboard of one table. It goes on by itself after every interruption, because nobody sits at a TV. */
export function App() {
  const [secret, setSecret] = useState<string | null>(null);
  const [name, setName] = useState("");
  const [board, setBoard] = useState<Scoreboard | null>(null);
  const [lastRead, setLastRead] = useState<Date | null>(null);
  const [isConnected, setConnected] = useState(false);
  const [message, setMessage] = useState<string | null>(null);
  const shown = useRef<Date | null>(null);

  const open = (text: string): boolean => {
    const found = findSecret(text);
    if (found === undefined) return false;
    writeSecret(found);
    setMessage(null);
    setBoard(null);
    setSecret(found);
    return true;
  };

  useEffect(() => {
    registerWorker();
    const follow = (): void => {
      const shared = takeSecretFromAddress();
      if (shared !== undefined) open(shared);
    };
    const stored = takeSecretFromAddress() ?? readSecret();
    if (stored !== null) open(stored);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);

  useEffect(() => {
    if (secret === null) return;
    return poll(secret, {
      onJoin: (session) => setName(session.link?.table_name ?? ""),
      onBoard: (read) => {
        setBoard(read);
        setConnected(true);
        shown.current = new Date();
      },
      onFailure: () => {
        setLastRead(shown.current);
        setConnected(false);
      },
      onEnd: (why) => {
        forgetSecret();
        setSecret(null);
        setMessage(why);
      },
    });
  }, [secret]);

  useEffect(() => {
    const title = gettext("Scoreboard");
    document.title = name === "" ? `${title} · Tablestakes` : `${name} · ${title}`;
  }, [name, language]);

  if (secret === null) return <LinkForm message={message} onOpen={open} />;
  const status = isConnected ? null : describeOffline(board, lastRead);
  return <TableBoard name={name} board={board} status={status} />;
}

function describeOffline(board: Scoreboard | null, lastRead: Date | null): string {
  if (board === null || lastRead === null) return gettext("Connecting…");
  const zone = board.timeZone === null ? {} : { timeZone: board.timeZone };
  const time = lastRead.toLocaleTimeString(dateLocale(), { hour: "2-digit", minute: "2-digit", ...zone });
  return gettext("Not connected · as of %(time)s", { time });
}

function describeEnded(): string {
  return gettext("This link has expired, was revoked, or is not one of this service. Ask the scorekeeper for a new one.");
}

/** Return what a secret is that opens no scoreboard, and what does. */
function explain(wrong: string): string {
  const needed = gettext("The scoreboard needs a link to one table: ofc link table TABLE.");
  return `${wrong} ${needed}`;
}

interface Listener {
  onJoin(session: Session): void;
  onBoard(board: Scoreboard): void;
  onFailure(): void;
  onEnd(why: string): void;
}

/** Read the scoreboard again and again, until the returned function is called or the link has ended. */
function poll(secret: string, listener: Listener): () => void {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let feed: BoardFeed | undefined;

  const read = async (): Promise<void> => {
    if (feed === undefined) {
      const session = await connect(secret);
      if (isStopped) return;
      if (session.link === null) return end(explain(gettext("This is a key.")));
      if (session.link.round !== null) return end(explain(gettext("This link shows one round.")));
      if (session.link.table === null) return end(explain(gettext("This link is for all tables.")));
      feed = new BoardFeed(session.client, session.link.table);
      listener.onJoin(session);
    }
    const board = await feed.read();
    if (!isStopped) listener.onBoard(board);
  };
  const end = (why: string): void => {
    isStopped = true;
    listener.onEnd(why);
  };
  const run = async (): Promise<void> => {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof TablestakesError)) throw error;
      if (isStopped) return;
      if (error instanceof ApiError && error.status === UNAUTHORIZED) end(describeEnded());
      else listener.onFailure();
    } finally {
      if (!isStopped) timer = setTimeout(() => void run(), PAUSE);
    }
  };
  void run();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
