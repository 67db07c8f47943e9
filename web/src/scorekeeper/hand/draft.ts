// The cards of a hand while it is entered. A draft never changes; each tap makes another one.
// It knows how many cards a row takes, and no rule of the game.

export const ROWS = ["top", "middle", "bottom"] as const;
export type RowName = (typeof ROWS)[number];
export type Group = RowName | "discards";
export const ROW_SIZES: Record<RowName, number> = { top: 3, middle: 5, bottom: 5 };
const BOARD_SIZE = 13;
const MOST_STEPS = 200;

/** A place for a card, written as `seat.row.index`. */
export type Place = string;

export interface DraftSeat {
  seat: number;
  player: string;
  /** The cards dealt in Fantasyland; 0 in a hand without it. */
  fantasyland: number;
}

export interface TopUp {
  seat: number;
  points: number;
}

interface Step {
  place: Place;
  before: string | null;
  cursor: Place | null;
  /** All cards before, if a text has changed a whole board. */
  all?: Record<Place, string>;
}

export interface Draft {
  round: string;
  number: number;
  button: number | null;
  /** Whether the scorekeeper has chosen the button in this hand. Otherwise it follows the round. */
  isButtonChosen?: boolean;
  seats: DraftSeat[];
  cards: Record<Place, string>;
  /** Where the next card goes. Null when all boards are full. */
  cursor: Place | null;
  /** Points that players add to their stacks before the hand. */
  topUps?: TopUp[];
  /** What each tap changed, newest last. */
  steps: Step[];
  /** The request in the outbox that the hand replaces, if it was refused and is edited. */
  replaces?: number;
  /** Set if the hand was undone, and has its cards until they are changed; with the time when it was played. */
  undone?: { playedAt: string | null };
}

/** The next hand of a round. */
export interface Next {
  round: string;
  number: number;
  /** Null if any seat can have it, or if it is not known here. */
  button: number | null;
  seats: DraftSeat[];
  /** The seats of players who have left: they add no points. */
  left: number[];
}

/** Return an empty draft of the next hand of a round. */
export function startDraft({ round, number, button, seats }: Next): Draft {
  const draft = { round, number, button, seats, cards: {}, cursor: null, steps: [] };
  return { ...draft, cursor: nextFree(draft, null) };
}

/** Return a draft as its round is now: who plays, with the players whose points bring them back. */
export function fitDraft(draft: Draft, next: Next): Draft {
  const topUps = (draft.topUps ?? []).filter(({ seat }) => !next.left.includes(seat));
  const back = listReturning(topUps, next.seats.map(({ seat }) => seat));
  const returning = back.map((seat) => ({ seat, player: String(seat), fantasyland: 0 }));
  const seats = [...next.seats, ...returning].sort((one, other) => one.seat - other.seat);
  // A player who is no longer in Fantasyland has no places for discards.
  const places = new Set([...boardPlaces(seats), ...discardPlaces(seats)]);
  const cards = Object.fromEntries(Object.entries(draft.cards).filter(([place]) => places.has(place)));
  const steps = draft.steps.filter(({ place, all = {} }) => [place, ...Object.keys(all)].every((each) => places.has(each)));
  const isChosen = draft.isButtonChosen === true && seats.some(({ seat }) => seat === draft.button);
  const button = isChosen ? draft.button : next.button;
  const fitted = { ...draft, button, isButtonChosen: isChosen, seats, cards, steps, topUps };
  return draft.cursor !== null && places.has(draft.cursor) ? fitted : { ...fitted, cursor: nextFree(fitted, null) };
}

/** Return the seats of players whose points bring them back into a round. */
export function listReturning(topUps: TopUp[], playing: number[]): number[] {
  return topUps.map(({ seat }) => seat).filter((seat) => !playing.includes(seat));
}

/** Return a draft of the same hand without cards. */
export function clearCards({ undone: _, ...draft }: Draft): Draft {
  const cleared = { ...draft, cards: {}, steps: [] };
  return { ...cleared, cursor: nextFree(cleared, null) };
}

/** Give the button to a seat, whatever the round says. */
export function chooseButton(draft: Draft, button: number): Draft {
  return { ...draft, button, isButtonChosen: true };
}

/** Return the place at an index of a row of a seat. */
export function placeOf(seat: number, group: Group, index: number): Place {
  return `${seat}.${group}.${index}`;
}

/** Return the parts of a place. */
export function parsePlace(place: Place): { seat: number; group: Group; index: number } {
  const [seat, group, index] = place.split(".");
  return { seat: Number(seat), group: group as Group, index: Number(index) };
}

/** Return how many places a row of a seat has. Discards have as many as cards dealt beyond the board. */
export function sizeOf(seat: DraftSeat, group: Group): number {
  return group === "discards" ? Math.max(0, seat.fantasyland - BOARD_SIZE) : ROW_SIZES[group];
}

/** Return the places of a row of a seat. */
export function rowPlaces(seat: DraftSeat, group: Group): Place[] {
  return Array.from({ length: sizeOf(seat, group) }, (_, index) => placeOf(seat.seat, group, index));
}

function boardPlaces(seats: DraftSeat[]): Place[] {
  return seats.flatMap((seat) => ROWS.flatMap((row) => rowPlaces(seat, row)));
}

function discardPlaces(seats: DraftSeat[]): Place[] {
  return seats.flatMap((seat) => rowPlaces(seat, "discards"));
}

/** Return the first free place after another, beginning again at the first seat; null when all boards are full. */
function nextFree(draft: Draft, after: Place | null): Place | null {
  if (after !== null && parsePlace(after).group === "discards") {
    const discards = discardPlaces(draft.seats.filter(({ seat }) => seat === parsePlace(after).seat));
    const free = discards.slice(discards.indexOf(after) + 1).find((place) => !(place in draft.cards));
    if (free !== undefined) return free;
  }
  const places = boardPlaces(draft.seats);
  const start = after === null ? 0 : places.indexOf(after) + 1;
  return [...places.slice(start), ...places.slice(0, start)].find((place) => !(place in draft.cards)) ?? null;
}

function withCards(draft: Draft, place: Place, card: string | null, cursor: (changed: Draft) => Place | null): Draft {
  const cards = { ...draft.cards };
  const step: Step = { place, before: cards[place] ?? null, cursor: draft.cursor };
  if (card === null) delete cards[place];
  else cards[place] = card;
  const changed = { ...draft, cards, steps: [...draft.steps.slice(1 - MOST_STEPS), step] };
  return { ...changed, cursor: cursor(changed) };
}

/** Place a card at the place of the cursor, and move the cursor to the next free place. A used card changes nothing. */
export function putCard(draft: Draft, card: string): Draft {
  const { cursor } = draft;
  if (cursor === null || isUsed(draft, card)) return draft;
  return withCards(draft, cursor, card, (changed) => nextFree(changed, cursor));
}

/** Put cards on the board of a seat in place of those that it has. One undo takes all of them back. */
export function putBoard(draft: Draft, seat: DraftSeat, groups: Partial<Record<Group, string[]>>): Draft {
  const cards = { ...draft.cards };
  for (const group of [...ROWS, "discards" as const]) {
    rowPlaces(seat, group).forEach((place, index) => {
      const card = groups[group]?.[index];
      if (card === undefined) delete cards[place];
      else cards[place] = card;
    });
  }
  const [place] = boardPlaces([seat]) as [Place];
  const step: Step = { place, before: draft.cards[place] ?? null, cursor: draft.cursor, all: draft.cards };
  const changed = { ...draft, cards, steps: [...draft.steps.slice(1 - MOST_STEPS), step] };
  return { ...changed, cursor: nextFree(changed, null) };
}

/** Take a card back from its place, and move the cursor there. */
export function takeBack(draft: Draft, place: Place): Draft {
  return place in draft.cards ? withCards(draft, place, null, () => place) : draft;
}

/** Move the cursor to a place, or with null to where it was before: to a free place of a board, if there is one. */
export function moveTo(draft: Draft, place: Place | null): Draft {
  return { ...draft, cursor: place ?? nextFree(draft, null) };
}

/** Undo the last tap that changed a card. */
export function undo(draft: Draft): Draft {
  const step = draft.steps.at(-1);
  if (step === undefined) return draft;
  const cards = { ...(step.all ?? draft.cards) };
  if (step.before === null) delete cards[step.place];
  else cards[step.place] = step.before;
  return { ...draft, cards, cursor: step.cursor, steps: draft.steps.slice(0, -1) };
}

export type Direction = "left" | "right" | "up" | "down";

/** Move the cursor to the neighbour of its place: along the rows of a seat, and to the seats beside it. */
export function moveBy(draft: Draft, direction: Direction): Draft {
  const { seats } = draft;
  const from = draft.cursor ?? boardPlaces(seats).at(-1);
  if (from === undefined) return draft;
  const { seat, group, index } = parsePlace(from);
  const position = seats.findIndex((each) => each.seat === seat);
  const groups = (at: number): Group[] => [...ROWS, "discards" as const].filter((each) => sizeOf(seats[at]!, each) > 0);
  const moved = (at: number, to: Group, column: number): Draft => {
    const target = sizeOf(seats[at]!, to) > 0 ? to : "bottom";
    return moveTo(draft, placeOf(seats[at]!.seat, target, Math.min(column, sizeOf(seats[at]!, target) - 1)));
  };
  if (direction === "left" || direction === "right") {
    const column = index + (direction === "right" ? 1 : -1);
    if (column >= 0 && column < sizeOf(seats[position]!, group)) return moved(position, group, column);
    const beside = position + Math.sign(column - index);
    return beside in seats ? moved(beside, group, column < 0 ? Infinity : 0) : draft;
  }
  const rows = groups(position);
  const row = rows[rows.indexOf(group) + (direction === "down" ? 1 : -1)];
  return row === undefined ? draft : moved(position, row, index);
}

/** Return whether a card has a place in the hand. */
export function isUsed(draft: Draft, card: string): boolean {
  return Object.values(draft.cards).includes(card);
}

/** Return how many cards the board of a seat has. */
export function countCards(draft: Draft, seat: DraftSeat): number {
  return boardPlaces([seat]).filter((place) => place in draft.cards).length;
}

/** Return whether all boards are full. Discards are optional. */
export function isFull(draft: Draft): boolean {
  return boardPlaces(draft.seats).every((place) => place in draft.cards);
}

export interface HandPlayer {
  seat: number;
  fantasyland?: number;
  top: string[];
  middle: string[];
  bottom: string[];
  discards?: string[];
}

/** Return the cards of each seat as requests have them. */
export function listPlayers(draft: Pick<Draft, "seats" | "cards">): HandPlayer[] {
  return draft.seats.map((seat) => {
    const read = (group: Group): string[] => rowPlaces(seat, group).flatMap((place) => draft.cards[place] ?? []);
    const discards = read("discards");
    return {
      seat: seat.seat,
      ...(seat.fantasyland > 0 ? { fantasyland: seat.fantasyland } : {}),
      top: read("top"),
      middle: read("middle"),
      bottom: read("bottom"),
      ...(discards.length > 0 ? { discards } : {}),
    };
  });
}

/** Return a draft with the cards of a hand that was entered before, to change it. */
export function fillDraft(hand: Pick<Next, "round" | "number" | "button">, entered: HandPlayer[], names: Map<number, string>): Draft {
  const seats = entered.map(({ seat, fantasyland = 0 }) => ({ seat, fantasyland, player: names.get(seat) ?? String(seat) }));
  const cards: Record<Place, string> = {};
  for (const player of entered) {
    for (const group of [...ROWS, "discards" as const]) {
      (player[group] ?? []).forEach((card, index) => (cards[placeOf(player.seat, group, index)] = card));
    }
  }
  return moveTo({ ...hand, seats, cards, cursor: null, steps: [] }, null);
}
