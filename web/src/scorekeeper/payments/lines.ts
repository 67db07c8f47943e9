// Payments in words.

import { gettext, pgettext } from "../../language/gettext.js";
import { formatMoney } from "../format.js";
import { countPoints } from "../round/words.js";
import type { Line, Unit } from "./settling.js";

/** A payment between two, whose names and amount are written. */
interface Written {
  payer: string;
  payee: string;
  amount: string;
}

/** Return an amount in words, for example `€3.80` or `38 points`. */
export function formatAmount(amount: number, { unit, unit_digits, table_name }: Unit): string {
  if (table_name === null) return formatMoney(amount, unit, unit_digits);
  return `${amount < 0 ? "−" : ""}${countPoints(Math.abs(amount))}`;
}

/** Return the names and the amount of a line. The house has no name. */
function write({ payer, payee, amount, unit }: Line): Written {
  return {
    payer: payer ?? pgettext("payer", "the house"),
    payee: payee ?? pgettext("payee", "the house"),
    amount: formatAmount(amount, unit),
  };
}

/** Return who pays whom, for example `cyd pays ann €0.40`. */
export function describePayment(payment: Written): string {
  return gettext("%(payer)s pays %(payee)s %(amount)s", { ...payment });
}

/** Return a line in words: a payment that is proposed, or one that was ticked. */
export function describeLine(line: Line): string {
  const written = write(line);
  return line.tick === null ? describePayment(written) : gettext("%(payer)s has paid %(payee)s %(amount)s", { ...written });
}

/** Return what the button of a line does, for those who do not see the line. */
export function describeTicking(line: Line): string {
  const written = { ...write(line) };
  if (line.tick === null) return gettext("Paid: %(payer)s to %(payee)s, %(amount)s", written);
  return gettext("Undo: %(payer)s to %(payee)s, %(amount)s", written);
}

/** Return the state of a payment that was ticked. */
export function nameTick(state: NonNullable<Line["tick"]>["state"]): string {
  switch (state) {
    case "waits":
      return pgettext("payment", "waits");
    case "recorded":
      return pgettext("payment", "recorded");
    case "elsewhere":
      return pgettext("payment", "recorded elsewhere");
  }
}

/** Return the label of the request that records a payment. */
export function labelPayment(line: Line): string {
  return gettext("Payment of %(payer)s to %(payee)s, %(amount)s", { ...write(line) });
}

/** Return the label of the request that takes a payment back. */
export function labelReversal(line: Line): string {
  return gettext("Undo of the payment of %(payer)s to %(payee)s, %(amount)s", { ...write(line) });
}
