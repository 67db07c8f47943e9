import { useState } from "preact/hooks";
import type { Round, RoundRequest } from "../../../client/src/contract.js";

interface Entry {
  seat: number;
  player: string;
  stack: string;
}

interface Props {
  /** The last round of the table, whose players are suggested. */
  last: Round | null;
  problem: string[] | null;
  isBusy: boolean;
  onOpen(round: RoundRequest, button: number | null): void;
}

const FEWEST_ENTRIES = 3;

function suggest(last: Round | null): Entry[] {
  const entries = (last?.seats ?? []).map(({ seat, player }) => ({ seat, player, stack: "" }));
  while (entries.length < FEWEST_ENTRIES) {
    const seat = Math.max(0, ...entries.map((entry) => entry.seat)) + 1;
    entries.push({ seat, player: "", stack: "" });
  }
  return entries;
}

/** Opens a round: who sits where, with which stack. An empty stack is carried over from the last round. */
export function NewRound({ last, problem, isBusy, onOpen }: Props) {
  const [entries, setEntries] = useState(() => suggest(last));
  const [button, setButton] = useState<number | null>(null);
  const stackOf = (player: string): number | undefined => last?.seats.find((seat) => seat.player === player)?.stack;
  const change = (seat: number, values: Partial<Entry>): void => {
    setEntries(entries.map((entry) => (entry.seat === seat ? { ...entry, ...values } : entry)));
  };
  const playing = entries.filter(({ player }) => player.trim() !== "");
  const submit = (event: Event): void => {
    event.preventDefault();
    const seats = playing.map(({ seat, player, stack }) => ({
      seat,
      player: player.trim(),
      ...(stack.trim() === "" ? {} : { stack: Number(stack) }),
    }));
    onOpen({ seats }, playing.some(({ seat }) => seat === button) ? button : null);
  };
  const addSeat = (): void => {
    setEntries([...entries, { seat: Math.max(...entries.map(({ seat }) => seat)) + 1, player: "", stack: "" }]);
  };
  return (
    <form class="panel" onSubmit={submit}>
      <h2>Open a round</h2>
      <div class="seat-list">
        <div class="row row-head quiet" aria-hidden="true"><span>Seat</span><span>Player</span><span>Stack</span><span>Button</span></div>
        {entries.map(({ seat, player, stack }) => (
          <div key={seat} class="row" role="group" aria-label={`Seat ${seat}`}>
            <span class="figure quiet">{seat}</span>
            <input
              aria-label={`Player in seat ${seat}`}
              value={player}
              autocomplete="off"
              autocapitalize="off"
              maxLength={100}
              onInput={(event) => change(seat, { player: event.currentTarget.value })}
            />
            <input
              aria-label={`Stack of seat ${seat}`}
              inputMode="numeric"
              pattern="[0-9]*"
              value={stack}
              placeholder={stackOf(player) ? String(stackOf(player)) : ""}
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
          </div>
        ))}
      </div>
      <button type="button" class="button plain add-seat" onClick={addSeat}>Add a seat</button>
      {problem !== null && (
        <div class="notice error" role="alert">{problem.map((detail) => <p key={detail}>{detail}</p>)}</div>
      )}
      <button type="submit" class="button primary large" disabled={isBusy || playing.length === 0}>Open the round</button>
    </form>
  );
}
