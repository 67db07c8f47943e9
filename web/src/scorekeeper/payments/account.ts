// Who owes whom as a device knows it: the balances of the service, and what it has recorded for this device since.

import type { Round, UnitBalances } from "../../../client/src/contract.js";
import type { Waiting } from "../../api/outbox.js";
import type { Payment } from "../../api/payments.js";
import type { Transaction } from "../database.js";

/** A payment that is recorded. */
export interface RecordedTick extends Payment {
  /** The ID of its entry in the journal; null if somebody else has recorded it where the link does not see it. */
  entry: string | null;
  /** Whether the balances count it. */
  isCounted: boolean;
  /** Whether it was taken back; the balances do not count that yet. */
  isTakenBack: boolean;
}

export interface Account {
  /** The table of the link with which the balances were read; null for those of a whole club. */
  scope: string | null;
  units: UnitBalances[];
  readAt: string;
  /** The newest rounds of the table, as the balances count them. */
  counted: Round[];
  /** Rounds that the service has recorded for this device since. */
  later: Round[];
  payments: RecordedTick[];
  /** Counts what was recorded for this device, so that balances read meanwhile are not stored. */
  changes: number;
}

/** Return whether a request is at the table of the account, or in its club. */
export function isInScope({ scope }: Pick<Account, "scope">, request: Waiting): boolean {
  return scope === null || request.table.id === scope;
}

/** Change what a device knows of a table, or of the club that it belongs to. */
async function changeAccounts(transaction: Transaction, table: string, update: (account: Account) => Account): Promise<void> {
  const tables = transaction.objectStore("tables");
  for (const stored of await tables.getAll()) {
    const { account } = stored;
    if (account === undefined || (account.scope !== null && account.scope !== table)) continue;
    void tables.put({ ...stored, account: { ...update(account), changes: account.changes + 1 } }, stored.table.id);
  }
}

/** Add a round that the service has recorded for this device, if balances can count it. */
export async function addRound(transaction: Transaction, round: Round): Promise<void> {
  const tables = transaction.objectStore("tables");
  const stored = await tables.get(round.table);
  if (stored?.account === undefined) return;
  const { account } = stored;
  const isKnown = [...account.counted, ...account.later].some(({ id, status }) => id === round.id && status !== "open");
  if (round.status === "open" && !isKnown) return;
  const later = [...account.later.filter(({ id }) => id !== round.id), round];
  void tables.put({ ...stored, account: { ...account, later, changes: account.changes + 1 } }, round.table);
}

/** Add a payment that the service has recorded. */
export async function addRecorded(transaction: Transaction, table: string, payment: Payment, entry: string | null): Promise<void> {
  const recorded: RecordedTick = { ...payment, entry, isCounted: false, isTakenBack: false };
  await changeAccounts(transaction, table, (account) => ({ ...account, payments: [...account.payments, recorded] }));
}

/** Propose a payment again that was said to be recorded elsewhere. */
export async function removeRecorded(transaction: Transaction, table: string, reference: string): Promise<void> {
  await changeAccounts(transaction, table, (account) => ({
    ...account,
    payments: account.payments.filter((paid) => paid.reference !== reference),
  }));
}

/** Note that a payment was taken back: for this device, or before by somebody else, which balances show by themselves. */
export async function addReversal(transaction: Transaction, table: string, entry: string, isOurs: boolean): Promise<void> {
  await changeAccounts(transaction, table, (account) => ({
    ...account,
    payments: isOurs
      ? account.payments.map((paid) => (paid.entry === entry ? { ...paid, isTakenBack: true } : paid))
      : account.payments.filter((paid) => paid.entry !== entry),
  }));
}
