// The outbox of the page: what waits, and when it is sent.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Round } from "../../client/src/contract.js";
import { TransportError } from "../../client/src/errors.js";
import { exclusively } from "../api/exclusive.js";
import { sendAll, type FlushResult, type OutboxStorage, type Waiting } from "../api/outbox.js";
import { isPayment } from "../api/payments.js";
import type { Session } from "../api/session.js";
import { pause, TIMEOUT } from "../api/timeout.js";
import type { StoredRound } from "./database.js";
import { addOpening, addRequest, changeRequest, completeRequest, dropRequest, readOutbox } from "./outbox_storage.js";
import { beginPayment, completePayment, refusePayment } from "./payments/storage.js";
import { releaseLease, takeLease } from "./storage.js";

const RETRY_EVERY = 10_000;
const LEASE = { take: takeLease, release: releaseLease };

/** The state of a request after it was added: it waits if the service has not responded. */
export type Fate = "sent" | "waiting" | "refused";

/** A request that is stored on the device. */
export interface Stored {
  /** What becomes of it, as soon as the service has responded, or no longer than a request can take. */
  fate: Promise<Fate>;
  /** Ends when the service has responded, however long that takes, or cannot be reached. */
  sent: Promise<void>;
}

export interface Outbox {
  waiting: Waiting[];
  isOffline: boolean;
  /** Why nothing can be sent although the service responds: the secret is no longer valid, or its scopes do not suffice. */
  blocked: string | null;
  setOffline(isOffline: boolean): void;
  setBlocked(detail: string): void;
  /** Store a request, and the round that it opens. It is sent while the page goes on. */
  add(request: Waiting, opened?: StoredRound): Promise<Stored>;
  /** Store something with a number in the queue by an action, and send it. The action returns null if there is nothing to send. */
  store(action: () => Promise<number | null>): Promise<Fate>;
  /** Replace a request, or with null drop it, and send what waits. */
  replace(request: Waiting, by: Waiting | null): Promise<void>;
  /** Send what waits. */
  send(): Promise<void>;
}

/** Return the outbox. `onRounds` receives each round as the service returned it. */
export function useOutbox(session: Session | null, onRounds: (rounds: Round[]) => void): Outbox {
  const [waiting, setWaiting] = useState<Waiting[]>([]);
  const [isOffline, setOffline] = useState(false);
  const [blocked, setBlocked] = useState<string | null>(null);
  const latest = useRef({ onRounds, session, isOffline });
  latest.current = { onRounds, session, isOffline };

  const reload = async (): Promise<void> => setWaiting(await readOutbox());
  /** What ends the request that waits for a response, for each time that `send` was called and has not ended. */
  const sending = useRef(new Set<AbortController>());
  const send = async (): Promise<void> => {
    if (session === null) return;
    const controller = new AbortController();
    sending.current.add(controller);
    let result: FlushResult | null;
    try {
      result = await exclusively(LEASE, () => sendAll(session.background, storageOf(session), controller.signal));
    } finally {
      sending.current.delete(controller);
    }
    await reload();
    // Another tab sends, or the secret was replaced meanwhile.
    if (result === null || latest.current.session !== session) return;
    setOffline(result.kind === "offline");
    setBlocked(result.kind === "unauthorized" ? result.detail : null);
    if (result.rounds.length > 0) latest.current.onRounds(result.rounds);
  };
  const begin = async (action: () => Promise<number | null>): Promise<Stored> => {
    const id = await action();
    await reload();
    if (id === null) return { fate: Promise.resolve("sent"), sent: Promise.resolve() };
    const sent = send();
    return { fate: follow(id, sent), sent };
  };
  const follow = async (id: number, sent: Promise<void>): Promise<Fate> => {
    // Without a network nobody waits for it; with a slow one, not for all that waits before it.
    if (latest.current.isOffline) return "waiting";
    const isDone = await Promise.race([sent.then(() => true), pause(TIMEOUT).then(() => false)]);
    if (!isDone) setOffline(true);
    const stored = (await readOutbox()).find((each) => each.id === id);
    if (stored === undefined) return "sent";
    return stored.refusal === null ? "waiting" : "refused";
  };
  const store = async (action: () => Promise<number | null>): Promise<Fate> => (await begin(action)).fate;
  const add = (request: Waiting, opened?: StoredRound): Promise<Stored> =>
    begin(() => (opened === undefined ? addRequest(request) : addOpening(request, opened)));
  const replace = async (request: Waiting, by: Waiting | null): Promise<void> => {
    if (by === null) await dropRequest(request);
    else await changeRequest(by);
    await reload();
    await Promise.race([send(), pause(TIMEOUT)]);
  };

  const retry = useRef<() => Promise<void>>(async () => undefined);
  retry.current = async () => {
    const stored = await readOutbox();
    if (!stored.some(({ refusal }) => refusal === null)) setWaiting(stored);
    else if (sending.current.size === 0) await send();
  };
  /** Send what waits without waiting for a response over a connection that is lost. */
  const sendAgain = async (): Promise<void> => {
    for (const controller of sending.current) controller.abort(new TransportError("the network has changed"));
    await send();
  };
  useEffect(() => {
    void reload();
    setBlocked(null);
    if (session === null) return undefined;
    const attempt = (): void => void retry.current();
    const whenVisible = (): void => {
      if (document.visibilityState === "visible") attempt();
    };
    attempt();
    const timer = setInterval(whenVisible, RETRY_EVERY);
    const reconnect = (): void => void sendAgain();
    addEventListener("online", reconnect);
    document.addEventListener("visibilitychange", whenVisible);
    return () => {
      clearInterval(timer);
      removeEventListener("online", reconnect);
      document.removeEventListener("visibilitychange", whenVisible);
    };
  }, [session]);

  return { waiting, isOffline, blocked, setOffline, setBlocked, add, store, replace, send: sendAgain };
}

/** Return the queue of the requests that a session can send: most links are for one table. */
function storageOf({ link }: Session): OutboxStorage {
  const only = link?.table ?? null;
  const read = async (): Promise<Waiting[]> => (await readOutbox()).filter(({ table }) => only === null || only === table.id);
  const store = (request: Waiting): Promise<void> => (isPayment(request) ? refusePayment(request) : changeRequest(request));
  return { read, change: store, complete: completeRequest, beginPayment, completePayment };
}
