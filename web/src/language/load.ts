// Loads the messages of the language before the other modules of a page run: import it first. English waits for nothing.

import { showLanguage } from "./catalogues.js";
import { chooseLanguage } from "./current.js";

const chosen = chooseLanguage(document.cookie, navigator.languages);
if (chosen !== "en") {
  try {
    await showLanguage(chosen);
  } catch {
    // Without a network, and before the messages were cached, the page is English.
  }
}
