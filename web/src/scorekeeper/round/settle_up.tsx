import { useEffect, useState } from "preact/hooks";
import type { Table, TableStatement } from "../../../client/src/contract.js";
import { serviceNow } from "../../api/clock.js";
import type { Session } from "../../api/session.js";
import { formatChange, formatMoney, signClass } from "../format.js";
import { eveningOf } from "./evening.js";
import { Problem } from "./problem.js";
import { useRequests, useReturns, type Connection } from "./requests.js";

interface Props {
  session: Session;
  table: Table;
  /** Changes when the table's rounds do. */
  version: string;
  connection: Connection;
}

type Period = "tonight" | "all";

const PERIODS: Record<Period, string> = { tonight: "Tonight", all: "All rounds" };

/** Who pays whom, tonight or in all rounds, to share or to save. */
export function SettleUp({ session, table, version, connection }: Props) {
  const [period, setPeriod] = useState<Period>("tonight");
  const [found, setFound] = useState<{ statement: TableStatement; evening: string | null } | null>(null);
  const [copied, setCopied] = useState<"copied" | "shown" | null>(null);
  const { problem, run } = useRequests(connection);
  const saving = useRequests(connection);
  const returns = useReturns(connection);
  useEffect(() => {
    setFound(null);
    setCopied(null);
    const read = async () => {
      const evening = period === "all" ? null : eveningOf(await session.client.get("/v1/club"), new Date(serviceNow()));
      const query = evening === null ? {} : { evening };
      const statement = await session.client.get("/v1/tables/{table_id}/statement", { path: { table_id: table.id }, query });
      return { statement, evening };
    };
    void run(read).then((result) => result !== undefined && setFound(result));
  }, [session, table.id, period, version, returns]);

  const lines = found === null ? [] : listPayments(found.statement);
  const text = [`${table.name}, ${PERIODS[period].toLowerCase()}${found?.evening ? ` (${found.evening})` : ""}`, ...lines].join("\n");
  const share = async (): Promise<void> => {
    if (typeof navigator.share === "function") {
      // A dialog that is closed without a choice is no error.
      await navigator.share({ text }).catch(() => undefined);
      return;
    }
    try {
      await navigator.clipboard.writeText(text);
      setCopied("copied");
    } catch {
      setCopied("shown");
    }
  };
  const download = async (): Promise<void> => {
    const query = { tables: table.id, ...(found?.evening ? { evening: found.evening } : {}) };
    const csv = await saving.run(() => session.client.get("/v1/statement", { query, headers: { Accept: "text/csv" } }));
    if (csv !== undefined) save(csv as unknown as string, `${table.name} ${found?.evening ?? "all"}.csv`);
  };
  return (
    <section class="panel" aria-labelledby="settle-title">
      <h2 id="settle-title">Settle up</h2>
      <div class="buttons" role="group" aria-label="Rounds">
        {(Object.keys(PERIODS) as Period[]).map((each) => (
          <button key={each} type="button" class="button toggle" aria-pressed={each === period} onClick={() => setPeriod(each)}>{PERIODS[each]}</button>
        ))}
      </div>
      <Problem details={problem} />
      {found === null && problem === null && <p class="quiet">Loading…</p>}
      {found !== null && (
        <>
          <Payments statement={found.statement} lines={lines} />
          <div class="buttons">
            <button type="button" class="button" disabled={lines.length === 0} onClick={() => void share()}>Share</button>
            <button type="button" class="button" disabled={found.statement.players.length === 0} onClick={() => void download()}>Save as CSV</button>
          </div>
          <Problem details={saving.problem} />
          <p role="status" class="small">{copied !== null && (copied === "copied" ? "Copied as text." : "Copy this text:")}</p>
          {copied === "shown" && <textarea class="shared-text" aria-label="Text to share" readOnly rows={lines.length + 2} value={text} />}
        </>
      )}
    </section>
  );
}

function Payments({ statement, lines }: { statement: TableStatement; lines: string[] }) {
  const digits = statement.unit_digits;
  const hasMoney = statement.players.some(({ money }) => Object.keys(money).length > 0);
  return (
    <>
      {statement.open_rounds > 0 && <p class="small quiet">With the open round as it is now.</p>}
      {lines.length === 0 && <p>No payments.</p>}
      <ul class="settle-lines">{lines.map((line) => <li key={line}>{line}</li>)}</ul>
      {statement.players.length > 0 && (
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">Player</th>
              <th scope="col" class="figure">Net</th>
              {hasMoney && <th scope="col" class="figure">Money</th>}
            </tr>
          </thead>
          <tbody>
            {statement.players.map(({ player, net, money }) => (
              <tr key={player}>
                <th scope="row">{player}</th>
                <td class={`figure ${signClass(net)}`}>{formatChange(net)}</td>
                {hasMoney && (
                  <td class="figure">
                    {Object.entries(money).map(([unit, amount]) => formatMoney(amount, unit, digits[unit] ?? 0)).join(", ")}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** Return who pays whom: in money, and in points where these have no value. */
function listPayments({ payments, unit_digits: digits }: TableStatement): string[] {
  const money = payments.money.map(
    ({ payer, payee, amount, unit }) => `${payer} pays ${payee} ${formatMoney(amount, unit, digits[unit] ?? 0)}`,
  );
  const points = payments.points
    .filter(({ point_value }) => point_value === null || money.length === 0)
    .map(({ payer, payee, amount }) => `${payer} pays ${payee} ${amount} ${amount === 1 ? "point" : "points"}`);
  return [...money, ...points];
}

function save(content: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
