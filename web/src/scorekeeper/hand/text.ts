// A board as text. The rules read texts; here they are only written.

import type { TypedCard, TypedResult } from "../../rules/index.js";
import { gettext } from "../../language/gettext.js";
import { parsePlace, ROWS, rowPlaces, type Draft, type DraftSeat, type Group } from "./draft.js";

export type TypedParts = Extract<TypedResult, { kind: "typed" }>["parts"];

export const GROUPS: Group[] = [...ROWS, "discards"];

/** Return the cards of a seat as text: `QsQd4c / Ks`. */
export function writeBoard(draft: Draft, seat: DraftSeat): string {
  return join(GROUPS.map((group) => rowPlaces(seat, group).flatMap((place) => draft.cards[place] ?? []).join("")));
}

/** Return the text of what was read, with a suit for a card that had none. */
export function changeSuit(parts: TypedParts, group: Group, index: number, suit: string): string {
  const write = (each: Group, card: TypedCard, at: number): string =>
    card.rank + (each === group && at === index ? suit : (card.suit ?? ""));
  // Spaces keep a suit that is missing apart from the next card.
  return join(GROUPS.map((each) => (parts[each] ?? []).map((card, at) => write(each, card, at)).join(" ")));
}

function join(rows: string[]): string {
  const last = rows.findLastIndex((row) => row !== "");
  return rows.slice(0, last + 1).join(" / ").replaceAll("  ", " ").trim();
}

/** Return the cards that were read. */
export function readGroups(parts: TypedParts): Partial<Record<Group, string[]>> {
  return Object.fromEntries(Object.entries(parts).map(([group, cards]) => [group, cards.map(({ rank, suit }) => rank + suit)]));
}

/** Return the place of each card of the other seats, in words. */
export function listTaken(draft: Draft, { seat: own }: DraftSeat, names: Map<number, string>): Record<string, string> {
  const taken: Record<string, string> = {};
  for (const [place, card] of Object.entries(draft.cards)) {
    const { seat, group } = parsePlace(place);
    if (seat === own) continue;
    taken[card] = describePlace(group, names.get(seat) ?? gettext("seat %(seat)s", { seat }));
  }
  return taken;
}

function describePlace(group: Group, player: string): string {
  switch (group) {
    case "top":
      return gettext("in the top of %(player)s", { player });
    case "middle":
      return gettext("in the middle of %(player)s", { player });
    case "bottom":
      return gettext("in the bottom of %(player)s", { player });
    case "discards":
      return gettext("among the discards of %(player)s", { player });
  }
}
