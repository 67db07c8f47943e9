import type { RecordedHand, Round } from "../../../client/src/contract.js";
import { countWon, isPaidLater } from "../../api/results.js";
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
        {players.map((player) => {
          const { seat, fantasyland = 0 } = player;
          const scored = result?.players.find((each) => each.seat === seat);
          const change = result && scored ? `: ${describeChange(countWon(round, result, seat), scored.points)}` : "";
          return (
            <RecordedBoard
              key={seat}
              title={`${nameOf(seat)}${fantasyland > 0 ? `, Fantasyland ${fantasyland}` : ""}${change}`}
              seat={seat}
              rows={player}
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
  return change === points ? formatChange(points) : `${formatChange(change)}, ${formatChange(points)} before caps`;
}
