// The evenings of a club, as `docs/decisions/0091-evenings.md` defines them.

import type { Club } from "../../client/src/contract.js";
import { dateLocale } from "../language/current.js";

const DAY = 24 * 60 * 60 * 1000;

/** Return the day of the evening to which a moment belongs, for example `2026-11-20`. */
export function eveningOf(moment: string, club: Pick<Club, "time_zone" | "evening_begins">): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: club.time_zone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(new Date(moment));
  const part = (name: string): string => parts.find(({ type }) => type === name)!.value;
  const day = `${part("year")}-${part("month")}-${part("day")}`;
  if (`${part("hour")}:${part("minute")}` >= club.evening_begins) return day;
  return new Date(Date.parse(day) - DAY).toISOString().slice(0, 10);
}

/** Return the day of an evening in words, for example `Friday 20 November`. */
export function nameEvening(day: string): string {
  return new Intl.DateTimeFormat(dateLocale(), { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" }).format(
    new Date(day),
  );
}
