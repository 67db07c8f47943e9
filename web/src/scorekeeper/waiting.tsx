import type { HandRequest, Table } from "../../client/src/contract.js";
import { EXPECTED_DIFFERS, rewriteRequest, type Waiting } from "../api/outbox.js";
import { isPayment } from "../api/payments.js";
import { CONFLICT, HAND_UNDONE } from "../api/scorer.js";
import type { Session } from "../api/session.js";
import { Conflict } from "./conflict.js";
import { DropButton } from "./drop.js";
import { StoredWarning, useStorageFailure } from "./environment.js";
import { downloadQueue } from "./export.js";
import { isEnding, retryRequest } from "./local_rounds.js";
import type { Outbox } from "./outbox.js";
import { RefusedPayment } from "./payments/refused.js";
import { describeTerms } from "./terms.js";

const SAME_DEAL = "same-deal";
/** The code of an opening at a table that has an open round. */
const ROUND_OPEN = "round-open";

interface Props {
  session: Session;
  table: Table;
  outbox: Outbox;
  /** The requests of the table. */
  requests: Waiting[];
  /** Opens the cards of a refused hand again, or the form of a refused opening. */
  onEdit(request: Waiting): Promise<void>;
  /** Sends another request in place of a refused one, or with null drops it. */
  onReplace(request: Waiting, by: Waiting | null): Promise<void>;
  /** Whether the round that is open at the service is shown, instead of one that waits to be opened. */
  showsOther: boolean;
  onShowOther(shows: boolean): void;
}

/** The requests of a table that wait to be sent, and what can be done with a refused one. */
export function WaitingRequests({ outbox, ...shared }: Props) {
  const { requests } = shared;
  const isInMemory = useStorageFailure();
  if (requests.length === 0) return null;
  // Settle up shows payments. Listed above it, one that is sent at once would move it under the finger.
  const sent = requests.filter((request) => request.refusal === null && (outbox.isOffline || !isPayment(request)));
  return (
    <>
      {requests.map((request) => request.refusal !== null && (
        isPayment(request)
          ? <RefusedPayment key={request.id} {...{ outbox, request, requests }} onReplace={shared.onReplace} />
          : <Refused key={request.id} {...shared} request={request} />
      ))}
      {sent.length > 0 && (
        <div class="notice">
          <p>
            <strong>{sent.map(({ label }) => label).join(", ")}</strong>{" "}
            {isInMemory
              ? `${sent.length === 1 ? "is" : "are"} on this open page only and will be sent when the service responds. Keep the page open.`
              : `${sent.length === 1 ? "is" : "are"} saved on this device and will be sent when the service responds.`}
          </p>
          {!isInMemory && <StoredWarning />}
          <div class="buttons">
            <button type="button" class="button" onClick={() => void outbox.send()}>Send now</button>
            <button type="button" class="button plain" onClick={() => downloadQueue(outbox.waiting)}>Export</button>
          </div>
        </div>
      )}
    </>
  );
}

type RefusedProps = Omit<Props, "outbox"> & { request: Waiting };

function Refused({ session, table, request, requests, onEdit, onReplace, showsOther, onShowOther }: RefusedProps) {
  const { code, details, hand, isTableChanged } = request.refusal!;
  const send = (changes: object): void => {
    const body = JSON.parse(request.body) as HandRequest;
    void onReplace(request, rewriteRequest(request, { ...body, ...changes }));
  };
  const isLate = code === EXPECTED_DIFFERS && isEnding(request);
  const canEdit = request.operation === "record_hand" || request.operation === "open_round";
  return (
    <section class="notice error" role="alert" aria-label={request.label}>
      <h2 class="refused">The service refused: {request.label}.</h2>
      {code === CONFLICT && <p>The hand is recorded with other cards, another button or other points added.</p>}
      {isLate && <p>Another device has recorded or undone a hand since. Tried again, it takes effect after the hands that are recorded now.</p>}
      {code !== CONFLICT && !isLate && details.map((detail) => <p key={detail}>{detail}</p>)}
      {isTableChanged && (
        <p>
          The table now has {describeTerms(table)}. Edit opens the round as the table is now, and its hands are scored
          again. To record the hands as they were played, change the table back and try again.
        </p>
      )}
      {code === CONFLICT && <Conflict {...{ session, request }} onResolved={() => onReplace(request, null)} />}
      <div class="buttons">
        {code === HAND_UNDONE && <button type="button" class="button" onClick={() => send({ restores: hand })}>Restore it</button>}
        {code === SAME_DEAL && <button type="button" class="button" onClick={() => send({ dealt_again: true })}>They were dealt twice</button>}
        {code === ROUND_OPEN && (
          <button type="button" class="button" onClick={() => onShowOther(!showsOther)}>
            {showsOther ? "Back to the round of this device" : "Show the open round"}
          </button>
        )}
        {canEdit && <button type="button" class="button" onClick={() => void onEdit(request)}>Edit</button>}
        <button type="button" class="button" onClick={() => void onReplace(request, retryRequest(request))}>Try again</button>
        <button type="button" class="button plain" onClick={() => downloadQueue(requests)}>Export</button>
        <DropButton {...{ request, requests }} onDrop={() => void onReplace(request, null)} />
      </div>
    </section>
  );
}
