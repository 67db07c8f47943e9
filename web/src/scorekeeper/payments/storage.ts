// Payments and their reversals in the queue. Each change of the queue and of what belongs to it is one transaction.

import { paymentOf, type Payment } from "../../api/payments.js";
import type { Waiting } from "../../api/outbox.js";
import type { Transaction } from "../database.js";
import { change } from "../outbox_storage.js";
import { addRecorded, addReversal, isInScope, removeRecorded, type Account } from "./account.js";

type Pair = Pick<Payment, "unit" | "payer" | "payee">;

/** Return the references of the payments between two, in the queue and recorded for this device. */
export function listReferences(requests: Waiting[], account: Account, paid: Pair): string[] {
  const isSame = ({ unit, payer, payee }: Pair): boolean => unit === paid.unit && payer === paid.payer && payee === paid.payee;
  const queued = requests.filter((request) => request.operation === "record_payment" && isInScope(account, request)).map(paymentOf);
  return [...queued, ...account.payments].filter(isSame).map(({ reference }) => reference);
}

/**
 * Add a payment that was proposed. Returns its number in the queue.
 *
 * Returns null if the queue or the device has a payment between the two that the proposal did not know: it was tapped twice,
 * or in another tab.
 */
export function addPayment(request: Waiting, known: string[]): Promise<number | null> {
  return change(["tables"], async (transaction) => {
    const outbox = transaction.objectStore("outbox");
    const account = (await transaction.objectStore("tables").get(request.table.id))?.account;
    const references = account === undefined ? [] : listReferences(await outbox.getAll(), account, paymentOf(request));
    return references.some((reference) => !known.includes(reference)) ? null : outbox.put(request);
  });
}

/**
 * Take a payment back: drop it if it was not sent, and else queue its reversal. Returns the number of this in the queue.
 *
 * A payment that was sent without a response is sent again first, because the service can have recorded it.
 */
export function takeBack(reversal: Waiting): Promise<number | null> {
  return change(["tables"], async (transaction) => {
    const outbox = transaction.objectStore("outbox");
    const chain = (await outbox.getAll()).filter(({ round }) => round === reversal.round);
    if (chain.some(({ operation }) => operation === "reverse_payment")) return null;
    const [payment] = chain;
    if (payment === undefined) {
      const stored = await transaction.objectStore("tables").get(reversal.table.id);
      const recorded = stored?.account?.payments.find(({ reference }) => reference === reversal.reference);
      if (recorded === undefined || recorded.isTakenBack) return null;
      if (recorded.entry !== null) return outbox.put({ ...reversal, entry: recorded.entry });
      await removeRecorded(transaction, reversal.table.id, recorded.reference);
      return null;
    }
    if (payment.isSent === true) return outbox.put(reversal);
    void outbox.delete(payment.id!);
    return null;
  });
}

/** Drop a payment that somebody else has recorded. One that the link does not see is counted on this device. */
export function dropRecorded(request: Waiting): Promise<null> {
  return change(["tables"], async (transaction) => {
    void transaction.objectStore("outbox").delete(request.id!);
    if (request.refusal?.isElsewhere === true) await addRecorded(transaction, request.table.id, paymentOf(request), null);
    return null;
  });
}

/** Store that a request is sent now. Returns false if it was dropped since it was read. */
export function beginPayment(request: Waiting): Promise<boolean> {
  return change([], async (transaction) => {
    const outbox = transaction.objectStore("outbox");
    const stored = await outbox.get(request.id!);
    if (stored !== undefined && stored.isSent !== true) void outbox.put({ ...stored, isSent: true });
    return stored !== undefined;
  });
}

/** Remove a request that was recorded as an entry, or that somebody else has made needless: then it is null. */
export async function completePayment(request: Waiting, entry: string | null): Promise<void> {
  await change(["tables"], async (transaction) => {
    const outbox = transaction.objectStore("outbox");
    void outbox.delete(request.id!);
    if (request.operation === "reverse_payment") {
      await addReversal(transaction, request.table.id, request.entry!, entry !== null);
      return;
    }
    if (entry !== null) await addRecorded(transaction, request.table.id, paymentOf(request), entry);
    await completeReversal(transaction, request, entry);
  });
}

/** Name the recorded payment in the reversal that waits for it; drop that if there is nothing to take back. */
async function completeReversal(transaction: Transaction, { round }: Waiting, entry: string | null): Promise<void> {
  const outbox = transaction.objectStore("outbox");
  const reversal = (await outbox.getAll()).find((each) => each.round === round && each.operation === "reverse_payment");
  if (reversal === undefined) return;
  if (entry === null) void outbox.delete(reversal.id!);
  else void outbox.put({ ...reversal, entry });
}

/** Store that the service refused a request: it has not recorded it. One that is to be taken back is dropped then. */
export async function refusePayment(request: Waiting): Promise<void> {
  await change([], async (transaction) => {
    const outbox = transaction.objectStore("outbox");
    const chain = (await outbox.getAll()).filter(({ round }) => round === request.round);
    const stored = chain.find(({ id }) => id === request.id);
    if (stored === undefined) return;
    const isWithdrawn = request.operation === "record_payment" && chain.length > 1;
    if (isWithdrawn) for (const { id } of chain) void outbox.delete(id!);
    else void outbox.put(withoutSent(request));
  });
}

function withoutSent({ isSent: _, ...request }: Waiting): Waiting {
  return request;
}

