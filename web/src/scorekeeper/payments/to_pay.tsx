import { useEffect, useState } from "preact/hooks";
import type { Round, Table } from "../../../client/src/contract.js";
import { language } from "../../language/current.js";
import { gettext, pgettext } from "../../language/gettext.js";
import type { Rules } from "../../rules/index.js";
import type { Outbox } from "../outbox.js";
import { askClosing, Question } from "../round/question.js";
import { useSettling } from "../settling.js";
import { describeLine, describeTicking, formatAmount, nameTick } from "./lines.js";
import { makePayment, makeReversal, settleUp, type Line, type ToPay, type UnitToPay } from "./settling.js";
import { addPayment, takeBack } from "./storage.js";
import { usePolling, type AccountReader } from "./use_account.js";

interface Props {
  rules: Rules | null;
  table: Table;
  round: Round;
  outbox: Outbox;
  account: AccountReader;
  /** Whether payments can be recorded with the link or key. */
  canRecord: boolean;
  /** Closes the open round, so that it counts; undefined if that is not possible now. */
  onClose: ((reason: string) => void) | undefined;
  /** Receives who pays whom, to share it. */
  onLines(lines: Line[]): void;
}

/** Who pays whom, each with a tick: by the balances of the service, and by what waits on this device. */
export function ToPayList({ rules, table, round, outbox, account, canRecord, onClose, onLines }: Props) {
  const [toPay, setToPay] = useState<ToPay | null | undefined>(undefined);
  usePolling(account);
  useEffect(() => {
    let isOver = false;
    void settleUp(rules, table).then((settled) => {
      if (isOver) return;
      setToPay(settled);
      onLines(settled?.units.flatMap(({ lines }) => lines) ?? []);
    });
    return () => void (isOver = true);
  }, [rules, table, outbox.waiting, account.version, `${round.id} ${round.version} ${round.hands} ${round.status}`]);
  // A second tap was meant for the line before, also where what waits is listed above.
  const above = outbox.isOffline ? outbox.waiting.map(({ id }) => id) : [];
  useSettling([...above, ...(toPay?.units.flatMap(({ lines }) => lines.map(keyOf)) ?? [])].join());

  const tick = (line: Line): void =>
    void outbox.store(() => (line.tick === null ? addPayment(makePayment(table, line), line.known) : takeBack(makeReversal(table, line))));
  if (toPay === undefined) return <p class="quiet">{gettext("Loading…")}</p>;
  if (toPay === null) return <p class="quiet">{gettext("The balances are not on this device. They appear when the service responds.")}</p>;
  const shown = toPay.units.filter(({ lines, balances }) => lines.length > 0 || balances.length > 0);
  return (
    <>
      <OpenRound {...{ round, onClose }} />
      {toPay.lacksRounds && (
        <p class="small quiet">{gettext("Rounds that wait to be sent are not counted: the rules are not on this device.")}</p>
      )}
      {toPay.lacksRules && <p class="small quiet">{gettext("Who pays whom is computed when the rules are on this device.")}</p>}
      {shown.length === 0 && <p>{gettext("No payments.")}</p>}
      {shown.map((unit) => (
        <UnitLines key={unit.unit.unit} {...{ unit, round, canRecord }} hasTitle={shown.length > 1} isOfClub={toPay.isOfClub} onTick={tick} />
      ))}
      {outbox.isOffline && (
        <p class="small quiet">
          {gettext("As of %(time)s, and with what was entered on this device since. What others have recorded later is not known here.", {
            time: formatTime(toPay.readAt),
          })}
        </p>
      )}
    </>
  );
}

/** Return the time of the day, as the device writes it in English, and else as the language does. */
function formatTime(time: string): string {
  return new Date(time).toLocaleTimeString(language === "en" ? [] : language, { hour: "2-digit", minute: "2-digit" });
}

/** States that the open round counts nothing, and offers to close it. */
function OpenRound({ round, onClose }: Pick<Props, "round" | "onClose">) {
  const [isAsking, setAsking] = useState(false);
  if (round.status !== "open" || round.hands === 0) return null;
  if (isAsking && onClose !== undefined) {
    return (
      <Question
        {...askClosing()}
        reason={gettext("Settled up")}
        onYes={(reason) => { setAsking(false); onClose(reason); }}
        onNo={() => setAsking(false)}
      />
    );
  }
  return (
    <div class="notice">
      <p>{gettext("The open round counts nothing until it is closed.")}</p>
      {onClose !== undefined && <div class="buttons"><button type="button" class="button" onClick={() => setAsking(true)}>{gettext("Close the round")}</button></div>}
    </div>
  );
}

interface UnitProps {
  unit: UnitToPay;
  round: Round;
  canRecord: boolean;
  hasTitle: boolean;
  isOfClub: boolean;
  onTick(line: Line): void;
}

function UnitLines({ unit, round, canRecord, hasTitle, isOfClub, onTick }: UnitProps) {
  const isHere = ({ payer, payee, tick }: Line): boolean => tick !== null || round.seats.some(({ player }) => player === payer || player === payee);
  const here = isOfClub ? unit.lines.filter(isHere) : unit.lines;
  const others = unit.lines.filter((line) => !here.includes(line));
  const list = (lines: Line[]) => (
    <ul class="settle-lines">{lines.map((line) => <PaymentLine key={keyOf(line)} {...{ line, canRecord }} onTick={() => onTick(line)} />)}</ul>
  );
  const title = unit.unit.table_name === null ? unit.unit.unit : gettext("Points at %(table)s", { table: unit.unit.table_name });
  return (
    <>
      {hasTitle && <h3>{title}</h3>}
      {list(here)}
      {others.length > 0 && <details class="settle-more"><summary>{gettext("Others in the club: %(number)s", { number: others.length })}</summary>{list(others)}</details>}
      {!unit.isFewest && <p class="small quiet">{gettext("The payments are few, but perhaps not the fewest.")}</p>}
      {unit.balances.length > 0 && (
        <details class="settle-more">
          <summary>{hasTitle ? gettext("Balances: %(unit)s", { unit: title }) : gettext("Balances")}</summary>
          <table class="figures">
            <thead>
              <tr>
                <th scope="col">{gettext("Player")}</th>
                <th scope="col" class="figure">{isOfClub ? gettext("Is owed in the club") : gettext("Is owed at this table")}</th>
              </tr>
            </thead>
            <tbody>
              {unit.balances.map(({ player, balance }) => (
                <tr key={player}>
                  <th scope="row">{player ?? pgettext("player", "the house")}</th>
                  <td class={`figure ${balance < 0 ? "loss" : "gain"}`}>{balance > 0 && "+"}{formatAmount(balance, unit.unit)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </>
  );
}

function PaymentLine({ line, canRecord, onTick }: { line: Line; canRecord: boolean; onTick(): void }) {
  const { tick } = line;
  return (
    <li class="settle-line">
      <span>
        {describeLine(line)}
        {tick !== null && <> <span class={tick.state === "waits" ? "pill warning" : "pill accent"}>{nameTick(tick.state)}</span></>}
      </span>
      {canRecord && (
        <button type="button" class={tick === null ? "button" : "button plain"} aria-label={describeTicking(line)} onClick={onTick}>
          {tick === null ? pgettext("payment", "Paid") : pgettext("payment", "Undo")}
        </button>
      )}
    </li>
  );
}

function keyOf({ payer, payee, unit, tick, amount }: Line): string {
  return tick?.reference ?? JSON.stringify([unit.unit, payer, payee, amount]);
}
