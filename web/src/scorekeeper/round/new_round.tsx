import { useEffect, useRef, useState } from "preact/hooks";
import type { Round, RoundRequest, Table } from "../../../client/src/contract.js";
import type { Waiting } from "../../api/outbox.js";
import { gettext, pgettext } from "../../language/gettext.js";
import { readTable } from "../storage.js";
import { nextButton } from "./first_button.js";
import { findLookalike, suggestNames } from "./names.js";
import { Problem } from "./problem.js";
import type { Failure } from "./requests.js";

interface Entry {
  seat: number;
  player: string;
  /** Empty to carry the stack over. */
  stack: string;
  sits: boolean;
}

interface Props {
  table: Table;
  /** The last round of the table, whose players are suggested. */
  last: Round | null;
  /** A refused opening that is edited: its players are suggested, with the stacks that this device played with. */
  editing: Waiting | null;
  /** The seat that had the button last; null if it is not known. The next player is suggested. */
  lastButton: number | null;
  /** Returns the points of a rebuy. */
  rebuyOf(seat: number): number;
  problem: Failure | null;
  isBusy: boolean;
  /** Returns the known players of the club that new players look like, by the new names. */
  onCheck(round: RoundRequest): Promise<ReadonlyMap<string, string>>;
  onOpen(round: RoundRequest, button: number | null): void;
}

/** The ID of the form, for a button outside of it. */
export const NEW_ROUND = "new-round";
const FEWEST_ENTRIES = 3;
const MOST_SUGGESTED = 6;

/** Suggest the players of the last round. Who has busted or left sits out; a busted player would begin with a rebuy. */
function suggest({ last, editing, rebuyOf }: Pick<Props, "last" | "editing" | "rebuyOf">): Entry[] {
  const entries = editing === null ? readSeats(last, rebuyOf) : readOpening(editing);
  while (entries.length < FEWEST_ENTRIES) entries.push(emptyEntry(entries));
  return entries;
}

function readSeats(last: Round | null, rebuyOf: Props["rebuyOf"]): Entry[] {
  return (last?.seats ?? []).map(({ seat, player, stack, playing }) => ({
    seat,
    player,
    stack: stack === 0 ? String(rebuyOf(seat)) : "",
    sits: playing && stack > 0,
  }));
}

function readOpening(opening: Waiting): Entry[] {
  const { seats, expected } = JSON.parse(opening.body) as RoundRequest & { expected: { seats: { opening_stack: number }[] } };
  return seats.map(({ seat, player }, index) => ({
    seat,
    player,
    stack: String(expected.seats[index]!.opening_stack),
    sits: true,
  }));
}

function emptyEntry(entries: Entry[]): Entry {
  const taken = new Set(entries.map(({ seat }) => seat));
  let seat = 1;
  while (taken.has(seat)) seat += 1;
  return { seat, player: "", stack: "", sits: true };
}

/** Opens a round: who sits where, with which stack. An empty stack is carried over from the last round. */
export function NewRound({ table, last, editing, lastButton, rebuyOf, problem, isBusy, onCheck, onOpen }: Props) {
  const [entries, setEntries] = useState(() => suggest({ last, editing, rebuyOf }));
  const [chosen, setChosen] = useState<number | null>(null);
  /** The seat whose name is typed. */
  const [typing, setTyping] = useState<number | null>(null);
  /** Names of new players that look like known ones. */
  const [others, setOthers] = useState<string[]>([]);
  /** Known players of the club that new ones look like, as the service found when the round was to be opened. */
  const [similar, setSimilar] = useState<ReadonlyMap<string, string>>(new Map());
  const [isChecking, setChecking] = useState(false);
  const [isRefused, setRefused] = useState(false);
  /** The seats of the request that was made last, in its order. */
  const sent = useRef<number[]>([]);
  const known = useKnownNames(table, typing);
  const lastOf = (player: string) => last?.seats.find((seat) => seat.player === player.trim());
  const change = (seat: number, values: Partial<Entry>): void => {
    setEntries(entries.map((entry) => (entry.seat === seat ? { ...entry, ...values } : entry)));
  };
  const playing = entries.filter(({ player, sits }) => sits && player.trim() !== "");
  const seated = playing.map(({ seat }) => seat);
  const suggested = lastButton === null ? null : nextButton(lastButton, seated);
  const button = chosen !== null && seated.includes(chosen) ? chosen : suggested;
  const lookalikeOf = (player: string) =>
    others.includes(player.trim()) ? undefined : (findLookalike(player, known) ?? similar.get(player.trim()));
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    // The button above the form can be tapped again meanwhile.
    if (isBusy || isChecking || playing.length === 0) return;
    const isDoubtful = playing.some(({ player }) => lookalikeOf(player) !== undefined);
    setTyping(null);
    setRefused(isDoubtful);
    if (isDoubtful) return;
    sent.current = seated;
    const seats = playing.map(({ seat, player, stack }) => ({
      seat,
      player: player.trim(),
      ...(stack.trim() === "" ? {} : { stack: Number(stack) }),
    }));
    setChecking(true);
    const found = await onCheck({ seats }).finally(() => setChecking(false));
    const isAsked = [...found.keys()].some((name) => !others.includes(name));
    setSimilar(found);
    setRefused(isAsked);
    if (isAsked) return;
    onOpen({ seats }, button);
  };
  const mistakes = placeMistakes(problem, sent.current);
  return (
    <form id={NEW_ROUND} class="panel" inert={isChecking} onSubmit={(event) => void submit(event)}>
      <h2>{gettext("Open a round")}</h2>
      {last !== null && <p class="quiet small">{gettext("An empty stack is carried over. Untick who sits out.")}</p>}
      <div class="seat-list">
        <div class="row row-head quiet" aria-hidden="true">
          <span>{pgettext("column of seats", "Plays")}</span>
          <span>{gettext("Player")}</span>
          <span>{gettext("Stack")}</span>
          <span>{pgettext("dealer", "Button")}</span>
        </div>
        {entries.map((entry) => {
          const { seat, player, stack, sits } = entry;
          const taken = entries.filter((each) => each.seat !== seat).map((each) => each.player.trim());
          const lookalike = sits && (typing !== seat || isRefused) ? lookalikeOf(player) : undefined;
          const wrong = mistakes.get(seat) ?? null;
          return (
            <div key={seat} class={sits ? "row" : "row sits-out"} role="group" aria-label={gettext("Seat %(seat)s", { seat })}>
              <label class="check seat-check">
                <input
                  type="checkbox"
                  aria-label={gettext("Seat %(seat)s plays", { seat })}
                  checked={sits}
                  onChange={(event) => change(seat, { sits: event.currentTarget.checked })}
                />
                <span class="figure quiet" aria-hidden="true">{seat}</span>
              </label>
              <input
                aria-label={gettext("Player in seat %(seat)s", { seat })}
                value={player}
                autocomplete="off"
                autocapitalize="off"
                maxLength={100}
                onFocus={() => setTyping(seat)}
                onInput={(event) => change(seat, { player: event.currentTarget.value, sits: true })}
              />
              <input
                aria-label={gettext("Stack of seat %(seat)s", { seat })}
                inputMode="numeric"
                pattern="[0-9]*"
                value={stack}
                placeholder={lastOf(player)?.stack ? String(lastOf(player)?.stack) : ""}
                onFocus={() => setTyping(null)}
                onInput={(event) => change(seat, { stack: event.currentTarget.value })}
              />
              <button
                type="button"
                class="dealer"
                aria-pressed={button === seat}
                onClick={() => setChosen(seat)}
              >
                <span aria-hidden="true">{pgettext("dealer button", "D")}</span>
                <b class="hidden-text">{pgettext("dealer", "Button: seat %(seat)s", { seat })}</b>
              </button>
              {!sits && player !== "" && (lastOf(player)?.stack === 0 ? (
                <span class="row-wide buttons busted">
                  <span>{gettext("%(player)s is busted", { player })}</span>
                  <button type="button" class="button" onClick={() => change(seat, { sits: true })}>
                    {gettext("Rebuy %(points)s for %(player)s", { points: stack, player })}
                  </button>
                </span>
              ) : (
                <span class="row-note small">{lastOf(player)?.playing === false ? gettext("Left the last round.") : gettext("Sits out.")}</span>
              ))}
              {typing === seat && (
                <Suggestions
                  names={suggestNames(player, known, taken)}
                  onChoose={(name) => {
                    change(seat, { player: name, sits: true });
                    setTyping(null);
                  }}
                />
              )}
              {lookalike !== undefined && (
                <Lookalike
                  {...{ lookalike, isRefused }}
                  name={player.trim()}
                  isAtTable={known.includes(lookalike)}
                  onSame={() => change(seat, { player: lookalike })}
                  onOther={() => setOthers([...others, player.trim()])}
                />
              )}
              {wrong !== null && <div class="row-wide"><Problem details={wrong} /></div>}
            </div>
          );
        })}
      </div>
      <button type="button" class="button plain add-seat" onClick={() => setEntries([...entries, emptyEntry(entries)])}>{gettext("Add a seat")}</button>
      <Problem details={mistakes.get(null) ?? null} />
      <button type="submit" class={last === null || editing !== null ? "button primary large" : "button large"} disabled={isBusy || isChecking || playing.length === 0}>{gettext("Open the round")}</button>
    </form>
  );
}

/** Return the players of the table, as the device knows them. */
function useKnownNames(table: Table, typing: number | null): string[] {
  const [known, setKnown] = useState<string[]>([]);
  useEffect(() => {
    void readTable(table.id).then((stored) => setKnown(Object.keys(stored?.stacks ?? {}).sort()));
  }, [table.id, typing]);
  return known;
}

/** Known names, to tap. */
function Suggestions({ names, onChoose }: { names: string[]; onChoose(name: string): void }) {
  if (names.length === 0) return null;
  return (
    <div class="row-wide buttons" role="group" aria-label={gettext("Players of this table")}>
      {names.slice(0, MOST_SUGGESTED).map((name) => (
        <button key={name} type="button" class="button" onClick={() => onChoose(name)}>{name}</button>
      ))}
    </div>
  );
}

interface LookalikeProps {
  name: string;
  lookalike: string;
  /** Whether the player has played at this table, or else elsewhere in the club. */
  isAtTable: boolean;
  /** Whether the round was not opened because of the question. */
  isRefused: boolean;
  onSame(): void;
  onOther(): void;
}

/** Asks whether a new name is that of a player who is known. */
export function Lookalike({ name, lookalike, isAtTable, isRefused, onSame, onOther }: LookalikeProps) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isRefused) shown.current?.scrollIntoView({ block: "nearest" });
  }, [isRefused]);
  const question = isAtTable
    ? gettext("%(player)s has played at this table. Is %(name)s the same player?", { player: lookalike, name })
    : gettext("%(player)s has played in this club. Is %(name)s the same player?", { player: lookalike, name });
  return (
    <div ref={shown} class="row-wide notice" role="alert">
      <p>{question}</p>
      <div class="buttons">
        <button type="button" class="button" onClick={onSame}>{gettext("Yes, %(player)s", { player: lookalike })}</button>
        <button type="button" class="button" onClick={onOther}>{gettext("No, %(player)s is new", { player: name })}</button>
      </div>
    </div>
  );
}

/** Return the details of a failure by the seats that they are about; with null, those about none. */
function placeMistakes(problem: Failure | null, seats: number[]): Map<number | null, string[]> {
  const placed = new Map<number | null, string[]>();
  problem?.details.forEach((detail, index) => {
    const found = /\/seats\/(\d+)/.exec(problem.pointers?.[index] ?? "");
    const seat = found === null ? null : (seats[Number(found[1])] ?? null);
    placed.set(seat, [...(placed.get(seat) ?? []), detail]);
  });
  return placed;
}
