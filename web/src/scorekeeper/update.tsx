import { useEffect, useState } from "preact/hooks";
import { gettext } from "../language/gettext.js";

/** Register the service worker, and ask before a new version of the page replaces the one that runs. */
export function UpdateNotice({ isSafe }: { isSafe: boolean }) {
  const [waiting, setWaiting] = useState<ServiceWorker | null>(null);
  useEffect(() => {
    if ("serviceWorker" in navigator) void register(setWaiting);
  }, []);
  if (waiting === null || !isSafe) return null;
  const replace = (): void => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    waiting.postMessage("activate");
  };
  return (
    <div class="notice update" role="status">
      <span>{gettext("A new version of this page is ready.")}</span>
      <button type="button" class="button" onClick={replace}>{gettext("Load it")}</button>
    </div>
  );
}

async function register(onWaiting: (worker: ServiceWorker) => void): Promise<void> {
  try {
    const registration = await navigator.serviceWorker.register("/scorekeeper/sw.js", { updateViaCache: "none" });
    // Without a controller this is the first installation, which replaces nothing.
    const report = (): void => {
      if (registration.waiting !== null && navigator.serviceWorker.controller !== null) onWaiting(registration.waiting);
    };
    registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", report));
    report();
  } catch {
    // Without a service worker, for example in a private window, the page works as long as there is a network.
  }
}
