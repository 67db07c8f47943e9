// Problems as sentences for people: by their codes, with names of players, numbers of hands and cards.

import type { FieldError, Problem } from "../../client/src/contract.js";
import catalogue from "../../../schemas/sentences.json";
import { nameCard } from "../design/cards.js";
import { gettext, translate } from "../language/gettext.js";
import { nameRow, type RowName } from "../language/words.js";

/** What a problem is about. */
export interface Context {
  /** The players by their seats. */
  names?: ReadonlyMap<number, string>;
  /** The body of the request. */
  body?: unknown;
}

type Mistake = Pick<FieldError, "code" | "detail"> & { pointer?: string };

const FIELDS: Record<string, string> = catalogue.fields;
const KINDS: Record<string, string> = catalogue.kinds;
const MISTAKES: Record<string, string> = catalogue.mistakes;
const ROWS: readonly string[] = ["top", "middle", "bottom", "discards"];
/** Start of a detail about the document that a correction changes: the place in it. */
const AMENDED = /\bat (#\S*) of the [\w' ]*document: /;

/** Return every mistake of a problem as a sentence. */
export function describeProblem(problem: Pick<Problem, "code" | "detail" | "errors">, context: Context = {}): string[] {
  const errors = problem.errors ?? [];
  return errors.length > 0 ? errors.map((error) => describeMistake(error, context)) : [describeKind(problem)];
}

/** Return what a problem is, as a sentence. */
export function describeKind({ code, detail }: Pick<Problem, "code" | "detail">): string {
  return capitalize(fill(find(KINDS, code), { detail: clean(detail, new Map()) }));
}

/** Return a mistake as a sentence. */
export function describeMistake({ code, detail, pointer = "#" }: Mistake, { names = new Map(), body }: Context = {}): string {
  const steps = readPointer(AMENDED.exec(detail)?.[1] ?? pointer);
  const hand = Number(steps[steps.indexOf("hands") + 1]) + 1;
  const nameOf = (seat: unknown): string | undefined => (typeof seat === "number" ? (names.get(seat) ?? gettext("seat %(seat)s", { seat })) : undefined);
  const seats = [...detail.matchAll(/\bseat (\d+)/g)].map(([, seat]) => nameOf(Number(seat)));
  const card = /(?<![\w])[2-9TJQKA][shdc](?!\w)/.exec(detail)?.[0];
  const named = steps.filter((step) => /^[A-Za-z_]+$/.test(step) && step !== "query");
  const name = named.at(-1);
  // The fields of rulesets have labels like `points.row`.
  const unnamed = named.length > 1 ? named.join(".") : gettext("the %(field)s", { field: name?.replaceAll("_", " ") ?? "" });
  const field = name === undefined ? undefined : name in FIELDS ? translate(FIELDS[name]!) : unnamed;
  const player = findPlayer(steps, body, nameOf) ?? seats[0];
  const row = steps.find((step): step is RowName => ROWS.includes(step));
  const sentence = fill(find(MISTAKES, code), {
    player,
    other: seats[1],
    row: row && nameRow(row),
    card: card === undefined ? undefined : nameCard(card),
    expected: /expected (\d+)/.exec(detail)?.[1],
    range: /expected (\d+ (?:to|or) \w+)/.exec(detail)?.[1],
    next: /expected hand (\d+)/.exec(detail)?.[1],
    field,
    detail: clean(detail, names),
    what: sayWhat(clean(detail, names), field),
  });
  const isOfPlayer = player !== undefined && sentence.startsWith(`${player}: `);
  if (steps.includes("hands") && !Number.isNaN(hand)) {
    return [gettext("Hand %(number)s", { number: hand }), sentence].join(isOfPlayer ? ", " : ": ");
  }
  // A name stays as its player writes it.
  return isOfPlayer ? sentence : capitalize(sentence);
}

/** Return the sentence of a code in the language of the page; one of its own for a code of a newer service. */
function find(sentences: Record<string, string>, code: string): string {
  const sentence = sentences[code];
  return sentence === undefined ? gettext("The service refused this. Load the page again.") : translate(sentence);
}

/** Fill the marks of a sentence. A part in brackets is left out if something in it is not known. */
function fill(sentence: string, values: Record<string, string | undefined>): string {
  return sentence.replace(/\[([^\]]*)\]/g, (_, part: string) => {
    const marks = [...part.matchAll(/\{(\w+)\}/g)].map(([, mark]) => mark!);
    return marks.every((mark) => values[mark] !== undefined) ? part.replace(/\{(\w+)\}/g, (_mark, name: string) => values[name]!) : "";
  });
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Return a detail whose subject may be its place in the request as one with a subject. */
function sayWhat(detail: string, field: string | undefined): string {
  return /^(is|has|are|cannot)\b/.test(detail) ? `${field ?? "it"} ${detail}` : detail;
}

/** Return the name of the player whom a place of the request is about. */
function findPlayer(steps: string[], body: unknown, nameOf: (seat: unknown) => string | undefined): string | undefined {
  let part: unknown = body;
  let player: string | undefined;
  for (const step of ["", ...steps]) {
    if (step !== "") part = (part as Record<string, unknown> | undefined)?.[step];
    if (typeof part !== "object" || part === null) break;
    const { seat, player: name } = part as { seat?: unknown; player?: unknown };
    player = (typeof name === "string" && name !== "" ? name : nameOf(seat)) ?? player;
  }
  return player;
}

function readPointer(pointer: string): string[] {
  return pointer.split("/").slice(1).map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Return a detail without the place in the request that it begins with. */
function clean(detail: string, names: ReadonlyMap<number, string>): string {
  const text = detail.replace(AMENDED, "").replace(/^`[^`]*`:? /, "").replaceAll("`", "");
  return text.replace(/\bseat (\d+)/g, (seat, number: string) => names.get(Number(number)) ?? seat);
}
