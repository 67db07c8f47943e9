// The words and amounts of the form of a new table.

import type { Ruleset } from "../../../client/src/contract.js";

const RANKS = "23456789TJQKA";
const PLURALS = ["twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens", "jacks", "queens", "kings", "aces"];
const TRIPS = "trips";

type Rules = Pick<Ruleset, "variant" | "low_middle" | "fantasyland">;

/** Return a ruleset in words, for example `Pineapple, Fantasyland from queens`. */
export function describeRuleset({ variant, low_middle: isLow, fantasyland }: Rules): string {
  const game = variant.charAt(0).toUpperCase() + variant.slice(1);
  return `${game}${isLow ? " with a low middle row" : ""}, ${describeFantasyland(fantasyland)}`;
}

function describeFantasyland({ enter, enter_low: low }: Ruleset["fantasyland"]): string {
  const cards = new Set(Object.values(enter));
  if (cards.size === 0) return low ? "Fantasyland from 7-5-4-3-2" : "no Fantasyland";
  const pairs = Object.keys(enter).filter((entry) => entry !== TRIPS).map((pair) => RANKS.indexOf(pair.charAt(0)));
  const from = pairs.length === 0 ? "three of a kind" : PLURALS[Math.min(...pairs)];
  return `${cards.size > 1 ? "progressive " : ""}Fantasyland from ${from}`;
}

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
  const parts = new Intl.DateTimeFormat("en", { weekday: "short", day: "numeric", month: "short" }).formatToParts(day);
  const partOf = (type: Intl.DateTimeFormatPartTypes): string => parts.find((part) => part.type === type)?.value ?? "";
  const name = `${partOf("weekday")} ${partOf("day")} ${partOf("month")}`;
  let number = 1;
  while (taken.includes(number === 1 ? name : `${name} ${number}`)) number += 1;
  return number === 1 ? name : `${name} ${number}`;
}
