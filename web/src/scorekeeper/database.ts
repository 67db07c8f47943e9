// The database of the page, in IndexedDB.

import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from "idb";
import type { CurrentLink, ListedHand, RecordedHand, Round, RoundDocument, Ruleset, Table } from "../../client/src/contract.js";
import type { Waiting } from "../api/outbox.js";
import type { Draft } from "./hand/draft.js";
import type { Account } from "./payments/account.js";
import { copyToMemory } from "./memory.js";

/** Where the page was when it was closed. */
export interface Location {
  table: string;
  isEntering: boolean;
}

/** What the form of a new table has. The stack is for every player. */
export interface NewTableDraft {
  name: string;
  ruleset: string;
  value: string;
  unit: string;
  stack: string;
  players: string[];
}

export interface Settings {
  secret: string;
  /** The link that the secret is of; null for an API key. */
  link: CurrentLink | null;
  location: Location;
  /** The secret of a link that was opened, until the service has responded to it. */
  opening: string;
  /** The code with which this phone signs in, and the secret that it has drawn. */
  phone: { code: string; secret: string };
  /** A table that is being created. */
  newTable: NewTableDraft;
  /** By how many milliseconds the clock of the device was ahead of the service when it responded last. */
  clock: number;
  /** The tab that sends what waits, where the browser has no locks. */
  lease: { owner: string; until: number };
}

/** A table, with what is needed to open its next round without a network. */
export interface StoredTable {
  /** As it was when `ruleset` was read. */
  table: Table;
  /** Its newest round with everything that waits, as it was shown last. */
  round: Round | null;
  /** The ruleset of its next round. */
  ruleset?: Ruleset;
  /** The stack of each player at the end of their last round at the table. */
  stacks?: Record<string, number>;
  /** The stack that each player last sat down with and that was not carried over. */
  buyIns?: Record<string, number>;
  /** Who owes whom. */
  account?: Account;
}

/** A recorded hand. Whether it was corrected is known of hands that the service has listed. */
export type KnownHand = RecordedHand & Partial<Pick<ListedHand, "corrected">>;

/** A request as the rules read it. */
export interface PlayedRequest {
  operation: string;
  body: object;
}

/** A round without the requests that wait, with what is needed to go on without a network. */
export interface StoredRound {
  round: Round;
  document: RoundDocument;
  /** The results of its hands, with the IDs of their records. */
  hands: KnownHand[];
  ruleset: Ruleset;
  /** What the service accepted since the document was read. */
  sent: PlayedRequest[];
}

export interface Schema extends DBSchema {
  settings: { key: keyof Settings; value: Settings[keyof Settings] };
  drafts: { key: string; value: Draft };
  tables: { key: string; value: StoredTable };
  outbox: { key: number; value: Waiting };
  rounds: { key: string; value: StoredRound };
  /** The IDs that the service gave to rounds which were opened on this device. */
  opened: { key: string; value: string };
}

const STORES = ["settings", "drafts", "tables", "outbox", "rounds", "opened"] as const;
export type StoreName = (typeof STORES)[number];
export type Transaction = IDBPTransaction<Schema, StoreName[], "readwrite">;

let database: Promise<IDBPDatabase<Schema>> | undefined;
/** Whether this page has had the database open: if there is none then, it was deleted. */
let wasOpen = false;
/** The requests that waited when they were read or changed last. */
let held: Waiting[] = [];

/** Remember what waits, to store it again if the database is deleted under the open page. */
export function hold(requests: Waiting[]): void {
  held = requests;
}

function open(): Promise<IDBPDatabase<Schema>> {
  database ??= openStored();
  database.catch(() => (database = undefined));
  return database;
}

async function openStored(): Promise<IDBPDatabase<Schema>> {
  let isCreated = false;
  const opened = await openDB<Schema>("tablestakes-scorekeeper", 2, {
    upgrade(upgraded, version) {
      isCreated = version < 1;
      if (version < 1) {
        upgraded.createObjectStore("settings");
        upgraded.createObjectStore("drafts");
        upgraded.createObjectStore("tables");
        upgraded.createObjectStore("outbox", { keyPath: "id", autoIncrement: true });
      } else {
        upgraded.deleteObjectStore("documents" as never);
      }
      upgraded.createObjectStore("rounds");
      upgraded.createObjectStore("opened");
    },
    blocking(_, newer) {
      close();
      if (newer === null) restore();
    },
    terminated() {
      database = undefined;
      restore();
    },
  });
  if (isCreated && wasOpen) {
    const transaction = opened.transaction("outbox", "readwrite", { durability: "strict" });
    for (const request of held) void transaction.store.put(request);
    await transaction.done;
  }
  wasOpen = true;
  return opened;
}

/** Open the database again as soon as it is deleted, or closed by the browser, so that what waits is stored again. */
function restore(): void {
  open().catch(() => undefined);
}

/** Close the connection, so that another version of the page can upgrade the database. The next use opens it again. */
function close(): void {
  void database?.then((opened) => opened.close());
  database = undefined;
}

/** The database in memory, once the device has failed to store or to read something. */
let memory: Promise<IDBPDatabase<Schema>> | undefined;
const onFailure = new Set<() => void>();

/** Call something when the device cannot store anything; at once if it could not before. Returns what ends this. */
export function watchStorage(report: () => void): () => void {
  onFailure.add(report);
  if (memory !== undefined) report();
  return () => void onFailure.delete(report);
}

/** Run something on the database; from the first failure on, on a copy of it in memory, so that the page goes on. */
export async function use<T>(action: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
  if (memory === undefined) {
    try {
      return await useStored(action);
    } catch (error) {
      // Without IndexedDB, its names are not known.
      if (!(error instanceof DOMException || typeof indexedDB === "undefined")) throw error;
    }
    memory ??= Promise.resolve()
      .then(open)
      .catch(() => null)
      .then((opened) => copyToMemory([...STORES], opened));
    for (const report of onFailure) report();
  }
  return action(await memory);
}

/** Run something on the database; once more if the browser has closed it meanwhile, as phones short of memory do. */
async function useStored<T>(action: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
  try {
    return await action(await open());
  } catch (error) {
    if (!isClosed(error)) throw error;
    close();
    return action(await open());
  }
}

/** A closed connection refuses transactions, and ends those that run. */
function isClosed(error: unknown): boolean {
  return error instanceof DOMException && (error.name === "InvalidStateError" || error.name === "AbortError");
}

/** Run a transaction that is on the disk when this returns. The action may wait for nothing but the transaction. */
export async function write<T>(names: StoreName[], action: (transaction: Transaction) => Promise<T>): Promise<T> {
  return use(async (opened) => {
    const transaction = opened.transaction(names, "readwrite", { durability: "strict" }) as Transaction;
    // If a request fails, the whole transaction does: that is reported once, by its end.
    transaction.done.catch(() => undefined);
    const objectStore = (name: StoreName): object => ignoreFailures(transaction.objectStore(name));
    let result: T;
    try {
      result = await action({ objectStore } as unknown as Transaction);
    } catch (error) {
      abort(transaction);
      throw error;
    }
    // Otherwise the browser would ask the page for more, and undo everything if the page is killed before it responds.
    transaction.commit();
    await transaction.done;
    return result;
  });
}

/** Return a store whose requests report a failure only where their result is waited for. */
function ignoreFailures<T extends object>(store: T): T {
  return new Proxy(store, {
    get: (target, name) => (...values: unknown[]): unknown => {
      const method = Reflect.get(target, name) as (...given: unknown[]) => unknown;
      const result = method.apply(target, values);
      if (result instanceof Promise) result.catch(() => undefined);
      return result;
    },
  });
}

/** Undo what a transaction has done so far, unless the browser has. */
function abort(transaction: Transaction): void {
  try {
    transaction.abort();
  } catch {
    // It has ended.
  }
}
