// The language of the page, and its messages. `load.ts` sets them before anything else runs; without it, the page is English.

/** The languages of the pages, each by its own name. */
export const LANGUAGES = { en: "English", ru: "Русский", de: "Deutsch", fr: "Français" } as const;
export type Language = keyof typeof LANGUAGES;

/** The translations by message, or by context and message; of a message with a number, by the plural category of the number. */
export type Messages = Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>;

export let language: Language = "en";
export let messages: Messages = {};

export function setLanguage(chosen: Language, loaded: Messages): void {
  language = chosen;
  messages = loaded;
}

/** Return the locale of dates and times: English ones are written as in Britain. */
export function dateLocale(): string {
  return language === "en" ? "en-GB" : language;
}

/** Return the language that the user has chosen, or the first of the browser that the pages have. */
export function chooseLanguage(cookies: string, preferred: readonly string[]): Language {
  const chosen = /(?:^|;\s*)language=(\w+)/.exec(cookies)?.[1];
  const known = [chosen, ...preferred].map((each) => each?.split("-")[0]?.toLowerCase());
  return known.find((each): each is Language => each !== undefined && Object.hasOwn(LANGUAGES, each)) ?? "en";
}
