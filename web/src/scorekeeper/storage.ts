// What the page stores on the device: settings, drafts, tables and rounds. `outbox_storage.ts` stores what waits.

import type { CurrentLink, Round, Ruleset, Table } from "../../client/src/contract.js";
import { use, write, type Settings, type StoredRound, type StoredTable, type Transaction } from "./database.js";
import type { Draft } from "./hand/draft.js";

export async function readSetting<K extends keyof Settings>(name: K): Promise<Settings[K] | undefined> {
  return (await use((database) => database.get("settings", name))) as Settings[K] | undefined;
}

export async function writeSetting<K extends keyof Settings>(name: K, value: Settings[K] | null): Promise<void> {
  await write(["settings"], async (transaction) => {
    const settings = transaction.objectStore("settings");
    if (value === null) void settings.delete(name);
    else void settings.put(value, name);
  });
}

/** Store a secret with the link that it is of, or null if it is an API key. */
export async function writeSecret(secret: string, link: CurrentLink | null): Promise<void> {
  await write(["settings"], async (transaction) => {
    const settings = transaction.objectStore("settings");
    void settings.put(secret, "secret");
    void settings.put(link, "link");
  });
}

/** Return the key of the draft of a hand. */
export function keyOf(round: string, number: number): string {
  return `${round} ${number}`;
}

/** With what the IDs of rounds begin that were opened on this device. */
export const NEW = "new-";

/** Return whether the service does not have a round yet. */
export function isNew(round: string): boolean {
  return round.startsWith(NEW);
}

/** Return the ID of a round that was opened on this device: that of the service, once the service has opened it. */
export async function resolveRound(transaction: Transaction, round: string): Promise<string> {
  return (await transaction.objectStore("opened").get(round)) ?? round;
}

export function readDraft(round: string, number: number): Promise<Draft | undefined> {
  return use((database) => database.get("drafts", keyOf(round, number)));
}

/** Return the draft of a hand of a round that was recorded without it, if there is one. */
export async function readOvertaken({ id, hands }: Round): Promise<Draft | undefined> {
  const drafts = await use((database) => database.getAll("drafts"));
  return drafts.find((draft) => draft.round === id && isOvertaken(draft, hands));
}

/** Return whether a hand was begun that is recorded already. One that was undone and not changed was not begun. */
export function isOvertaken(draft: Draft, hands: number): boolean {
  const isBegun = draft.steps.length > 0 || ((draft.topUps ?? []).length > 0 && draft.undone === undefined);
  return isBegun && draft.replaces === undefined && draft.number <= hands;
}

/** Store a draft. It is stored even if the page is killed as soon as this was called: the browser is not waited for. */
export async function writeDraft(draft: Draft): Promise<void> {
  const written = write(["drafts"], async (transaction) => {
    void transaction.objectStore("drafts").put(draft, keyOf(draft.round, draft.number));
  });
  // Another tab can have sent the opening of its round meanwhile.
  await Promise.all([written, isNew(draft.round) ? moveDraft(draft) : undefined]);
}

async function moveDraft({ round: before, number }: Draft): Promise<void> {
  await write(["drafts", "opened"], async (transaction) => {
    const round = await resolveRound(transaction, before);
    const drafts = transaction.objectStore("drafts");
    const stored = round === before ? undefined : await drafts.get(keyOf(before, number));
    if (stored === undefined) return;
    void drafts.delete(keyOf(before, number));
    void drafts.put({ ...stored, round }, keyOf(round, number));
  });
}

/** Delete the draft of a hand that is not recorded. */
export async function deleteDraft(draft: Draft): Promise<void> {
  await write(["drafts"], async (transaction) => {
    void transaction.objectStore("drafts").delete(keyOf(draft.round, draft.number));
  });
}

export function readTable(id: string): Promise<StoredTable | undefined> {
  return use((database) => database.get("tables", id));
}

/** Store the newest round of a table, with the stacks that it leaves and what players bought in for. Returns the latter. */
export async function writeTable(table: Table, round: Round | null): Promise<Record<string, number>> {
  let found: Record<string, number> = {};
  await changeTable(table, (stored) => {
    const stacks = { ...stored.stacks };
    const isKnown = round === null || nameLasting(round) === (stored.round && nameLasting(stored.round));
    found = { ...stored.buyIns, ...(isKnown ? {} : findBuyIns(round.seats, stacks)) };
    for (const { player, stack } of round?.seats ?? []) stacks[player] = stack;
    return { ...stored, round, stacks, buyIns: found };
  });
  return found;
}

/** Return the name that a round has before and after the service has opened it. */
export function nameLasting({ id, reference }: Pick<Round, "id" | "reference">): string {
  return reference ?? id;
}

/** Return the opening stacks of a round that are not the stacks with which its players ended the one before. */
export function findBuyIns(seats: Round["seats"], before: Readonly<Record<string, number | undefined>>): Record<string, number> {
  const bought = seats.filter(({ player, opening_stack }) => before[player] !== opening_stack);
  return Object.fromEntries(bought.map(({ player, opening_stack }) => [player, opening_stack]));
}

/** What the service knows of the players of a table. */
export type KnownStacks = Required<Pick<StoredTable, "stacks" | "buyIns">>;

/** Store what is needed to open the next round of a table, with what the service knows of its players, if it is newer. */
export async function writeNextRound(table: Table, ruleset: Ruleset, known: KnownStacks | null): Promise<void> {
  await changeTable(table, (stored) => ({ stacks: {}, ...stored, table, ruleset, ...known }));
}

async function changeTable(table: Table, change: (stored: StoredTable) => StoredTable): Promise<void> {
  await write(["tables"], async (transaction) => {
    const tables = transaction.objectStore("tables");
    const stored = (await tables.get(table.id)) ?? { table, round: null };
    void tables.put(change(stored), table.id);
  });
}

export function readRound(id: string): Promise<StoredRound | undefined> {
  return use((database) => database.get("rounds", id));
}

/** Store a round in place of those for which nothing waits. */
export async function writeRound(stored: StoredRound): Promise<void> {
  await write(["rounds", "outbox"], async (transaction) => {
    const needed = new Set((await transaction.objectStore("outbox").getAll()).map(({ round }) => round));
    const rounds = transaction.objectStore("rounds");
    for (const id of await rounds.getAllKeys()) if (!needed.has(id)) void rounds.delete(id);
    void rounds.put(stored, stored.round.id);
  });
}

/** Take or extend the lease of the outbox, unless another tab has it. */
export async function takeLease(owner: string, until: number): Promise<boolean> {
  return write(["settings"], async (transaction) => {
    const settings = transaction.objectStore("settings");
    const lease = (await settings.get("lease")) as Settings["lease"] | undefined;
    const isFree = lease === undefined || lease.owner === owner || lease.until < Date.now();
    if (isFree) void settings.put({ owner, until }, "lease");
    return isFree;
  });
}

export async function releaseLease(owner: string): Promise<void> {
  await write(["settings"], async (transaction) => {
    const settings = transaction.objectStore("settings");
    const lease = (await settings.get("lease")) as Settings["lease"] | undefined;
    if (lease?.owner === owner) void settings.delete("lease");
  });
}

/** Delete the secret and copies of tables, so that the device is signed out. What waits and what it needs stay. */
export async function forgetAll(): Promise<void> {
  await write(["settings", "drafts", "tables", "rounds", "outbox"], async (transaction) => {
    const waiting = await transaction.objectStore("outbox").getAll();
    void transaction.objectStore("settings").clear();
    if (waiting.length > 0) return;
    void transaction.objectStore("rounds").clear();
    void transaction.objectStore("drafts").clear();
    void transaction.objectStore("tables").clear();
  });
}
