// How figures and rules are shown.

import { language } from "../language/current.js";
import { gettext } from "../language/gettext.js";

/** Return a change of points with its sign, for example `+6` or `−8`. */
export function formatChange(points: number): string {
  if (points === 0) return "0";
  return points > 0 ? `+${points}` : `−${-points}`;
}

/** Return the name of a ruleset, for example `pineapple`; with its version if it is not the first. */
export function formatRuleset(ruleset: string): string {
  const [name = ruleset, version = "1"] = ruleset.split("@");
  return version === "1" ? name : gettext("%(ruleset)s, version %(version)s", { ruleset: name, version });
}

/** Return the class of a figure's colour. The sign says the same. */
export function signClass(points: number): string {
  if (points === 0) return "";
  return points > 0 ? "gain" : "loss";
}

/** Return an amount that was won or lost, with its sign, for example `+€4.80`. */
export function formatMoneyWon(amount: number, unit: string, digits: number): string {
  return `${amount > 0 ? "+" : ""}${formatMoney(amount, unit, digits)}`;
}

/** Return an amount of minor units, for example `€26.00`, or `1.25000 mBTC` of a unit that the club has defined. */
export function formatMoney(amount: number, unit: string, digits: number): string {
  const style = isCurrency(unit) ? ({ style: "currency", currency: unit } as const) : {};
  const options = { ...style, minimumFractionDigits: digits, maximumFractionDigits: digits };
  // A string keeps amounts exact that a number of major units would round.
  const text = String(Math.abs(amount)).padStart(digits + 1, "0");
  const exact = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  const shown = new Intl.NumberFormat(language, options).format(exact as unknown as number);
  return `${amount < 0 ? "−" : ""}${shown}${isCurrency(unit) ? "" : `\u{a0}${unit}`}`;
}

const CURRENCY_NAMES = new Intl.DisplayNames("en", { type: "currency", fallback: "none" });

function isCurrency(unit: string): boolean {
  return /^[A-Z]{3}$/.test(unit) && CURRENCY_NAMES.of(unit) !== undefined;
}
