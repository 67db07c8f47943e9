// The rules on the device: they score a hand without a network, as the service will.

import { useEffect, useState } from "preact/hooks";
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

/**
 * Load the rules in the background, unless the device saves data; again when a network is back without which it failed.
 *
 * They are 5 MB, so this begins when the page shows where it was.
 */
export function useRules(isStarted: boolean): LoadedRules {
  const [attempt, setAttempt] = useState(0);
  const [loaded, setLoaded] = useState<LoadedRules>({ rules: null, text: "" });
  useEffect(() => {
    if (!isStarted) return undefined;
    if (savesData()) {
      setLoaded({ rules: null, text: gettext("The rules are not on this device, because it saves data.") });
      return undefined;
    }
    let isOver = false;
    const rules = startRules(({ loaded: bytes, total }) => {
      // After one file has failed, others still arrive.
      if (isOver) return;
      const text = gettext("Rules: %(loaded)s of %(total)s MB", { loaded: Math.floor(bytes / MEGABYTE), total: Math.ceil(total / MEGABYTE) });
      setLoaded({ rules: null, text });
    }, ADDRESS);
    const ended = new AbortController();
    const retry = (): void => setAttempt((last) => last + 1);
    void rules.describe().then((described) => {
      isOver = true;
      if (ended.signal.aborted) return;
      const isReady = "scorer" in described;
      const text = isReady ? gettext("Rules on this device: hands are scored without a network.") : gettext("The rules could not be loaded.");
      setLoaded({ rules: isReady ? rules : null, text });
      if (isReady) void cacheRules();
      else addEventListener("online", retry, { once: true, signal: ended.signal });
    });
    return () => {
      ended.abort();
      rules.stop();
    };
  }, [attempt, isStarted]);
  return loaded;
}

/** Let the service worker cache the rules for use without a network. */
async function cacheRules(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  (await navigator.serviceWorker.ready).active?.postMessage("cache rules");
}

function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}
