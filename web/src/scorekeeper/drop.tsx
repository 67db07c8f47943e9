import type { Waiting } from "../api/outbox.js";
import { gettext, ngettext } from "../language/gettext.js";
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
    <ConfirmButton label={gettext("Drop")} action={gettext("Drop %(requests)s", { requests: listLabels([request, ...dropped]) })} onYes={onDrop}>
      <p>
        <strong>{gettext("Deleted from this device without being recorded:")}</strong>{" "}
        {listLabels([request, ...dropped])}.
      </p>
      {sent.length > 0 && (
        <p>
          {ngettext(
            "%(requests)s stays and is sent next. Without %(dropped)s, the service may refuse it: hands are numbered in order.",
            "%(requests)s stay and are sent next. Without %(dropped)s, the service may refuse them: hands are numbered in order.",
            sent.length,
            { requests: listLabels(sent), dropped: request.label },
          )}
        </p>
      )}
    </ConfirmButton>
  );
}

function listLabels(requests: Waiting[]): string {
  return requests.map(({ label }) => label).join(", ");
}
