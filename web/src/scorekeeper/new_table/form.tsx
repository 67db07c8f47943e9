import { useEffect, useRef, useState } from "preact/hooks";
import type { Ruleset, Table } from "../../../client/src/contract.js";
import { ApiError } from "../../../client/src/errors.js";
import type { Session } from "../../api/session.js";
import { gettext, ngettext, pgettext } from "../../language/gettext.js";
import type { NewTableDraft } from "../database.js";
import type { Outbox } from "../outbox.js";
import { findLookalike } from "../round/names.js";
import { Problem } from "../round/problem.js";
import { useKey, useRequests } from "../round/requests.js";
import { readSetting, writeSetting } from "../storage.js";
import { useChoices } from "./choices.js";
import { GameChoice } from "./game.js";
import { PlayerChoice } from "./players.js";
import { parseAmount, suggestName } from "./words.js";

const FIRST_RULESET = "pineapple";
const FIRST_STACK = "100";
const LONGEST_NAME = 100;
/** The code of an opening at a table that has an open round. */
const ROUND_OPEN = "round-open";

interface Props {
  session: Session;
  /** The tables of the club. */
  tables: Table[];
  outbox: Outbox;
  /** Receives the table, whose first round is open. */
  onAdded(table: Table): void;
  /** Goes back to the list of tables; undefined if there are none. */
  onCancel: (() => void) | undefined;
}

/** Creates a table and opens its first round: what is played, for what, and who plays. */
export function NewTable({ session, tables, outbox, onAdded, onCancel }: Props) {
  const { choices, problem: unread } = useChoices(session, outbox);
  const [draft, change] = useDraft(tables);
  const { isBusy, problem, code, run } = useRequests({ isOffline: outbox.isOffline, onOffline: () => outbox.setOffline(true) });
  /** The name that is being typed, and whether it is asked if it is that of a known player. */
  const [text, setText] = useState("");
  const [isAsking, setAsking] = useState(false);
  const keyOfTable = useKey();
  const keyOfRound = useKey();
  const { name, ruleset, value, unit, stack } = draft;
  const known = choices?.players ?? [];
  const typed = text.trim();
  const lookalike = findLookalike(typed, [...draft.players, ...known]);
  /** Who plays, with who was typed and not added yet. */
  const players = typed === "" || draft.players.includes(typed) ? draft.players : [...draft.players, typed];
  const type = (changed: string): void => {
    setText(changed);
    setAsking(false);
  };
  const add = (): void => {
    if (lookalike !== undefined) return setAsking(true);
    setText("");
    change({ players });
  };
  const rules = choices?.rulesets.find((each) => each.name === ruleset);
  const chosen = choices?.units.find(({ code }) => code === unit);
  const pointValue = chosen === undefined ? null : parseAmount(value, chosen.digits);
  const missing = findMissing(draft, players.length, rules, chosen !== undefined && pointValue === null ? chosen.digits : null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (missing !== null || isBusy) return;
    if (lookalike !== undefined) return setAsking(true);
    const table = { name: name.trim(), ruleset, ...(pointValue === null ? {} : { point_value: pointValue, unit }) };
    const seats = players.map((player, index) => ({ seat: index + 1, player, stack: Number(stack) }));
    const added = await run(async () => {
      const created = await session.client.post("/v1/tables", { body: table, idempotencyKey: keyOfTable(JSON.stringify(table)) });
      await openRound(created, { seats });
      return created;
    });
    if (added === undefined) return;
    await writeSetting("newTable", null);
    onAdded(added);
  };
  const openRound = async ({ id }: Table, body: { seats: { seat: number; player: string; stack: number }[] }): Promise<void> => {
    try {
      const options = { path: { table_id: id }, body, idempotencyKey: keyOfRound(id + JSON.stringify(body)) };
      await session.client.post("/v1/tables/{table_id}/rounds", options);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== ROUND_OPEN) throw error;
      const { rounds } = await session.client.get("/v1/rounds", { query: { table: id, status: "open" } });
      const opened = rounds[0]?.seats.map(({ seat, player, opening_stack: points }) => ({ seat, player, stack: points }));
      // The same round was opened before, and its response was lost with the page.
      if (JSON.stringify(opened) !== JSON.stringify(body.seats)) throw error;
    }
  };
  return (
    <form class="panel new-table" onSubmit={(event) => void submit(event)}>
      <h2>{gettext("New table")}</h2>
      <Problem details={unread} />
      <div class="field">
        <label for="table-name">{pgettext("table", "Name")}</label>
        <input id="table-name" value={name} maxLength={LONGEST_NAME} autocomplete="off" onInput={(event) => change({ name: event.currentTarget.value })} />
      </div>
      <GameChoice rulesets={choices?.rulesets ?? null} chosen={ruleset} onChoose={(changed) => change({ ruleset: changed })} />
      <div class="field-row">
        <div class="field">
          <label for="table-stack">{gettext("Stack for everyone")}</label>
          <input id="table-stack" inputMode="numeric" pattern="[0-9]*" value={stack} autocomplete="off" onInput={(event) => change({ stack: event.currentTarget.value })} />
        </div>
        <div class="field">
          <label for="table-unit">{gettext("Unit")}</label>
          <select id="table-unit" value={unit} disabled={choices === null} onChange={(event) => change({ unit: event.currentTarget.value })}>
            <option value="">{gettext("points only")}</option>
            {choices?.units.map(({ code }) => <option key={code} value={code}>{code}</option>)}
          </select>
        </div>
        {unit !== "" && (
          <div class="field">
            <label for="table-value">{gettext("A point is worth")}</label>
            <input id="table-value" inputMode="decimal" placeholder="0.10" value={value} autocomplete="off" onInput={(event) => change({ value: event.currentTarget.value })} />
          </div>
        )}
      </div>
      <PlayerChoice
        {...{ known, text }}
        players={draft.players}
        lookalike={isAsking ? lookalike : undefined}
        onText={type}
        onAdd={add}
        onChange={(changed) => change({ players: changed })}
      />
      <Problem details={code === ROUND_OPEN ? [gettext("Another table has this name, and others play there now. Choose another name.")] : problem && [...new Set(problem)]} />
      {missing && <p class="quiet small" role="status">{missing}</p>}
      <button type="submit" class="button primary large" disabled={isBusy || missing !== null}>{isBusy ? gettext("Opening…") : gettext("Start the first hand")}</button>
      {onCancel && <button type="button" class="button plain" onClick={onCancel}>{gettext("Cancel")}</button>}
    </form>
  );
}

/** Return what is missing before the first hand, in words; empty while the rulesets are read, null if nothing is. */
function findMissing(
  { name, stack }: NewTableDraft, players: number, rules: Ruleset | undefined, digitsOfWrongValue: number | null,
): string | null {
  if (rules === undefined) return "";
  const { min, max } = rules.players;
  if (players < min || players > max) return describePlayers(min, max);
  if (!/^\d{1,9}$/.test(stack) || Number(stack) === 0) return gettext("Every player begins with a stack of whole points.");
  if (digitsOfWrongValue !== null) {
    return ngettext(
      "Enter what a point is worth, with at most %(count)s decimal.",
      "Enter what a point is worth, with at most %(count)s decimals.",
      digitsOfWrongValue,
    );
  }
  return name.trim() === "" ? gettext("The table needs a name.") : null;
}

/** Return how many players a game takes. */
function describePlayers(min: number, max: number): string {
  if (min === max) return ngettext("%(count)s player plays this game.", "%(count)s players play this game.", max);
  return ngettext("%(min)s to %(count)s player plays this game.", "%(min)s to %(count)s players play this game.", max, { min });
}

/** Return what the form has, and what changes it. It is stored, so that it is there again after the page was closed. */
function useDraft(tables: Table[]): [NewTableDraft, (values: Partial<NewTableDraft>) => void] {
  const [draft, setDraft] = useState<NewTableDraft>(() => ({
    name: suggestName(new Date(), tables.map(({ name }) => name)),
    ruleset: FIRST_RULESET,
    value: "",
    unit: "",
    stack: FIRST_STACK,
    players: [],
  }));
  const isChanged = useRef(false);
  useEffect(() => {
    void readSetting("newTable").then((stored) => stored && !isChanged.current && setDraft(stored));
  }, []);
  const change = (values: Partial<NewTableDraft>): void => {
    isChanged.current = true;
    const changed = { ...draft, ...values };
    setDraft(changed);
    void writeSetting("newTable", changed);
  };
  return [draft, change];
}
