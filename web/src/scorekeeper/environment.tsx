// What the browser offers at this address, and what the page lacks.

import { useEffect, useState } from "preact/hooks";
import type { Waiting } from "../api/outbox.js";
import { gettext } from "../language/gettext.js";
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
      <p><strong>{gettext("This device cannot store cards.")}</strong> {gettext("The page works while it stays open. Send or export what waits before you close it.")}</p>
      {waiting.length > 0 && (
        <div class="buttons"><button type="button" class="button" onClick={() => downloadQueue(waiting)}>{gettext("Export")}</button></div>
      )}
    </div>
  );
}

/** What a browser sends that can add the page to the home screen. */
interface InstallEvent extends Event {
  prompt(): Promise<unknown>;
}

let install: InstallEvent | null = null;
addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  install = event as InstallEvent;
});

/** States that the browser may delete what waits, and what to do. */
export function StoredWarning() {
  const [isSafe, setSafe] = useState(true);
  const [prompt, setPrompt] = useState(install);
  useEffect(() => {
    const check = (): void => {
      void isPersistent().then(setSafe);
      setPrompt(install);
    };
    const added = (): void => void keepStorage().then(check);
    check();
    // Browsers decide when the page has asked.
    const timer = setTimeout(check, 5_000);
    addEventListener("beforeinstallprompt", check);
    addEventListener("appinstalled", added);
    return () => {
      clearTimeout(timer);
      removeEventListener("beforeinstallprompt", check);
      removeEventListener("appinstalled", added);
    };
  }, []);
  if (isSafe) return null;
  return (
    <>
      <p class="small">
        {gettext("The browser may delete what is stored when the device runs out of space: send or export it before you close the page.")}
        {isSecureContext && ` ${describeHomeScreen(prompt !== null)}`}
      </p>
      {prompt !== null && <div class="buttons"><button type="button" class="button" onClick={() => void prompt.prompt()}>{gettext("Add to home screen")}</button></div>}
    </>
  );
}

function describeHomeScreen(canPrompt: boolean): string {
  if (canPrompt) return gettext("A page on the home screen keeps it.");
  return gettext("A page on the home screen keeps it: choose “Add to home screen” in the menu of the browser.");
}

/** States what does not work at an address without HTTPS. */
export function Limits() {
  if (isSecureContext) return null;
  return <p class="quiet small">{gettext("This address has no HTTPS. The page works while it stays open; without a network it cannot be opened again.")}</p>;
}
