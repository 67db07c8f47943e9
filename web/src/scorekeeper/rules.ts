// The rules on the device: they score a hand without a network, as the service will.

import { useEffect, useMemo, useState } from "preact/hooks";
import { language } from "../language/current.js";
import { gettext } from "../language/gettext.js";
import { startRules, type Rules } from "../rules/index.js";

/** Below the page, so that its service worker stores the files. */
const ADDRESS = "/scorekeeper/rules/";
const MEGABYTE = 1_000_000;

export interface LoadedRules {
  rules: Rules | null;
  /** What to show about the rules. */
  text: string;
}

type Loading =
  | { kind: "idle" | "off" | "failed" }
  | { kind: "loading"; bytes: number; total: number }
  | { kind: "ready"; rules: Rules };

/**
 * Load the rules in the background, unless the device saves data; again when a network is back without which it failed.
 *
 * They are 5 MB, so this begins when the page shows where it was.
 */
export function useRules(isStarted: boolean): LoadedRules {
  const [attempt, setAttempt] = useState(0);
  const [loaded, setLoaded] = useState<Loading>({ kind: "idle" });
  useEffect(() => {
    if (!isStarted) return undefined;
    if (savesData()) {
      setLoaded({ kind: "off" });
      return undefined;
    }
    let isOver = false;
    const rules = startRules(({ loaded: bytes, total }) => {
      // After one file has failed, others still arrive.
      if (isOver) return;
      setLoaded({ kind: "loading", bytes, total });
    }, ADDRESS);
    const ended = new AbortController();
    const retry = (): void => setAttempt((last) => last + 1);
    void rules.describe().then((described) => {
      isOver = true;
      if (ended.signal.aborted) return;
      const isReady = "scorer" in described;
      setLoaded(isReady ? { kind: "ready", rules } : { kind: "failed" });
      if (isReady) void cacheRules();
      else addEventListener("online", retry, { once: true, signal: ended.signal });
    });
    return () => {
      ended.abort();
      rules.stop();
    };
  }, [attempt, isStarted]);
  return useMemo(() => ({ rules: loaded.kind === "ready" ? loaded.rules : null, text: describe(loaded) }), [loaded, language]);
}

function describe(loaded: Loading): string {
  switch (loaded.kind) {
    case "idle":
      return "";
    case "off":
      return gettext("The rules are not on this device, because it saves data.");
    case "loading": {
      const megabytes = { loaded: Math.floor(loaded.bytes / MEGABYTE), total: Math.ceil(loaded.total / MEGABYTE) };
      return gettext("Rules: %(loaded)s of %(total)s MB", megabytes);
    }
    case "ready":
      return gettext("Rules on this device: hands are scored without a network.");
    case "failed":
      return gettext("The rules could not be loaded.");
  }
}

/** Let the service worker cache the rules for use without a network. */
async function cacheRules(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  (await navigator.serviceWorker.ready).active?.postMessage("cache rules");
}

function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}
