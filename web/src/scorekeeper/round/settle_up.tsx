import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Round, Table, TableStatement } from "../../../client/src/contract.js";
import { serviceNow } from "../../api/clock.js";
import type { Session } from "../../api/session.js";
import { gettext, pgettext } from "../../language/gettext.js";
import type { Rules } from "../../rules/index.js";
import { formatChange, formatMoney, signClass } from "../format.js";
import type { Outbox } from "../outbox.js";
import { describeLine, describePayment } from "../payments/lines.js";
import type { Line } from "../payments/settling.js";
import { ToPayList } from "../payments/to_pay.js";
import type { AccountReader } from "../payments/use_account.js";
import { eveningOf } from "./evening.js";
import { Problem } from "./problem.js";
import { useRequests, useReturns, type Connection } from "./requests.js";
import { countPoints } from "./words.js";

interface Props {
  session: Session;
  rules: Rules | null;
  table: Table;
  round: Round;
  outbox: Outbox;
  account: AccountReader;
  connection: Connection;
  /** Whether payments can be recorded with the link or key. */
  canRecord: boolean;
  /** Closes the open round; undefined if that is not possible now. */
  onClose: ((reason: string) => void) | undefined;
}

type Part = "pay" | "tonight" | "all";

const PARTS: readonly Part[] = ["pay", "tonight", "all"];

/** Who still pays whom, to tick what is paid; and the results of tonight or of all rounds, to share or to save. */
export function SettleUp({ session, table, connection, ...ticking }: Props) {
  const [part, setPart] = useState<Part>("pay");
  const [lines, setLines] = useState<Line[]>([]);
  const { round } = ticking;
  return (
    <section class="panel" aria-labelledby="settle-title">
      <h2 id="settle-title">{gettext("Settle up")}</h2>
      <div class="buttons" role="group" aria-label={gettext("Settle up")}>
        {PARTS.map((each) => (
          <button key={each} type="button" class="button toggle" aria-pressed={each === part} onClick={() => setPart(each)}>{namePart(each)}</button>
        ))}
      </div>
      {part === "pay" ? (
        <>
          <ToPayList {...{ table, ...ticking }} onLines={setLines} />
          <Share text={[table.name, ...lines.map(describeLine)].join("\n")} isEmpty={lines.length === 0} />
        </>
      ) : (
        <Results key={part} {...{ session, table, connection }} period={part} version={`${round.id} ${round.version}`} />
      )}
    </section>
  );
}

function namePart(part: Part): string {
  switch (part) {
    case "pay":
      return gettext("To pay");
    case "tonight":
      return gettext("Tonight");
    case "all":
      return gettext("All rounds");
  }
}

interface ResultsProps extends Pick<Props, "session" | "table" | "connection"> {
  period: Exclude<Part, "pay">;
  /** Changes when the table's rounds do. */
  version: string;
}

/** The results of rounds with the open one, and the payments that settle these rounds alone. */
function Results({ session, table, connection, period, version }: ResultsProps) {
  const [found, setFound] = useState<{ statement: TableStatement; evening: string | null } | null>(null);
  const { problem, run } = useRequests(connection);
  const saving = useRequests(connection);
  const returns = useReturns(connection);
  useEffect(() => {
    setFound(null);
    const read = async () => {
      const evening = period === "all" ? null : eveningOf(await session.client.get("/v1/club"), new Date(serviceNow()));
      const query = evening === null ? {} : { evening };
      const statement = await session.client.get("/v1/tables/{table_id}/statement", { path: { table_id: table.id }, query });
      return { statement, evening };
    };
    void run(read).then((result) => result !== undefined && setFound(result));
  }, [session, table.id, period, version, returns]);

  const lines = found === null ? [] : listPayments(found.statement);
  const text = [describePeriod(table.name, found?.evening ?? null), ...lines].join("\n");
  const download = async (): Promise<void> => {
    const query = { tables: table.id, ...(found?.evening ? { evening: found.evening } : {}) };
    const csv = await saving.run(() => session.client.get("/v1/statement", { query, headers: { Accept: "text/csv" } }));
    const rounds = found?.evening ?? pgettext("rounds, in the name of a file", "all");
    if (csv !== undefined) save(csv as unknown as string, `${[table.name, rounds].join(" ")}.csv`);
  };
  return (
    <>
      <Problem details={problem} />
      {found === null && problem === null && <p class="quiet">{gettext("Loading…")}</p>}
      {found !== null && (
        <>
          <Payments statement={found.statement} lines={lines} />
          <Share text={text} isEmpty={lines.length === 0}>
            <button type="button" class="button" disabled={found.statement.players.length === 0} onClick={() => void download()}>{gettext("Save as CSV")}</button>
          </Share>
          <Problem details={saving.problem} />
        </>
      )}
    </>
  );
}

/** Return the title of the payments of an evening, or with null of all rounds. */
function describePeriod(table: string, evening: string | null): string {
  if (evening === null) return gettext("%(table)s, all rounds", { table });
  return gettext("%(table)s, tonight (%(evening)s)", { table, evening });
}

/** Shares a text by the dialog of the device, or copies it. */
function Share({ text, isEmpty, children }: { text: string; isEmpty: boolean; children?: ComponentChildren }) {
  const [copied, setCopied] = useState<"copied" | "shown" | null>(null);
  useEffect(() => setCopied(null), [text]);
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
  return (
    <>
      <div class="buttons">
        <button type="button" class="button" disabled={isEmpty} onClick={() => void share()}>{pgettext("button", "Share")}</button>
        {children}
      </div>
      <p role="status" class="small">{copied !== null && (copied === "copied" ? gettext("Copied as text.") : gettext("Copy this text:"))}</p>
      {copied === "shown" && <textarea class="shared-text" aria-label={gettext("Text to share")} readOnly rows={text.split("\n").length + 1} value={text} />}
    </>
  );
}

function Payments({ statement, lines }: { statement: TableStatement; lines: string[] }) {
  const digits = statement.unit_digits;
  const hasMoney = statement.players.some(({ money }) => Object.keys(money).length > 0);
  return (
    <>
      {statement.open_rounds > 0 && <p class="small quiet">{gettext("With the open round as it is now.")}</p>}
      {lines.length === 0 && <p>{gettext("No payments.")}</p>}
      <ul class="settle-lines">{lines.map((line) => <li key={line}>{line}</li>)}</ul>
      {statement.players.length > 0 && (
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">{gettext("Player")}</th>
              <th scope="col" class="figure">{gettext("Net")}</th>
              {hasMoney && <th scope="col" class="figure">{gettext("Money")}</th>}
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
  const money = payments.money.map(({ payer, payee, amount, unit }) =>
    describePayment({ payer, payee, amount: formatMoney(amount, unit, digits[unit] ?? 0) }),
  );
  const points = payments.points
    .filter(({ point_value }) => point_value === null || money.length === 0)
    .map(({ payer, payee, amount }) => describePayment({ payer, payee, amount: countPoints(amount) }));
  return [...money, ...points];
}

function save(content: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
