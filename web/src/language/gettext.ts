// The texts of the pages, as gettext names its functions. The English text is the message; the catalogues of the other
// languages are those of the service. `pybabel extract` finds the messages, so they are written as literals.

import type { ComponentChildren } from "preact";
import type { Phrase } from "../rules/messages.js";
import { language, messages } from "./current.js";

/** The names of the placeholders in a message, for example `name` of `%(name)s wins`. */
type Names<Message extends string> = Message extends `${string}%(${infer Name})s${infer Rest}` ? Name | Names<Rest> : never;
/** The values of a message: none if it has no placeholders. */
type Values<Name extends string, Value> = [Name] extends [never] ? [] : [values: Record<Name, Value>];
type Text = string | number;

const PLACEHOLDER = /%\((\w+)\)s/;

/** Return a text in the language of the page. */
export function gettext<Message extends string>(message: Message, ...values: Values<Names<Message>, Text>): string {
  return fill(find(message, message), values[0]);
}

/** Return the translation of a message that is listed elsewhere, as in `schemas/sentences.json`. */
export function translate(message: string): string {
  return find(message, message);
}

/** Return a phrase of the rules in the language of the page. */
export function translatePhrase({ message, plural, number, context, values }: Phrase): string {
  const translated = Object.entries(values).map(([name, value]) => [name, typeof value === "object" ? translatePhrase(value) : value]);
  const found = plural === null ? find(keyOf(context, message), message) : findForm(message, plural, number);
  return fill(found, Object.fromEntries(translated) as Record<string, Text>);
}

/** Return a text whose translation depends on where it is used, which the context names. */
export function pgettext<Message extends string>(context: string, message: Message, ...values: Values<Names<Message>, Text>): string {
  return fill(find(keyOf(context, message), message), values[0]);
}

/** Return a text with a number. `%(count)s` in it is the number. */
export function ngettext<One extends string, Many extends string>(
  singular: One,
  plural: Many,
  count: number,
  ...values: Values<Exclude<Names<One | Many>, "count">, Text>
): string {
  return fill(findForm(singular, plural, count), { count, ...values[0] });
}

/** Return a text some of whose values are elements, for example a name in bold. */
export function gettextNodes<Message extends string>(message: Message, ...values: Values<Names<Message>, ComponentChildren>): ComponentChildren[] {
  return place(find(message, message), values[0] as Record<string, ComponentChildren> | undefined);
}

/** Return a text with a number, some of whose values are elements. */
export function ngettextNodes<One extends string, Many extends string>(
  singular: One,
  plural: Many,
  count: number,
  ...values: Values<Exclude<Names<One | Many>, "count">, ComponentChildren>
): ComponentChildren[] {
  return place(findForm(singular, plural, count), { count, ...(values[0] as Record<string, ComponentChildren> | undefined) });
}

function findForm(singular: string, plural: string, count: number): string {
  const found = messages[singular];
  const form = typeof found === "object" ? (found[new Intl.PluralRules(language).select(count)] ?? found.other) : undefined;
  return form ?? (count === 1 ? singular : plural);
}

function place(message: string, values: Record<string, ComponentChildren> = {}): ComponentChildren[] {
  // The names are captured, so that every second part is one.
  return message.split(PLACEHOLDER).map((part, position) => (position % 2 === 0 ? part : values[part]));
}

function keyOf(context: string | null, message: string): string {
  return context === null ? message : `${context}\u0004${message}`;
}

function find(key: string, message: string): string {
  const found = messages[key];
  return typeof found === "string" ? found : message;
}

function fill(message: string, values: Record<string, Text> | undefined): string {
  if (values === undefined) return message;
  return message.split(PLACEHOLDER).map((part, position) => (position % 2 === 0 ? part : String(values[part]))).join("");
}
