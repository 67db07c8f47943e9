import type { Waiting } from "../../api/outbox.js";
import { gettext } from "../../language/gettext.js";
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
  const { label } = request;
  if (isQuestion === true) {
    return (
      <section class="notice error" role="alert" aria-label={label}>
        <h2 class="refused">{gettext("%(request)s: is it another one?", { request: label })}</h2>
        {details.map((detail) => <p key={detail}>{detail}</p>)}
        <p>{gettext("Nothing was recorded yet. Somebody else may have recorded this payment already.")}</p>
        <div class="buttons">
          <button type="button" class="button" onClick={() => void outbox.store(() => dropRecorded(request))}>{gettext("It is recorded already")}</button>
          <button type="button" class="button" onClick={() => void onReplace(request, { ...request, refusal: null, isConfirmed: true })}>{gettext("Record it too")}</button>
        </div>
      </section>
    );
  }
  return (
    <section class="notice error" role="alert" aria-label={label}>
      <h2 class="refused">{gettext("The service refused: %(request)s.", { request: label })}</h2>
      {details.map((detail) => <p key={detail}>{detail}</p>)}
      <div class="buttons">
        <button type="button" class="button" onClick={() => void onReplace(request, retryRequest(request))}>{gettext("Try again")}</button>
        <button type="button" class="button plain" onClick={() => downloadQueue(requests)}>{gettext("Export")}</button>
        <DropButton {...{ request, requests }} onDrop={() => void onReplace(request, null)} />
      </div>
    </section>
  );
}
