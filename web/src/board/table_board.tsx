import type { PlayerStatement, Round, RoundSeat, TableStatement } from "../../client/src/contract.js";
import { isPaidLater } from "../api/results.js";
import { gettext, ngettext, pgettext } from "../language/gettext.js";
import { formatChange, formatMoneyWon, signClass } from "../scorekeeper/format.js";
import { nameEvening } from "./evening.js";
import type { LastHand, Scoreboard } from "./feed.js";
import { LastBoard } from "./last_board.js";

interface Props {
  name: string;
  board: Scoreboard | null;
  /** Why what is shown may be old; null if it is current. */
  status: string | null;
}

/** The scores of a table, in type that can be read from across a room. */
export function TableBoard({ name, board, status }: Props) {
  return (
    <div class="board">
      <header class="board-head">
        <h1>{name || gettext("Scoreboard")}</h1>
        {board?.round && <p class="quiet">{describeProgress(board.round)}</p>}
        <p class="board-state">
          <span role="status">{status !== null && <span class="pill warning">{status}</span>}</span>
          {board?.evening && <span class="quiet">{nameEvening(board.evening)}</span>}
        </p>
      </header>
      {board !== null && board.round === null && <main class="board-empty">{gettext("The first round has not been opened yet.")}</main>}
      {board?.round && <Seats round={board.round} hand={board.hand} statement={board.statement} />}
    </div>
  );
}

function describeProgress(round: Round): string {
  const { status, hands, next } = round;
  if (next !== null) {
    const hand = gettext("Hand %(number)s", { number: next.number });
    return isPaidLater(round) ? [hand, gettext("paid at the end of the round")].join(" · ") : hand;
  }
  if (status === "closed") return ngettext("Round closed after %(count)s hand", "Round closed after %(count)s hands", hands);
  return ngettext("Round complete after %(count)s hand", "Round complete after %(count)s hands", hands);
}

interface SeatsProps {
  round: Round;
  hand: LastHand | null;
  statement: TableStatement | null;
}

function Seats({ round, hand, statement }: SeatsProps) {
  // The statement has one line for the IDs of one person, who sits under any of them.
  const aliases = new Map(Object.entries(statement?.aliases ?? {}));
  const shownAs = (player: string): string => aliases.get(player) ?? player;
  const seated = new Set(round.seats.map(({ player }) => shownAs(player)));
  const others = statement?.players.filter(({ player }) => !seated.has(player)) ?? [];
  return (
    <main class="board-main">
      <div class="seats" data-seats={round.seats.length}>
        {round.seats.map((seat) => (
          <Seat
            key={seat.seat}
            seat={seat}
            round={round}
            hand={hand}
            statement={statement}
            totals={statement?.players.find(({ player }) => player === shownAs(seat.player))}
          />
        ))}
      </div>
      {statement !== null && others.length > 0 && (
        <p class="others">
          <span class="quiet">{gettext("Also this evening:")}</span>
          {others.map((each) => (
            <span key={each.player}>
              <bdi>{each.player}</bdi> <span class={`figure ${signClass(each.net)}`}>{formatChange(each.net)}</span>
            </span>
          ))}
        </p>
      )}
    </main>
  );
}

interface SeatProps extends SeatsProps {
  seat: RoundSeat;
  totals: PlayerStatement | undefined;
}

function Seat({ seat, round, hand, statement, totals }: SeatProps) {
  const cards = round.next?.fantasyland[String(seat.seat)];
  return (
    <section class="seat" aria-label={seat.player}>
      <header class="seat-head">
        <h2><bdi>{seat.player}</bdi></h2>
        {round.next?.button === seat.seat && <span class="dealer" role="img" aria-label={gettext("Dealer button")}>{pgettext("dealer button", "D")}</span>}
        {!seat.playing && <span class="pill">{seat.stack === 0 ? gettext("busted") : pgettext("player", "left")}</span>}
      </header>
      <p class="seat-stack"><span class="hidden-text">{gettext("Stack:")} </span><span class="figure">{seat.stack}</span></p>
      <p class="seat-net">
        <span class="hidden-text">{gettext("This evening:")} </span>
        <span class={`figure ${signClass(totals?.net ?? 0)}`}>{formatChange(totals?.net ?? 0)}</span>
        {statement !== null && Object.entries(totals?.money ?? {}).map(([unit, minor]) => (
          <span key={unit} class={`figure ${signClass(minor)}`}>
            {formatMoneyWon(minor, unit, statement.unit_digits[unit] ?? 2)}
          </span>
        ))}
      </p>
      <p class="seat-fantasyland">
        {cards !== undefined && <span class="pill accent">{ngettext("Fantasyland · %(count)s card", "Fantasyland · %(count)s cards", cards)}</span>}
      </p>
      {hand !== null && <LastBoard round={round} hand={hand} seat={seat.seat} />}
    </section>
  );
}
