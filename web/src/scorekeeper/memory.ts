// The database of the page in memory, where the device cannot store anything: as much of IndexedDB as the page uses.

import type { IDBPDatabase } from "idb";
import type { Schema, StoreName } from "./database.js";

type Key = string | number;

class MemoryStore {
  private readonly rows = new Map<Key, unknown>();

  get = async (key: Key): Promise<unknown> => this.rows.get(key);
  getAll = async (): Promise<unknown[]> => [...this.rows.values()];
  getAllKeys = async (): Promise<Key[]> => [...this.rows.keys()];
  delete = async (key: Key): Promise<void> => void this.rows.delete(key);
  clear = async (): Promise<void> => this.rows.clear();

  /** Store a value; without a key, under its `id`, which is the next number if it has none. */
  put = async (value: unknown, key?: Key): Promise<Key> => {
    const given = key ?? (value as { id?: number }).id;
    const used = given ?? Math.max(0, ...[...this.rows.keys()].map(Number)) + 1;
    this.rows.set(used, key === undefined ? { ...(value as object), id: used } : value);
    return used;
  };
}

/** Return a database in memory, with everything that can still be read from another one. */
export async function copyToMemory(names: StoreName[], source: IDBPDatabase<Schema> | null): Promise<IDBPDatabase<Schema>> {
  const stores = new Map(names.map((name) => [name, new MemoryStore()]));
  const objectStore = (name: StoreName): MemoryStore => stores.get(name)!;
  for (const name of source === null ? [] : names) {
    try {
      const [keys, values] = await Promise.all([source!.getAllKeys(name), source!.getAll(name)]);
      for (const [index, value] of values.entries()) {
        await objectStore(name).put(value, name === "outbox" ? undefined : (keys[index] as string));
      }
    } catch {
      // What can no longer be read here is read from the service again.
    }
  }
  const database = {
    get: (name: StoreName, key: Key) => objectStore(name).get(key),
    getAll: (name: StoreName) => objectStore(name).getAll(),
    transaction: () => ({ objectStore, commit: () => undefined, abort: () => undefined, done: Promise.resolve() }),
  };
  return database as unknown as IDBPDatabase<Schema>;
}
