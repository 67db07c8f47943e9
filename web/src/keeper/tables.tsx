import type { Table } from "../../client/src/contract.js";

interface Props {
  tables: Table[] | null;
  onChoose(table: Table): void;
  onForget(): void;
}

/** The tables of the club. */
export function TablesScreen({ tables, onChoose, onForget }: Props) {
  return (
    <main class="narrow stack">
      <h2>Choose a table</h2>
      {tables === null && <p class="quiet">Loading…</p>}
      {tables?.length === 0 && <p class="notice">The club has no table. Add one with <code>ofc table add</code>.</p>}
      <ul class="choices">
        {tables?.map((table) => (
          <li key={table.id}>
            <button type="button" class="choice" onClick={() => onChoose(table)}>
              <span>
                <strong>{table.name}</strong>
                <br />
                <span class="small quiet">{table.ruleset}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="button plain" onClick={onForget}>Sign out on this device</button>
    </main>
  );
}
