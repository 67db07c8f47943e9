import type { Waiting } from "../api/outbox.js";
import { ConfirmButton } from "./confirm.js";
import { findBehind, listDroppedWith } from "./outbox_storage.js";

interface Props {
  request: Waiting;
  /** All requests of its table that wait. */
  requests: Waiting[];
  onDrop(): void;
}

/** Drops a request, after a question that lists what is dropped with it and what is sent without it. */
export function DropButton({ request, requests, onDrop }: Props) {
  const dropped = listDroppedWith(request, requests);
  const sent = findBehind(requests, request).filter((each) => !dropped.includes(each));
  return (
    <ConfirmButton label="Drop" action={`Drop ${[request, ...dropped].map(({ label }) => label).join(", ")}`} onYes={onDrop}>
      <p>
        <strong>Deleted from this device without being recorded:</strong>{" "}
        {listLabels([request, ...dropped])}.
      </p>
      {sent.length > 0 && (
        <p>
          {listLabels(sent)} {sent.length === 1 ? "stays and is" : "stay and are"} sent next. Without {request.label}, the service may
          refuse {sent.length === 1 ? "it" : "them"}: hands are numbered in order.
        </p>
      )}
    </ConfirmButton>
  );
}

function listLabels(requests: Waiting[]): string {
  return requests.map(({ label }) => label).join(", ");
}
