// Payments and their reversals that wait to be sent: what they record, and how they are sent.

import type { Tablestakes } from "../../client/src/client.js";
import type { PaymentRequest, RecordedPayment, Reversal } from "../../client/src/contract.js";
import { TransportError, type ApiError } from "../../client/src/errors.js";
import type { OutboxStorage, Refusal, Waiting } from "./outbox.js";
import { postOnce } from "./posting.js";
import { describeMistake } from "./sentences.js";

export type PaymentOperation = "record_payment" | "reverse_payment";

/** A payment as the device records it: it has a reference of its own, by which the service recognizes it. */
export type Payment = Pick<PaymentRequest, "payer" | "payee" | "unit" | "amount"> & { reference: string; paid_at: string };

const PATH = "/v1/payments";
/** The code of a payment that was taken back for another reason. */
const CONFLICT = "payment-conflict";
/** The code of the warning that the same payment is recorded. */
const EQUAL = "equal-payment";
/** The code of the warning of a payment that was taken back. */
const REVERSED = "payment-reversed";

/** Return whether a request records a payment or takes one back. */
export function isPayment({ operation }: Waiting): boolean {
  return operation === "record_payment" || operation === "reverse_payment";
}

/** Return what a request records, if it is a payment. */
export function paymentOf({ body }: Waiting): Payment {
  return JSON.parse(body) as Payment;
}

/** Send a payment or a reversal, unless the service warns of the payment: then the scorekeeper is asked first. */
export async function sendPayment(
  client: Tablestakes,
  storage: OutboxStorage,
  request: Waiting,
  signal?: AbortSignal,
): Promise<void> {
  const isNew = request.operation === "record_payment" && request.isSent !== true;
  const question = isNew && request.isConfirmed !== true ? await findWarnings(client, request, signal) : null;
  if (question !== null) return storage.change({ ...request, refusal: question });
  if (!(await storage.beginPayment(request))) return undefined;
  const path = request.operation === "record_payment" ? PATH : `${PATH}/${request.entry}/reversal`;
  const response = ((await postOnce(client, path, request, signal)) ?? {}) as Partial<RecordedPayment & Reversal>;
  const { id, reference, reverses, warnings = [] } = response;
  const isIt = request.operation === "record_payment" ? reference === request.reference : reverses === request.entry;
  if (!isIt || typeof id !== "string") throw new TransportError("the response is not that of the service");
  // Sent again, it can have been taken back by somebody else.
  return storage.completePayment(request, warnings.some(({ code }) => code === REVERSED) ? null : id);
}

/** Return what the service warns of before it records a payment, or null if there is nothing to ask. */
async function findWarnings(client: Tablestakes, { body }: Waiting, signal?: AbortSignal): Promise<Refusal | null> {
  const tried = await postOnce(client, PATH, { body, idempotencyKey: null }, signal, { dry_run: true });
  const { warnings = [] } = (tried ?? {}) as Partial<RecordedPayment>;
  const [first] = warnings;
  if (first === undefined) return null;
  // The warning names the payment if the link sees it.
  const isElsewhere = warnings.some(({ code, recorded }) => code === EQUAL && recorded === undefined);
  const details = warnings.map((warning) => describeMistake(warning));
  return { code: first.code, details, isQuestion: true, ...(isElsewhere ? { isElsewhere } : {}) };
}

/** Return whether a reversal was refused because the payment was taken back before, for another reason. */
export function isTakenBack(error: ApiError, { operation }: Waiting): boolean {
  return operation === "reverse_payment" && error.code === CONFLICT;
}
