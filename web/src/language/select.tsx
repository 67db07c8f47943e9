import { useState } from "preact/hooks";
import { showLanguage } from "./catalogues.js";
import { language, LANGUAGES, type Language } from "./current.js";
import { gettext } from "./gettext.js";
import { renderAgain } from "./page.js";

/** A year, in seconds. */
const LASTS = 31_536_000;

/** Changes the language of this page, and of the pages of links. What is entered stays. */
export function LanguageSelect() {
  const [hasFailed, setFailed] = useState(false);
  const change = async (select: HTMLSelectElement): Promise<void> => {
    const chosen = select.value as Language;
    try {
      await showLanguage(chosen);
    } catch {
      // Without a network, the messages of a language are on the device only if it was used before.
      select.value = language;
      setFailed(true);
      return;
    }
    setFailed(false);
    document.cookie = `language=${chosen}; path=/; max-age=${LASTS}; samesite=lax`;
    renderAgain();
  };
  return (
    <div class="field language">
      <label for="language">{gettext("Language")}</label>
      <select id="language" value={language} onChange={(event) => void change(event.currentTarget)}>
        {Object.entries(LANGUAGES).map(([code, name]) => <option key={code} value={code} lang={code}>{name}</option>)}
      </select>
      {hasFailed && <p class="small loss" role="alert">{gettext("The language could not be loaded. Try again when there is a network.")}</p>}
    </div>
  );
}
