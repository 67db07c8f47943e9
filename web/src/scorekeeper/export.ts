// A file with the requests that wait.

import type { Waiting } from "../api/outbox.js";
import { isPayment } from "../api/payments.js";
import { isNew } from "./storage.js";

/** Return requests as lines of JSON: each with its exact body and its idempotency key, so that it takes effect once. */
export function writeQueue(requests: Waiting[]): string {
  return requests.map((request) => `${JSON.stringify(describe(request))}\n`).join("");
}

function describe(request: Waiting): object {
  const { operation, table, round, reference, entry, body, idempotencyKey, storedAt } = request;
  return {
    operation,
    table: table.name,
    round: isNew(round) || isPayment(request) ? null : round,
    reference,
    ...(entry === undefined ? {} : { payment: entry }),
    body,
    idempotency_key: idempotencyKey,
    stored_at: storedAt,
  };
}

/** Download the file in the browser. */
export function downloadQueue(requests: Waiting[]): void {
  const address = URL.createObjectURL(new Blob([writeQueue(requests)], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `tablestakes-queue-${new Date().toISOString().slice(0, 10)}.ndjson`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
