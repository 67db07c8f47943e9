import type { Waiting } from "../api/outbox.js";
import { gettext } from "../language/gettext.js";
import { DropButton } from "./drop.js";
import { downloadQueue } from "./export.js";
import type { Outbox } from "./outbox.js";

interface Props {
  outbox: Outbox;
  /** Requests of tables that are not open on the page. */
  requests: Waiting[];
}

/** Requests that wait on the device for tables that are not open: to save them in a file, or to drop them. */
export function StoredRequests({ outbox, requests }: Props) {
  const tables = new Map(requests.map(({ table }) => [table.id, table.name]));
  return [...tables].map(([id, name]) => {
    const waiting = requests.filter(({ table }) => table.id === id);
    return (
      <section key={id} class="panel" aria-label={gettext("Waiting for %(table)s", { table: name })}>
        <h2>{gettext("Waiting for %(table)s", { table: name })}</h2>
        <ul class="stack">
          {waiting.map((request) => (
            <li key={request.id} class="stored-request">
              <strong>{request.label}</strong>
              {request.refusal?.details.map((detail) => <p key={detail} class="small">{gettext("Refused: %(detail)s", { detail })}</p>)}
              <div class="buttons"><DropButton request={request} requests={waiting} onDrop={() => void outbox.replace(request, null)} /></div>
            </li>
          ))}
        </ul>
        <div class="buttons"><button type="button" class="button" onClick={() => downloadQueue(waiting)}>{gettext("Export")}</button></div>
      </section>
    );
  });
}
