// Who pays whom: from the balances of the service, and what waits on this device to be recorded. The rules compute it.

import type { Round, Table, UnitBalances } from "../../../client/src/contract.js";
import { makeId } from "../../../client/src/ids.js";
import { serviceNow } from "../../api/clock.js";
import type { Waiting } from "../../api/outbox.js";
import { isPayment, paymentOf, type Payment } from "../../api/payments.js";
import type { HeldBalances, Rules, SettledUnit, SettlingPayment } from "../../rules/index.js";
import { playLocally } from "../local_rounds.js";
import { change } from "../outbox_storage.js";
import { readRound } from "../storage.js";
import { isInScope, type Account } from "./account.js";
import { labelPayment, labelReversal } from "./lines.js";
import { listReferences } from "./storage.js";

/** Why a payment is taken back. Every device sends the same reason, whatever its language: two that take back one payment then agree. */
const REASON = "Ticked by mistake";

/** What amounts are counted in. */
export type Unit = Pick<UnitBalances, "unit" | "unit_digits" | "table_name">;

/** A payment that is proposed, or that was ticked on this device. */
export interface Line extends SettlingPayment {
  unit: Unit;
  /** The tick; null for a proposal. */
  tick: { reference: string; state: "waits" | "recorded" | "elsewhere" } | null;
  /** The payments between the two that the proposal knows. */
  known: string[];
}

export interface UnitToPay {
  unit: Unit;
  lines: Line[];
  balances: SettledUnit["players"];
  isFewest: boolean;
}

export interface ToPay {
  units: UnitToPay[];
  readAt: string;
  /** Whether the balances are those of the whole club. */
  isOfClub: boolean;
  /** Whether rounds that wait on this device could not be counted. */
  lacksRounds: boolean;
  /** Whether the proposals are missing, because the rules are not on this device. */
  lacksRules: boolean;
}

/** Return who pays whom at a table; null if the device has no balances. */
export async function settleUp(rules: Rules | null, table: Table): Promise<ToPay | null> {
  const { account, waiting } = await readHeld(table);
  if (account === undefined) return null;
  const outbox = waiting.filter((request) => isInScope(account, request));
  const { rounds, isComplete } = await listRounds(rules, account, outbox.filter((request) => request.table.id === table.id));
  const units = new Map(listUnits(account, table, rounds).map((unit) => [unit.unit, unit]));
  const payments = listPayments(account, outbox).filter(({ unit }) => units.has(unit));
  const held: HeldBalances = { units: account.units.filter(({ unit }) => units.has(unit)), rounds, payments };
  const settled = rules === null ? null : await rules.settle(held);
  const isSettled = settled?.kind === "settled";
  const found = isSettled ? settled.units : settledByService(held, account);
  const shown = found.map((each): UnitToPay => {
    const unit = units.get(each.unit)!;
    const lines = [...listTicks(account, outbox, unit), ...listProposals(account, outbox, unit, each.settle_up)];
    return { unit, lines: lines.sort(inOrder), balances: each.players, isFewest: each.is_fewest };
  });
  const lacksRules = !isSettled && found.some(({ players, settle_up }) => players.length > 0 && settle_up.length === 0);
  return { units: shown, readAt: account.readAt, isOfClub: account.scope === null, lacksRounds: !isComplete, lacksRules };
}

/** Read the queue and what the device knows of a table at one moment: a payment is in one of them when it is recorded. */
async function readHeld(table: Table): Promise<{ account: Account | undefined; waiting: Waiting[] }> {
  return change(["tables"], async (transaction) => ({
    account: (await transaction.objectStore("tables").get(table.id))?.account,
    waiting: await transaction.objectStore("outbox").getAll(),
  }));
}

/** Return the balances and proposals as the service had them, for a device without the rules. */
function settledByService({ units, payments }: HeldBalances, account: Account): SettledUnit[] {
  const isTicked = ({ payer, payee, amount }: SettlingPayment, unit: string): boolean =>
    payments.some((paid) => paid.unit === unit && paid.payer === payer && paid.payee === payee && paid.amount === amount);
  return account.units
    .filter(({ unit }) => units.some((each) => each.unit === unit))
    .map(({ unit, players, settle_up, payments_are }) => ({
      unit,
      players: players.filter(({ balance }) => balance !== 0),
      settle_up: settle_up.filter((paid) => !isTicked(paid, unit)),
      is_fewest: payments_are === "fewest",
    }));
}

/** Return the units that are settled at a table: all of its link, and with a key those of the table and of its rounds. */
function listUnits({ scope, units, counted }: Account, table: Table, rounds: ChangedRound[]): Unit[] {
  const played = [...counted, ...rounds.flatMap(({ before, after }) => [before, after])].filter((round) => round !== null);
  const own = [unitOf(table, table), ...played.map((round) => unitOf(round, table))];
  const known = units.filter(({ unit }) => scope !== null || unit === table.id || own.some((each) => each.unit === unit));
  const missing = new Map(own.filter(({ unit }) => known.every((each) => each.unit !== unit)).map((unit) => [unit.unit, unit]));
  return [...known, ...missing.values()];
}

/** Return the unit of the points of a table or a round, as the journal has it: that of their value, or a table whose points have none. */
function unitOf({ point_value, unit, unit_digits }: Pick<Round, "point_value" | "unit" | "unit_digits">, table: Table): Unit {
  if (point_value === null || unit === null) return { unit: table.id, unit_digits: 0, table_name: table.name };
  // A round that was opened on this device has the money of its table.
  return { unit, unit_digits: unit_digits ?? table.unit_digits ?? 0, table_name: null };
}

interface ChangedRound {
  before: Round | null;
  after: Round & { charged?: Record<string, number> };
}

/** Return the rounds that the balances do not count as they are on this device, and whether all could be played. */
async function listRounds(
  rules: Rules | null,
  { counted, later }: Account,
  requests: Waiting[],
): Promise<{ rounds: ChangedRound[]; isComplete: boolean }> {
  const waiting = new Set(requests.filter((request) => !isPayment(request)).map(({ round }) => round));
  const rounds: ChangedRound[] = [];
  let isComplete = true;
  for (const id of new Set([...later.map((round) => round.id), ...waiting])) {
    const before = counted.find((round) => round.id === id) ?? null;
    let after: ChangedRound["after"] | null = later.find((round) => round.id === id) ?? before;
    if (waiting.has(id)) {
      const stored = await readRound(id);
      const played = stored === undefined ? null : await playLocally(rules, stored.round);
      if (played?.kind === "round") after = { ...played.round, charged: played.charged };
      else isComplete = false;
    }
    if (after !== null) rounds.push({ before, after });
  }
  return { rounds, isComplete };
}

/** Return the payments that the balances do not count, and those that they count and that are taken back. */
function listPayments({ payments }: Account, outbox: Waiting[]): HeldBalances["payments"] {
  const sent = outbox.filter(({ refusal }) => refusal === null);
  const queued = sent.filter(({ operation }) => operation === "record_payment").map(paymentOf);
  const made = [...queued, ...payments.filter(({ isCounted }) => !isCounted)];
  const withdrawn = new Set(sent.filter(({ operation }) => operation === "reverse_payment").map(({ reference }) => reference));
  const takenBack = [...queued, ...payments].filter((paid) => withdrawn.has(paid.reference) || ("isTakenBack" in paid && paid.isTakenBack));
  const held = ({ payer, payee, unit, amount }: Payment, is_taken_back: boolean) => ({ payer, payee, unit, amount, is_taken_back });
  return [...made.map((paid) => held(paid, false)), ...takenBack.map((paid) => held(paid, true))];
}

/** Return the payments in a unit that were ticked on this device and not taken back. */
function listTicks({ payments }: Account, outbox: Waiting[], unit: Unit): Line[] {
  const withdrawn = new Set(outbox.filter(({ operation }) => operation === "reverse_payment").map(({ reference }) => reference));
  const isShown = (paid: Payment): boolean => paid.unit === unit.unit && !withdrawn.has(paid.reference);
  const queued = outbox.filter(({ operation, refusal }) => operation === "record_payment" && refusal === null).map(paymentOf);
  const recorded = payments.filter((paid) => isShown(paid) && !paid.isTakenBack);
  const line = ({ payer, payee, amount, reference }: Payment, state: NonNullable<Line["tick"]>["state"]): Line => ({
    payer, payee, amount, unit, known: [], tick: { reference, state },
  });
  return [
    ...queued.filter(isShown).map((paid) => line(paid, "waits")),
    ...recorded.map((paid) => line(paid, paid.entry === null ? "elsewhere" : "recorded")),
  ];
}

function listProposals(account: Account, outbox: Waiting[], unit: Unit, proposed: SettlingPayment[]): Line[] {
  return proposed.map(({ payer, payee, amount }) => {
    const known = listReferences(outbox, account, { payer, payee, unit: unit.unit });
    return { payer, payee, amount, unit, tick: null, known };
  });
}

function inOrder(one: Line, other: Line): number {
  return compare(one.payer, other.payer) || compare(one.payee, other.payee) || Number(one.tick === null) - Number(other.tick === null);
}

function compare(one: string | null, other: string | null): number {
  return (one ?? "") < (other ?? "") ? -1 : Number(one !== other);
}

/** Return the request that records a proposal as paid now. */
export function makePayment(table: Table, line: Line): Waiting {
  const { payer, payee, amount, unit } = line;
  const reference = makeId();
  const payment: Payment = { payer, payee, unit: unit.unit, amount, paid_at: new Date(serviceNow()).toISOString(), reference };
  return makeRequest(table, "record_payment", reference, labelPayment(line), payment);
}

/** Return the request that takes back a payment that was ticked. */
export function makeReversal(table: Table, line: Line): Waiting {
  return makeRequest(table, "reverse_payment", line.tick!.reference, labelReversal(line), { reason: REASON });
}

function makeRequest(table: Table, operation: Waiting["operation"], reference: string, label: string, body: object): Waiting {
  return {
    operation,
    table: { id: table.id, name: table.name },
    round: `payment-${reference}`,
    reference,
    body: JSON.stringify(body),
    idempotencyKey: makeId(),
    label,
    storedAt: new Date(serviceNow()).toISOString(),
    refusal: null,
  };
}
