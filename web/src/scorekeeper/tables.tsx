import type { Table } from "../../client/src/contract.js";
import type { Session } from "../api/session.js";
import { formatRuleset } from "./format.js";
import type { Outbox } from "./outbox.js";
import { useDisputes } from "./round/disputes.js";
import { StoredRequests } from "./stored_requests.js";

interface Props {
  session: Session;
  tables: Table[] | null;
  outbox: Outbox;
  onChoose(table: Table): void;
  onForget(): void;
}

/** The tables of the club. */
export function TablesScreen({ session, tables, outbox, onChoose, onForget }: Props) {
  const disputes = useDisputes(session, null, "");
  const isDisputed = ({ id }: Table): boolean => disputes.some(({ table }) => table === id);
  return (
    <main class="narrow stack">
      <h2>Choose a table</h2>
      {tables === null && <p class="quiet">Loading…</p>}
      {tables?.length === 0 && <p class="notice">The club has no table. Create one with <code>ofc table create</code>.</p>}
      <ul class="choices">
        {tables?.map((table) => (
          <li key={table.id}>
            <button type="button" class="choice" onClick={() => onChoose(table)}>
              <span>
                <strong>{table.name}</strong>
                <br />
                <span class="small quiet">{formatRuleset(table.ruleset)}</span>
                {isDisputed(table) && <> <span class="pill warning">disputed</span></>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <StoredRequests outbox={outbox} requests={outbox.waiting} />
      <button type="button" class="button plain" onClick={onForget}>Sign out on this device</button>
    </main>
  );
}
