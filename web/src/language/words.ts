// Words that several pages use.

import { gettext, pgettext } from "./gettext.js";

export type RowName = "top" | "middle" | "bottom" | "discards";

/** Return the name of a row of a board, or of the cards beside it. */
export function nameRow(row: RowName): string {
  switch (row) {
    case "top":
      return pgettext("row", "top");
    case "middle":
      return pgettext("row", "middle");
    case "bottom":
      return pgettext("row", "bottom");
    case "discards":
      return pgettext("row", "discards");
  }
}

/** Return names as a part of a sentence, for example `Ann and Ben`. */
export function joinNames(names: string[]): string {
  const and = gettext("and");
  return names.join(` ${and} `);
}
