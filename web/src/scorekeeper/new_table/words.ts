// The words and amounts of the form of a new table.

import { language } from "../../language/current.js";

/** What amounts of a table can be in. */
export interface UnitChoice {
  code: string;
  digits: number;
}

/** Currencies that are offered before a club uses any; all of them have two digits. */
export const CURRENCIES: readonly UnitChoice[] = ["EUR", "USD", "GBP", "CHF", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "CZK"].map(
  (code) => ({ code, digits: 2 }),
);

/** Return an amount that was typed, such as `0.10` or `0,1`, in its smallest units; null if it is none above zero. */
export function parseAmount(text: string, digits: number): number | null {
  const found = /^(\d{1,9})(?:[.,](\d*))?$/.exec(text.trim());
  const [, whole = "", part = ""] = found ?? [];
  if (found === null || part.length > digits) return null;
  const amount = Number(whole + part.padEnd(digits, "0"));
  return amount > 0 ? amount : null;
}

/** Return a name for a table of a day that no other table has, for example `Fri 27 Nov`. */
export function suggestName(day: Date, taken: readonly string[]): string {
  const parts = new Intl.DateTimeFormat(language, { weekday: "short", day: "numeric", month: "short" }).formatToParts(day);
  const partOf = (type: Intl.DateTimeFormatPartTypes): string => parts.find((part) => part.type === type)?.value ?? "";
  const name = `${partOf("weekday")} ${partOf("day")} ${partOf("month")}`;
  let number = 1;
  while (taken.includes(number === 1 ? name : `${name} ${number}`)) number += 1;
  return number === 1 ? name : `${name} ${number}`;
}
