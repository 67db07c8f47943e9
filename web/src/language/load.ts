// Loads the messages of the language before the other modules of a page run: import it first. English waits for nothing.

import { readMessages } from "./catalogues.js";
import { chooseLanguage, language, setLanguage } from "./current.js";

const chosen = chooseLanguage(document.cookie, navigator.languages);
if (chosen !== "en") {
  try {
    setLanguage(chosen, await readMessages(chosen));
  } catch {
    // Without a network, and before the messages were cached, the page is English.
  }
}
document.documentElement.lang = language;
