// The texts of the pages, as gettext names its functions. The English text is the message; the catalogues of the other
// languages are those of the service. `pybabel extract` finds the messages, so they are written as literals.

import type { ComponentChildren } from "preact";
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

/** Return a text whose translation depends on where it is used, which the context names. */
export function pgettext<Message extends string>(context: string, message: Message, ...values: Values<Names<Message>, Text>): string {
  return fill(find(`${context}\u0004${message}`, message), values[0]);
}

/** Return a text with a number. `%(count)s` in it is the number. */
export function ngettext<One extends string, Many extends string>(
  singular: One,
  plural: Many,
  count: number,
  ...values: Values<Exclude<Names<One | Many>, "count">, Text>
): string {
  const found = messages[singular];
  const category = new Intl.PluralRules(language).select(count);
  const message = typeof found === "object" ? (found[category] ?? found.other) : undefined;
  return fill(message ?? (count === 1 ? singular : plural), { count, ...values[0] });
}

/** Return a text some of whose values are elements, for example a name in bold. */
export function gettextNodes<Message extends string>(message: Message, ...values: Values<Names<Message>, ComponentChildren>): ComponentChildren[] {
  const named = values[0] as Record<string, ComponentChildren> | undefined;
  // The names are captured, so that every second part is one.
  return find(message, message).split(PLACEHOLDER).map((part, position) => (position % 2 === 0 ? part : named?.[part]));
}

function find(key: string, message: string): string {
  const found = messages[key];
  return typeof found === "string" ? found : message;
}

function fill(message: string, values: Record<string, Text> | undefined): string {
  if (values === undefined) return message;
  return message.split(PLACEHOLDER).map((part, position) => (position % 2 === 0 ? part : String(values[part]))).join("");
}
