// What the browser offers at this address, and what the page lacks.

import { useEffect, useState } from "preact/hooks";
import type { Waiting } from "../api/outbox.js";
import { watchStorage } from "./database.js";
import { downloadQueue } from "./export.js";

/** Ask the browser not to delete what is stored, when the device runs out of space. */
export async function keepStorage(): Promise<void> {
  try {
    await navigator.storage?.persist?.();
  } catch {
    // A private window has no storage of that kind.
  }
}

async function isPersistent(): Promise<boolean> {
  try {
    return (await navigator.storage?.persisted?.()) ?? false;
  } catch {
    return false;
  }
}

/** Return whether the device could not store something: what is entered is then in the memory of the page only. */
export function useStorageFailure(): boolean {
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => watchStorage(() => setFailed(true)), []);
  return hasFailed;
}

/** Shows that nothing can be stored, as on a full device, and offers what waits as a file. */
export function StorageNotice({ waiting }: { waiting: Waiting[] }) {
  if (!useStorageFailure()) return null;
  return (
    <div class="notice error rejoin" role="alert">
      <p><strong>This device cannot store cards.</strong> The page works while it stays open. Send or export what waits before you close it.</p>
      {waiting.length > 0 && (
        <div class="buttons"><button type="button" class="button" onClick={() => downloadQueue(waiting)}>Export</button></div>
      )}
    </div>
  );
}

/** Lists what does not work at this address or in this browser. */
export function Limits() {
  const [limits, setLimits] = useState<string[]>([]);
  useEffect(() => {
    const list = async (): Promise<void> => {
      if (!isSecureContext) {
        setLimits([
          "This address has no HTTPS. The page works while it stays open; without a network it cannot be opened again, and the browser may delete what is stored.",
        ]);
      } else if (!(await isPersistent())) {
        setLimits(["The browser may delete what is stored on this device when it runs out of space. Send or export what waits before you close the page."]);
      } else {
        setLimits([]);
      }
    };
    void list();
    // Browsers decide when the page has asked.
    const timer = setTimeout(() => void list(), 5_000);
    return () => clearTimeout(timer);
  }, []);
  return <>{limits.map((text) => <p key={text} class="quiet small">{text}</p>)}</>;
}
