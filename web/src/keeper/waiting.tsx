import type { Waiting } from "../api/outbox.js";
import type { Outbox } from "./outbox.js";
import { changeInOutbox } from "./storage.js";

interface Props {
  outbox: Outbox;
  requests: Waiting[];
  /** Opens the cards of a refused hand again. Undefined for a request that cannot be edited here. */
  onEdit(request: Waiting): Promise<void>;
  onDrop(request: Waiting): Promise<void>;
}

/** The requests of a round that wait to be sent, and what can be done with a refused one. */
export function WaitingRequests({ outbox, requests, onEdit, onDrop }: Props) {
  const tryAgain = async (request: Waiting): Promise<void> => {
    await changeInOutbox({ ...request, refusal: null });
    await outbox.send();
  };
  return (
    <>
      {requests.map((request) =>
        request.refusal === null ? (
          <div key={request.id} class="notice">
            <p><strong>{request.label}</strong> is saved on this device and will be sent when the service responds.</p>
            <div class="buttons"><button type="button" class="button" onClick={() => void outbox.send()}>Send now</button></div>
          </div>
        ) : (
          <div key={request.id} class="notice error" role="alert">
            <p><strong>The service refused: {request.label}.</strong></p>
            {request.refusal.map((detail) => <p key={detail}>{detail}</p>)}
            <div class="buttons">
              {request.path.endsWith("/hands") && <button type="button" class="button" onClick={() => void onEdit(request)}>Edit</button>}
              <button type="button" class="button" onClick={() => void tryAgain(request)}>Try again</button>
              <button type="button" class="button danger" onClick={() => void onDrop(request)}>Drop</button>
            </div>
          </div>
        ),
      )}
    </>
  );
}
