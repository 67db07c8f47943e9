// Names of players that readers cannot distinguish.

/** Return what is left of a name that is read aloud: `Cyd`, ` cyd` and `ｃｙｄ` are the same. */
export function foldName(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC").replace(/[\u200c\u200d]/gu, "").trim();
}

/** Return the known name that looks like another one, unless the name itself is known. */
export function findLookalike(name: string, known: readonly string[]): string | undefined {
  const text = name.trim();
  if (text === "" || known.includes(text)) return undefined;
  return known.find((each) => foldName(each) === foldName(text));
}

/** Return the known names that a name which is being typed can become, without those that are taken. */
export function suggestNames(text: string, known: readonly string[], taken: readonly string[]): string[] {
  const begun = foldName(text);
  return known.filter((name) => name !== text.trim() && !taken.includes(name) && foldName(name).startsWith(begun));
}
