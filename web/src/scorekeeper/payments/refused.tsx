import type { Waiting } from "../../api/outbox.js";
import { DropButton } from "../drop.js";
import { downloadQueue } from "../export.js";
import { retryRequest } from "../local_rounds.js";
import type { Outbox } from "../outbox.js";
import { dropRecorded } from "./storage.js";

interface Props {
  outbox: Outbox;
  request: Waiting;
  /** The requests of the table. */
  requests: Waiting[];
  /** Sends another request in place of a refused one, or with null drops it. */
  onReplace(request: Waiting, by: Waiting | null): Promise<void>;
}

/** A payment, or its reversal, that the service refused, or warned of before it was recorded. */
export function RefusedPayment({ outbox, request, requests, onReplace }: Props) {
  const { details, isQuestion } = request.refusal!;
  if (isQuestion === true) {
    return (
      <section class="notice error" role="alert" aria-label={request.label}>
        <h2 class="refused">{request.label}: is it another one?</h2>
        {details.map((detail) => <p key={detail}>{detail}</p>)}
        <p>Nothing was recorded yet. Somebody else may have recorded this payment already.</p>
        <div class="buttons">
          <button type="button" class="button" onClick={() => void outbox.store(() => dropRecorded(request))}>It is recorded already</button>
          <button type="button" class="button" onClick={() => void onReplace(request, { ...request, refusal: null, isConfirmed: true })}>Record it too</button>
        </div>
      </section>
    );
  }
  return (
    <section class="notice error" role="alert" aria-label={request.label}>
      <h2 class="refused">The service refused: {request.label}.</h2>
      {details.map((detail) => <p key={detail}>{detail}</p>)}
      <div class="buttons">
        <button type="button" class="button" onClick={() => void onReplace(request, retryRequest(request))}>Try again</button>
        <button type="button" class="button plain" onClick={() => downloadQueue(requests)}>Export</button>
        <DropButton {...{ request, requests }} onDrop={() => void onReplace(request, null)} />
      </div>
    </section>
  );
}
