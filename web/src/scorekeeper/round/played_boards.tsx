import type { RecordedHand, Round } from "../../../client/src/contract.js";
import { countWon, isPaidLater } from "../../api/results.js";
import { gettext, pgettext } from "../../language/gettext.js";
import { formatChange } from "../format.js";
import type { HandPlayer, Place } from "../hand/draft.js";
import { Payments } from "../hand/result.js";
import { RecordedBoard } from "./recorded_board.js";

interface Props {
  round: Pick<Round, "stakes_scope">;
  players: HandPlayer[];
  /** Null while the result is not known. */
  result: Pick<RecordedHand, "players" | "transfers"> | null;
  nameOf(seat: number): string;
  /** Receives the place of a tapped card. Undefined if the cards cannot be changed. */
  onCard?: ((place: Place) => void) | undefined;
}

/** The boards of a hand with what each player won, and who pays whom. */
export function PlayedBoards({ round, players, result, nameOf, onCard }: Props) {
  return (
    <>
      <div class="recorded-boards">
        {players.map((rows) => {
          const { seat, fantasyland = 0 } = rows;
          const scored = result?.players.find((each) => each.seat === seat);
          const name = nameOf(seat);
          const player = fantasyland > 0 ? gettext("%(player)s, Fantasyland %(cards)s", { player: name, cards: fantasyland }) : name;
          const points = result && scored ? describeChange(countWon(round, result, seat), scored.points) : null;
          return (
            <RecordedBoard
              key={seat}
              title={points === null ? player : pgettext("title of a board", "%(player)s: %(points)s", { player, points })}
              {...{ seat, rows }}
              results={scored?.rows ?? null}
              isFoul={scored?.foul ?? false}
              onCard={onCard}
            />
          );
        })}
      </div>
      {result !== null && <Payments transfers={result.transfers} isPaidLater={isPaidLater(round)} nameOf={nameOf} />}
    </>
  );
}

function describeChange(change: number, points: number): string {
  if (change === points) return formatChange(points);
  return gettext("%(change)s, %(points)s before caps", { change: formatChange(change), points: formatChange(points) });
}
