// The service worker, which opens the page without a network, and a screen that stays on.

/** Register the service worker. A new version of the page replaces this one at once: nothing is entered here. */
export function registerWorker(): void {
  if ("serviceWorker" in navigator) void register();
  const wake = (): void => {
    if (document.visibilityState === "visible") void stayOn();
  };
  document.addEventListener("visibilitychange", wake);
  wake();
}

async function register(): Promise<void> {
  try {
    const registration = await navigator.serviceWorker.register("/board/sw.js", { updateViaCache: "none" });
    const replace = (): void => {
      if (registration.waiting === null || navigator.serviceWorker.controller === null) return;
      navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
      registration.waiting.postMessage("activate");
    };
    registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", replace));
    replace();
  } catch {
    // Without a service worker the page works as long as there is a network.
  }
}

/** Ask the device not to switch its screen off. */
async function stayOn(): Promise<void> {
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    // Not allowed, for example at a low battery.
  }
}
