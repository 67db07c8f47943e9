import type { Club } from "../../../client/src/contract.js";

/** Return the date of the evening of a club at a time, as `2026-11-20`. It lasts until the next one begins. */
export function eveningOf(club: Pick<Club, "time_zone" | "evening_begins">, now: Date): string {
  const { time_zone: timeZone, evening_begins: begins } = club;
  const read = (time: Date, options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat("sv-SE", { timeZone, ...options }).format(time);
  const day = read(now, { year: "numeric", month: "2-digit", day: "2-digit" });
  if (read(now, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }) >= begins) return day;
  const before = new Date(`${day}T12:00:00Z`);
  before.setUTCDate(before.getUTCDate() - 1);
  return before.toISOString().slice(0, 10);
}
