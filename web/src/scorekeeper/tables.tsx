import { useState } from "preact/hooks";
import type { Table } from "../../client/src/contract.js";
import { canAddTables, type Session } from "../api/session.js";
import { gettext } from "../language/gettext.js";
import { LanguageSelect } from "../language/select.js";
import { formatRuleset } from "./format.js";
import { NewTable } from "./new_table/form.js";
import type { Outbox } from "./outbox.js";
import { useDisputes } from "./round/disputes.js";
import { StoredRequests } from "./stored_requests.js";

interface Props {
  session: Session;
  tables: Table[] | null;
  outbox: Outbox;
  onChoose(table: Table): void;
  /** Receives a table that was created. */
  onAdded(table: Table): void;
  onForget(): void;
}

/** The tables of the club. */
export function TablesScreen({ session, tables, outbox, onChoose, onAdded, onForget }: Props) {
  const [isAdding, setAdding] = useState(false);
  const disputes = useDisputes(session, null, "");
  const isDisputed = ({ id }: Table): boolean => disputes.some(({ table }) => table === id);
  const canAdd = canAddTables(session) && tables !== null;
  if (canAdd && (isAdding || tables.length === 0)) {
    return (
      <main class="narrow stack">
        <NewTable {...{ session, tables, outbox, onAdded }} onCancel={tables.length === 0 ? undefined : () => setAdding(false)} />
        <StoredRequests outbox={outbox} requests={outbox.waiting} />
        {tables.length === 0 && <button type="button" class="button plain" onClick={onForget}>{gettext("Sign out on this device")}</button>}
        <LanguageSelect />
      </main>
    );
  }
  return (
    <main class="narrow stack">
      <h2>{gettext("Choose a table")}</h2>
      {tables === null && <p class="quiet">{gettext("Loading…")}</p>}
      {tables?.length === 0 && <p class="notice">{gettext("The club has no table. Ask a manager to create one.")}</p>}
      <ul class="choices">
        {tables?.map((table) => (
          <li key={table.id}>
            <button type="button" class="choice" onClick={() => onChoose(table)}>
              <span>
                <strong>{table.name}</strong>
                <br />
                <span class="small quiet">{formatRuleset(table.ruleset)}</span>
                {isDisputed(table) && <> <span class="pill warning">{gettext("disputed")}</span></>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {canAdd && <button type="button" class="button" onClick={() => setAdding(true)}>{gettext("New table")}</button>}
      <StoredRequests outbox={outbox} requests={outbox.waiting} />
      <button type="button" class="button plain" onClick={onForget}>{gettext("Sign out on this device")}</button>
      <LanguageSelect />
    </main>
  );
}
