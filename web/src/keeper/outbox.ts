// The outbox of the page: what waits, and when it is sent.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Round } from "../../client/src/contract.js";
import { flush, type Waiting } from "../api/outbox.js";
import type { Session } from "../api/session.js";
import { addToOutbox, changeInOutbox, readOutbox, removeFromOutbox } from "./storage.js";

const RETRY_EVERY = 10_000;
const STORAGE = { read: readOutbox, change: changeInOutbox, remove: (id: number) => removeFromOutbox(id) };

export interface Outbox {
  waiting: Waiting[];
  isOffline: boolean;
  /** Why nothing can be sent although the service responds: the secret is not valid any more. */
  blocked: string | null;
  setOffline(isOffline: boolean): void;
  /** Store the request of a hand, and send it. Returns whether it was sent. */
  add(request: Waiting, number: number): Promise<boolean>;
  /** Send what waits. Returns whether the service responded. */
  send(): Promise<boolean>;
}

/** Return the outbox. `onRounds` receives each round as the service returned it. */
export function useOutbox(session: Session | null, onRounds: (rounds: Round[]) => void): Outbox {
  const [waiting, setWaiting] = useState<Waiting[]>([]);
  const [isOffline, setOffline] = useState(false);
  const [blocked, setBlocked] = useState<string | null>(null);
  const report = useRef(onRounds);
  report.current = onRounds;

  const reload = async (): Promise<void> => setWaiting(await readOutbox());
  const send = async (): Promise<boolean> => {
    if (session === null) return false;
    const result = await flush(session.client, STORAGE);
    await reload();
    setOffline(result.kind === "offline");
    setBlocked(result.kind === "unauthorized" ? result.detail : null);
    if (result.rounds.length > 0) report.current(result.rounds);
    return result.kind === "done";
  };
  const add = async (request: Waiting, number: number): Promise<boolean> => {
    await addToOutbox(request, number);
    await reload();
    return send();
  };

  const retry = useRef<() => Promise<void>>(async () => undefined);
  retry.current = async () => {
    if ((await readOutbox()).some(({ refusal }) => refusal === null)) await send();
  };
  useEffect(() => {
    void reload();
    if (session === null) return undefined;
    const attempt = (): void => void retry.current();
    const whenVisible = (): void => {
      if (document.visibilityState === "visible") attempt();
    };
    attempt();
    const timer = setInterval(whenVisible, RETRY_EVERY);
    addEventListener("online", attempt);
    document.addEventListener("visibilitychange", whenVisible);
    return () => {
      clearInterval(timer);
      removeEventListener("online", attempt);
      document.removeEventListener("visibilitychange", whenVisible);
    };
  }, [session]);

  return { waiting, isOffline, blocked, setOffline, add, send };
}
