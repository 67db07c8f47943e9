// What the page stores on the device, in IndexedDB.

import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import type { Waiting } from "../api/outbox.js";
import type { Round, Table } from "../../client/src/contract.js";
import type { Draft } from "./hand/draft.js";
import type { StoredDocument } from "./rules.js";

/** Where the page was when it was closed. */
export interface Location {
  table: string;
  isEntering: boolean;
}

interface Settings {
  secret: string;
  location: Location;
}

interface Schema extends DBSchema {
  settings: { key: keyof Settings; value: Settings[keyof Settings] };
  drafts: { key: string; value: Draft };
  tables: { key: string; value: { table: Table; round: Round | null } };
  outbox: { key: number; value: Waiting };
  documents: { key: string; value: StoredDocument };
}

type StoreName = "settings" | "drafts" | "tables" | "outbox" | "documents";

let opened: Promise<IDBPDatabase<Schema>> | undefined;

function open(): Promise<IDBPDatabase<Schema>> {
  opened ??= openDB<Schema>("tablestakes-keeper", 1, {
    upgrade(database) {
      database.createObjectStore("settings");
      database.createObjectStore("drafts");
      database.createObjectStore("tables");
      database.createObjectStore("outbox", { keyPath: "id", autoIncrement: true });
      database.createObjectStore("documents");
    },
    blocking: close,
    terminated: () => (opened = undefined),
  });
  return opened;
}

/** Close the connection, so that another version of the page can upgrade the database. The next use opens it again. */
function close(): void {
  void opened?.then((database) => database.close());
  opened = undefined;
}

/** Run something on the database; once more if the browser has closed it meanwhile, as phones short of memory do. */
async function use<T>(action: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
  try {
    return await action(await open());
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "InvalidStateError") throw error;
    opened = undefined;
    return action(await open());
  }
}

/** Write in one transaction that is on the disk when this returns. */
async function write(names: StoreName[], action: (store: <N extends StoreName>(name: N) => Writable<N>) => void) {
  await use(async (database) => {
    const transaction = database.transaction(names, "readwrite", { durability: "strict" });
    action((name) => transaction.objectStore(name) as unknown as Writable<typeof name>);
    // Otherwise the browser would ask the page for more, and undo everything if the page is killed before it responds.
    transaction.commit();
    await transaction.done;
  });
}

interface Writable<N extends StoreName> {
  put(value: Schema[N]["value"], key?: Schema[N]["key"]): unknown;
  delete(key: Schema[N]["key"]): unknown;
  clear(): unknown;
}

export async function readSetting<K extends keyof Settings>(name: K): Promise<Settings[K] | undefined> {
  return (await use((database) => database.get("settings", name))) as Settings[K] | undefined;
}

export async function writeSetting<K extends keyof Settings>(name: K, value: Settings[K] | null): Promise<void> {
  await write(["settings"], (store) => {
    if (value === null) store("settings").delete(name);
    else store("settings").put(value, name);
  });
}

function keyOf(round: string, number: number): string {
  return `${round} ${number}`;
}

export function readDraft(round: string, number: number): Promise<Draft | undefined> {
  return use((database) => database.get("drafts", keyOf(round, number)));
}

export async function writeDraft(draft: Draft): Promise<void> {
  await write(["drafts"], (store) => store("drafts").put(draft, keyOf(draft.round, draft.number)));
}

export function readTable(id: string): Promise<{ table: Table; round: Round | null } | undefined> {
  return use((database) => database.get("tables", id));
}

export async function writeTable(table: Table, round: Round | null): Promise<void> {
  await write(["tables"], (store) => store("tables").put({ table, round }, table.id));
}

export function readDocument(round: string): Promise<StoredDocument | undefined> {
  return use((database) => database.get("documents", round));
}

/** Store the document of a round in place of those of earlier rounds. */
export async function writeDocument(round: string, stored: StoredDocument): Promise<void> {
  await write(["documents"], (store) => {
    store("documents").clear();
    store("documents").put(stored, round);
  });
}

/** Return all waiting requests, oldest first. */
export function readOutbox(): Promise<Waiting[]> {
  return use((database) => database.getAll("outbox"));
}

/** Add a request or replace one, and in the same transaction remove the draft that it was made from. */
export async function addToOutbox(request: Waiting, number: number): Promise<void> {
  await write(["outbox", "drafts"], (store) => {
    store("outbox").put(request);
    store("drafts").delete(keyOf(request.round, number));
  });
}

export async function changeInOutbox(request: Waiting): Promise<void> {
  await write(["outbox"], (store) => store("outbox").put(request));
}

export async function removeFromOutbox(id: number): Promise<void> {
  await write(["outbox"], (store) => store("outbox").delete(id));
}

/** Delete everything except requests that wait: the secret, drafts and copies of tables and rounds. */
export async function forgetAll(): Promise<void> {
  await write(["settings", "drafts", "tables", "documents"], (store) => {
    store("documents").clear();
    store("settings").clear();
    store("drafts").clear();
    store("tables").clear();
  });
}
