// Runs something in one tab at a time.

import { makeId } from "../../client/src/ids.js";

/** A lease that the tabs share. It ends by itself, also if its tab is killed. */
export interface LeaseStorage {
  /** Take or extend the lease, unless another owner has it. Returns whether it was taken. */
  take(owner: string, until: number): Promise<boolean>;
  release(owner: string): Promise<void>;
}

const LOCK = "tablestakes-scorekeeper-outbox";
const OWNER = makeId();
const LEASE = 10_000;
const RENEW_EVERY = 3_000;

let last: Promise<unknown> = Promise.resolve();

/**
 * Run an action while no other tab does. Returns null if another tab has the lease.
 *
 * Pages without HTTPS have no `navigator.locks`; they use a lease in the database.
 */
export async function exclusively<T>(lease: LeaseStorage, action: () => Promise<T>): Promise<T | null> {
  if ("locks" in navigator) return await navigator.locks.request(LOCK, action);
  const turn = last.then(() => withLease(lease, action));
  last = turn.catch(() => undefined);
  return turn;
}

async function withLease<T>(lease: LeaseStorage, action: () => Promise<T>): Promise<T | null> {
  const take = (): Promise<boolean> => lease.take(OWNER, Date.now() + LEASE);
  if (!(await take())) return null;
  const timer = setInterval(() => void take(), RENEW_EVERY);
  try {
    return await action();
  } finally {
    clearInterval(timer);
    await lease.release(OWNER);
  }
}
