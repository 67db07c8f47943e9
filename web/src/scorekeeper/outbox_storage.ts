// The requests that wait, in IndexedDB. Each change of the queue and of what belongs to it is one transaction.

import { rewriteRequest, type Accepted, type Waiting } from "../api/outbox.js";
import { hold, use, write, type StoredRound, type StoreName, type Transaction } from "./database.js";
import { addRound } from "./payments/account.js";
import { keyOf, resolveRound } from "./storage.js";
import { hasSameTerms } from "./terms.js";

interface NumberedBody {
  number?: number;
  hand?: string;
}

/** Return all waiting requests, oldest first. */
export async function readOutbox(): Promise<Waiting[]> {
  const requests = await use((database) => database.getAll("outbox"));
  hold(requests);
  return requests;
}

/** Change the queue in a transaction, and remember what waits after it. */
export async function change<T>(names: StoreName[], action: (transaction: Transaction) => Promise<T>): Promise<T> {
  let after: Waiting[] = [];
  const result = await write(["outbox", ...names], async (transaction) => {
    const value = await action(transaction);
    after = await transaction.objectStore("outbox").getAll();
    return value;
  });
  hold(after);
  return result;
}

/** Add a request or replace one. The draft that a hand was made from is removed. Returns its number in the queue. */
export async function addRequest(request: Waiting): Promise<number> {
  return change(["drafts", "opened", "rounds"], async (transaction) => {
    // Another tab can have sent the opening of its round meanwhile.
    const round = await resolveRound(transaction, request.round);
    const id = await transaction.objectStore("outbox").put(await nameSent(transaction, { ...request, round }));
    if (request.operation === "record_hand") {
      const { number } = JSON.parse(request.body) as { number: number };
      void transaction.objectStore("drafts").delete(keyOf(round, number));
    }
    return id;
  });
}

/** Add the opening of a round, with what is needed to play it before the service has opened it. */
export async function addOpening(request: Waiting, opened: StoredRound): Promise<number> {
  return change(["rounds"], async (transaction) => {
    void transaction.objectStore("rounds").put(opened, opened.round.id);
    return transaction.objectStore("outbox").put(request);
  });
}

export async function changeRequest(request: Waiting): Promise<void> {
  await change([], async (transaction) => {
    // Another tab can have sent or dropped it.
    const outbox = transaction.objectStore("outbox");
    const stored = await outbox.get(request.id!);
    if (stored !== undefined) void outbox.put({ ...request, round: stored.round });
  });
}

/** Remove a request that the service accepted, and store the round as it is now. */
export async function completeRequest(request: Waiting, { round, hand }: Accepted): Promise<void> {
  await change(["rounds", "drafts", "opened", "tables"], async (transaction) => {
    void transaction.objectStore("outbox").delete(request.id!);
    await addRound(transaction, round);
    if (request.operation === "open_round") {
      await renameRound(transaction, request.round, round.id);
      const rounds = transaction.objectStore("rounds");
      const stored = await rounds.get(round.id);
      // With other terms than this device played by, the round is read again.
      if (stored !== undefined && hasSameTerms(stored.round, round)) void rounds.put({ ...stored, round }, round.id);
      else void rounds.delete(round.id);
      return;
    }
    await addToSent(transaction, request, { round, hand });
    if (hand !== null) await nameInUndo(transaction, request, hand.id);
  });
}

/** Replace the ID of a round that was opened on this device by the one of the service, everywhere. */
async function renameRound(transaction: Transaction, before: string, id: string): Promise<void> {
  void transaction.objectStore("opened").put(id, before);
  const outbox = transaction.objectStore("outbox");
  for (const waiting of await outbox.getAll()) if (waiting.round === before) void outbox.put({ ...waiting, round: id });
  const drafts = transaction.objectStore("drafts");
  for (const draft of await drafts.getAll()) {
    if (draft.round !== before) continue;
    void drafts.delete(keyOf(before, draft.number));
    void drafts.put({ ...draft, round: id }, keyOf(id, draft.number));
  }
  const rounds = transaction.objectStore("rounds");
  const stored = await rounds.get(before);
  void rounds.delete(before);
  if (stored !== undefined) void rounds.put(stored, id);
}

/** Add a request to those that a stored round has received. If others changed the round too, it is read again. */
async function addToSent(transaction: Transaction, request: Waiting, { round, hand }: Accepted): Promise<void> {
  const rounds = transaction.objectStore("rounds");
  const stored = await rounds.get(request.round);
  if (stored === undefined) return;
  const sent = { operation: request.operation, body: JSON.parse(request.body) as object };
  const isNext = round.version === stored.round.version + 1 && hasSameTerms(stored.round, round);
  const hands = [...stored.hands.filter(({ number }) => number !== hand?.number), ...(hand === null ? [] : [hand])];
  if (isNext) void rounds.put({ ...stored, round, hands, sent: [...stored.sent, sent] }, round.id);
  else void rounds.delete(round.id);
}

/** Add the ID of a hand's record to an undo after it, so that it never undoes another hand with the number. */
async function nameInUndo(transaction: Transaction, recorded: Waiting, hand: string): Promise<void> {
  const { number } = JSON.parse(recorded.body) as NumberedBody;
  const outbox = transaction.objectStore("outbox");
  const next = findBehind(await outbox.getAll(), recorded).find((each) => numberOf(each) === number);
  if (next?.operation !== "undo_hand") return;
  const body = { ...(JSON.parse(next.body) as object), hand };
  void outbox.put(rewriteRequest(next, body));
}

/** Return a request; an undo names the record of its hand, if the hand was sent since the undo was tapped. */
async function nameSent(transaction: Transaction, request: Waiting): Promise<Waiting> {
  const body = JSON.parse(request.body) as NumberedBody;
  if (request.operation !== "undo_hand" || body.hand !== undefined) return request;
  const waiting = await transaction.objectStore("outbox").getAll();
  if (waiting.some((each) => each.round === request.round && each.operation === "record_hand" && numberOf(each) === body.number)) return request;
  const recorded = (await transaction.objectStore("rounds").get(request.round))?.hands.find(({ number }) => number === body.number);
  return recorded === undefined ? request : { ...request, body: JSON.stringify({ ...body, hand: recorded.id }) };
}

/** Drop a request with what makes no sense without it: an opening with its round, a hand with everything up to its undo. */
export async function dropRequest(request: Waiting): Promise<void> {
  await change(["rounds", "drafts"], async (transaction) => {
    const outbox = transaction.objectStore("outbox");
    const dropped = listDroppedWith(request, await outbox.getAll());
    for (const { id } of [request, ...dropped]) void outbox.delete(id!);
    if (request.operation !== "open_round") return;
    void transaction.objectStore("rounds").delete(request.round);
    const drafts = transaction.objectStore("drafts");
    for (const draft of await drafts.getAll()) {
      if (draft.round === request.round) void drafts.delete(keyOf(draft.round, draft.number));
    }
  });
}

/** Return the requests that are dropped together with one. */
export function listDroppedWith(request: Waiting, requests: Waiting[]): Waiting[] {
  const behind = findBehind(requests, request);
  if (request.operation === "open_round" || request.operation === "record_payment") return behind;
  const undo = behind.findIndex((each) => numberOf(each) === numberOf(request));
  const isUndone = request.operation === "record_hand" && behind[undo]?.operation === "undo_hand";
  return isUndone ? behind.slice(0, undo + 1) : [];
}

/** Return the requests of a round that were queued after one of it. */
export function findBehind(requests: Waiting[], request: Waiting): Waiting[] {
  return requests.filter(({ id, round }) => round === request.round && id! > request.id!);
}

function numberOf(request: Waiting): number | undefined {
  return (JSON.parse(request.body) as NumberedBody).number;
}
