// Reads who owes whom from the service, and stores it for use without a network.

import type { Balances, Round, Table } from "../../../client/src/contract.js";
import { TablestakesError } from "../../../client/src/errors.js";
import { serviceNow } from "../../api/clock.js";
import type { Session } from "../../api/session.js";
import { change } from "../outbox_storage.js";
import { readTable } from "../storage.js";
import { isInScope, type Account } from "./account.js";

/** How many rounds are read with the balances, which count them as they are then. */
const ROUNDS_READ = 5;
/** How many payments stay on the device after they were recorded, and for how long, in milliseconds. */
const PAYMENTS_KEPT = 50;
const KEPT_FOR = 12 * 60 * 60 * 1000;

/** What is being read, by the table. */
const reading = new Map<string, Promise<boolean>>();

/** Read the balances and store them. Without a network, nothing changes. Returns whether they were stored. */
export function readAccount(session: Session, table: Table): Promise<boolean> {
  const read = reading.get(table.id) ?? storeAccount(session, table).finally(() => reading.delete(table.id));
  reading.set(table.id, read);
  return read;
}

async function storeAccount({ background, link }: Session, table: Table): Promise<boolean> {
  const query = { table: table.id, limit: ROUNDS_READ };
  try {
    const changes = (await readTable(table.id))?.account?.changes;
    const before = await background.get("/v1/rounds", { query });
    const { units } = await background.get("/v1/balances", {});
    const { rounds } = await background.get("/v1/rounds", { query });
    // Somebody recorded something in between.
    if (versionsOf(before.rounds) !== versionsOf(rounds)) return false;
    return await writeAccount(table, { scope: link === null ? null : link.table, units, rounds }, changes);
  } catch (error) {
    if (!(error instanceof TablestakesError)) throw error;
    return false;
  }
}

function versionsOf(rounds: Round[]): string {
  return rounds.map(({ id, version }) => `${id} ${version}`).join();
}

interface Read {
  scope: string | null;
  units: Balances["units"];
  rounds: Round[];
}

/** Store balances, unless something was recorded for this device since they were asked for, or can have been. */
function writeAccount(table: Table, { scope, units, rounds }: Read, changes: number | undefined): Promise<boolean> {
  return change(["tables"], async (transaction) => {
    const tables = transaction.objectStore("tables");
    const stored = (await tables.get(table.id)) ?? { table, round: null };
    const waiting = await transaction.objectStore("outbox").getAll();
    const isUnsure = waiting.some((request) => request.isSent === true && isInScope({ scope }, request));
    if (isUnsure || stored.account?.changes !== changes) return false;
    const since = serviceNow() - KEPT_FOR;
    const payments = (stored.account?.payments ?? [])
      .filter(({ isTakenBack, paid_at }) => !isTakenBack && Date.parse(paid_at) >= since)
      .slice(-PAYMENTS_KEPT)
      .map((paid) => ({ ...paid, isCounted: paid.entry !== null }));
    const readAt = new Date(serviceNow()).toISOString();
    const account: Account = { scope, units, readAt, counted: rounds, later: [], payments, changes: changes ?? 0 };
    void tables.put({ ...stored, account }, table.id);
    return true;
  });
}
