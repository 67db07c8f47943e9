import type { ComponentChildren } from "preact";
import type { HandRequest, Table } from "../../client/src/contract.js";
import { EXPECTED_DIFFERS, rewriteRequest, type Waiting } from "../api/outbox.js";
import { isPayment } from "../api/payments.js";
import { CONFLICT, HAND_UNDONE } from "../api/scorer.js";
import type { Session } from "../api/session.js";
import { gettext, ngettextNodes } from "../language/gettext.js";
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
            {describeSent(sent, isInMemory)}
          </p>
          {!isInMemory && <StoredWarning />}
          <div class="buttons">
            <button type="button" class="button" onClick={() => void outbox.send()}>{gettext("Send now")}</button>
            <button type="button" class="button plain" onClick={() => downloadQueue(outbox.waiting)}>{gettext("Export")}</button>
          </div>
        </div>
      )}
    </>
  );
}

/** Return what waits to be sent, as a sentence. */
function describeSent(sent: Waiting[], isInMemory: boolean): ComponentChildren {
  const requests = <strong>{sent.map(({ label }) => label).join(", ")}</strong>;
  if (isInMemory) {
    return ngettextNodes(
      "%(requests)s is on this open page only and will be sent when the service responds. Keep the page open.",
      "%(requests)s are on this open page only and will be sent when the service responds. Keep the page open.",
      sent.length,
      { requests },
    );
  }
  return ngettextNodes(
    "%(requests)s is saved on this device and will be sent when the service responds.",
    "%(requests)s are saved on this device and will be sent when the service responds.",
    sent.length,
    { requests },
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
      <h2 class="refused">{gettext("The service refused: %(request)s.", { request: request.label })}</h2>
      {code === CONFLICT && <p>{gettext("The hand is recorded with other cards, another button or other points added.")}</p>}
      {isLate && <p>{gettext("Another device has recorded or undone a hand since. Tried again, it takes effect after the hands that are recorded now.")}</p>}
      {code !== CONFLICT && !isLate && details.map((detail) => <p key={detail}>{detail}</p>)}
      {isTableChanged && (
        <p>
          {gettext(
            "The table now has %(terms)s. Edit opens the round as the table is now, and its hands are scored again. To record the hands as they were played, change the table back and try again.",
            { terms: describeTerms(table) },
          )}
        </p>
      )}
      {code === CONFLICT && <Conflict {...{ session, request }} onResolved={() => onReplace(request, null)} />}
      <div class="buttons">
        {code === HAND_UNDONE && <button type="button" class="button" onClick={() => send({ restores: hand })}>{gettext("Restore it")}</button>}
        {code === SAME_DEAL && <button type="button" class="button" onClick={() => send({ dealt_again: true })}>{gettext("They were dealt twice")}</button>}
        {code === ROUND_OPEN && (
          <button type="button" class="button" onClick={() => onShowOther(!showsOther)}>
            {showsOther ? gettext("Back to the round of this device") : gettext("Show the open round")}
          </button>
        )}
        {canEdit && <button type="button" class="button" onClick={() => void onEdit(request)}>{gettext("Edit")}</button>}
        <button type="button" class="button" onClick={() => void onReplace(request, retryRequest(request))}>{gettext("Try again")}</button>
        <button type="button" class="button plain" onClick={() => downloadQueue(requests)}>{gettext("Export")}</button>
        <DropButton {...{ request, requests }} onDrop={() => void onReplace(request, null)} />
      </div>
    </section>
  );
}
