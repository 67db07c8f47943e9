// Where the messages of each language are. The build makes these files from the catalogues in `service/translations/`.

import { setLanguage, type Language, type Messages } from "./current.js";

const TIMEOUT = 5_000;

/** The addresses, which the build inserts. */
declare const CATALOGUES: Record<Exclude<Language, "en">, string>;

/** Show the page in a language. Throws if its messages cannot be read. */
export async function showLanguage(language: Language): Promise<void> {
  setLanguage(language, await readMessages(language));
  document.documentElement.lang = language;
  if (language !== "en") void cacheMessages(language);
}

/** Let the service worker cache the messages of a language for use without a network. */
async function cacheMessages(language: Exclude<Language, "en">): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  (await navigator.serviceWorker.ready).active?.postMessage(CATALOGUES[language]);
}

/** English needs no messages. */
async function readMessages(language: Language): Promise<Messages> {
  if (language === "en") return {};
  const address = CATALOGUES[language];
  const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`${address} responded ${response.status}`);
  return (await response.json()) as Messages;
}
