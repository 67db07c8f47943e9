// Where the messages of each language are. The build makes these files from the catalogues in `service/translations/`.

import type { Language, Messages } from "./current.js";

const TIMEOUT = 5_000;

/** The addresses, which the build inserts. */
declare const CATALOGUES: Record<Exclude<Language, "en">, string>;

/** Read the messages of a language. English needs none. Throws if that is not possible. */
export async function readMessages(language: Language): Promise<Messages> {
  if (language === "en") return {};
  const address = CATALOGUES[language];
  const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`${address} responded ${response.status}`);
  return (await response.json()) as Messages;
}
