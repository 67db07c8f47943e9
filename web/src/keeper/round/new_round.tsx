import { useState } from "preact/hooks";
import type { Round, RoundRequest } from "../../../client/src/contract.js";
import type { Waiting } from "../../api/outbox.js";

interface Entry {
  seat: number;
  player: string;
  /** Empty to carry the stack over. */
  stack: string;
  sits: boolean;
}

interface Props {
  /** The last round of the table, whose players are suggested. */
  last: Round | null;
  /** A refused opening that is edited: its players are suggested, with the stacks that this device played with. */
  editing: Waiting | null;
  problem: string[] | null;
  isBusy: boolean;
  onOpen(round: RoundRequest, button: number | null): void;
}

const FEWEST_ENTRIES = 3;

/** Suggest the players of the last round. Who has busted or left sits out; a busted player would begin as they did then. */
function suggest(last: Round | null, editing: Waiting | null): Entry[] {
  const entries = editing === null ? readSeats(last) : readOpening(editing);
  while (entries.length < FEWEST_ENTRIES) entries.push(emptyEntry(entries));
  return entries;
}

function readSeats(last: Round | null): Entry[] {
  return (last?.seats ?? []).map(({ seat, player, stack, opening_stack, playing }) => ({
    seat,
    player,
    stack: stack === 0 ? String(opening_stack) : "",
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
export function NewRound({ last, editing, problem, isBusy, onOpen }: Props) {
  const [entries, setEntries] = useState(() => suggest(last, editing));
  const [button, setButton] = useState<number | null>(null);
  const lastOf = (player: string) => last?.seats.find((seat) => seat.player === player.trim());
  const change = (seat: number, values: Partial<Entry>): void => {
    setEntries(entries.map((entry) => (entry.seat === seat ? { ...entry, ...values } : entry)));
  };
  const playing = entries.filter(({ player, sits }) => sits && player.trim() !== "");
  const submit = (event: Event): void => {
    event.preventDefault();
    const seats = playing.map(({ seat, player, stack }) => ({
      seat,
      player: player.trim(),
      ...(stack.trim() === "" ? {} : { stack: Number(stack) }),
    }));
    onOpen({ seats }, playing.some(({ seat }) => seat === button) ? button : null);
  };
  return (
    <form class="panel" onSubmit={submit}>
      <h2>Open a round</h2>
      {last !== null && <p class="quiet small">An empty stack is carried over. Untick who sits out.</p>}
      <div class="seat-list">
        <div class="row row-head quiet" aria-hidden="true"><span>Plays</span><span>Player</span><span>Stack</span><span>Button</span></div>
        {entries.map(({ seat, player, stack, sits }) => (
          <div key={seat} class={sits ? "row" : "row sits-out"} role="group" aria-label={`Seat ${seat}`}>
            <label class="check seat-check">
              <input
                type="checkbox"
                aria-label={`Seat ${seat} plays`}
                checked={sits}
                onChange={(event) => change(seat, { sits: event.currentTarget.checked })}
              />
              <span class="figure quiet" aria-hidden="true">{seat}</span>
            </label>
            <input
              aria-label={`Player in seat ${seat}`}
              value={player}
              autocomplete="off"
              autocapitalize="off"
              maxLength={100}
              onInput={(event) => change(seat, { player: event.currentTarget.value, sits: true })}
            />
            <input
              aria-label={`Stack of seat ${seat}`}
              inputMode="numeric"
              pattern="[0-9]*"
              value={stack}
              placeholder={lastOf(player)?.stack ? String(lastOf(player)?.stack) : ""}
              onInput={(event) => change(seat, { stack: event.currentTarget.value })}
            />
            <button
              type="button"
              class="dealer"
              aria-pressed={button === seat}
              onClick={() => setButton(seat)}
            >
              <span aria-hidden="true">D</span>
              <b class="hidden-text">Button: seat {seat}</b>
            </button>
            {!sits && player !== "" && <span class="row-note small">{describeAbsence(lastOf(player))}</span>}
          </div>
        ))}
      </div>
      <button type="button" class="button plain add-seat" onClick={() => setEntries([...entries, emptyEntry(entries)])}>Add a seat</button>
      {problem !== null && (
        <div class="notice error" role="alert">{problem.map((detail) => <p key={detail}>{detail}</p>)}</div>
      )}
      <button type="submit" class="button primary large" disabled={isBusy || playing.length === 0}>Open the round</button>
    </form>
  );
}

function describeAbsence(seat: Round["seats"][number] | undefined): string {
  if (seat?.stack === 0) return `No points left; tick to play again with the stack given here.`;
  return seat?.playing === false ? "Left the last round." : "Sits out.";
}
