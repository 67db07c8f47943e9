// What a round has from its table: the ruleset, and what a point is worth. A table can be changed; its rounds stay as they were opened.

import type { Table } from "../../client/src/contract.js";
import { gettext } from "../language/gettext.js";
import { formatMoney, formatRuleset } from "./format.js";

export type Terms = Pick<Table, "ruleset" | "point_value" | "unit">;

/** Return the terms of a table or a round, without its other fields. */
export function termsOf({ ruleset, point_value, unit }: Terms): Terms {
  return { ruleset, point_value, unit };
}

/** Return whether a round is scored by the same ruleset and settled in the same money as another one. */
export function hasSameTerms(one: Terms, other: Terms): boolean {
  return one.ruleset === other.ruleset && one.point_value === other.point_value && one.unit === other.unit;
}

/** Return the terms of a table in words, for example `the ruleset classic and a point value of €0.50`. */
export function describeTerms({ ruleset, point_value, unit, unit_digits }: Terms & Pick<Table, "unit_digits">): string {
  const hasMoney = point_value !== null && unit !== null;
  const name = formatRuleset(ruleset);
  if (!hasMoney) return gettext("the ruleset %(ruleset)s and no point value", { ruleset: name });
  const value = formatMoney(point_value, unit, unit_digits ?? 0);
  return gettext("the ruleset %(ruleset)s and a point value of %(value)s", { ruleset: name, value });
}
