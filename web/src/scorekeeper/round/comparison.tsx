import type { Hand, HandSnapshot, RoundComparison } from "../../../client/src/contract.js";
import { formatChange, signClass } from "../format.js";
import { listPlayers, ROWS, type Draft, type HandPlayer, type Place } from "../hand/draft.js";
import { RecordedBoard } from "./recorded_board.js";

interface Props {
  comparison: RoundComparison;
  /** The players by their seats. */
  names: Map<number, string>;
  /** The hand as it is recorded. */
  hand: Hand;
  /** Its cards after the correction. */
  after: Draft;
  onCard(place: Place): void;
}

/** A correction before it is recorded: the old and the new boards, and what changes for whom. */
export function Comparison({ comparison, names, hand, after, onCard }: Props) {
  const compared = comparison.hands.find(({ number }) => number === hand.number);
  const later = comparison.hands.filter(({ number }) => number !== hand.number);
  const differing = later.filter(({ before, after: now }) => resultOf(before) !== resultOf(now));
  const moved = later.filter((each) => !differing.includes(each));
  const old = hand.players as unknown as HandPlayer[];
  return (
    <>
      {listPlayers(after).map((player, index) => {
        const before = old[index]!;
        const marked = findMoved(before, player);
        if (marked.size === 0) return null;
        return (
          <div key={player.seat} class="side-by-side">
            <RecordedBoard {...describeBoard("Old", before, compared?.before ?? null)} marked={marked} />
            <RecordedBoard {...describeBoard("New", player, compared?.after ?? null)} marked={marked} onCard={onCard} />
          </div>
        );
      })}
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Net of the round</th>
            <th scope="col" class="figure">Old</th>
            <th scope="col" class="figure">New</th>
            <th scope="col" class="figure">Change</th>
          </tr>
        </thead>
        <tbody>
          {comparison.net.map(({ player, before, after: now, change }) => (
            <tr key={player}>
              <th scope="row">{player}</th>
              <td class="figure">{formatChange(before ?? 0)}</td>
              <td class="figure">{formatChange(now ?? 0)}</td>
              <td class={`figure ${signClass(change)}`}><strong>{formatChange(change)}</strong></td>
            </tr>
          ))}
        </tbody>
      </table>
      {differing.length > 0 && <p>The {differing.length === 1 ? "result" : "results"} of {listHands(differing)} {differing.length === 1 ? "changes" : "change"} too.</p>}
      {moved.length > 0 && <p>The stacks after {listHands(moved)} change too.</p>}
      {comparison.carried_over.map(({ seat, player, opening_stack }) => (
        <p key={seat}>{player} started the next round with {opening_stack}; that round does not change.</p>
      ))}
      {comparison.dropped_departures.map(({ seat, after_hand }) => (
        <p key={seat}>That {names.get(seat)} left after hand {after_hand} no longer counts.</p>
      ))}
    </>
  );
}

/** Return what a hand is worth, without the stacks that it begins with: they change with every hand before it. */
function resultOf(snapshot: HandSnapshot | null): string {
  if (snapshot === null) return "";
  const { players, exchanges, button, irregular, transfers } = snapshot;
  const paid = transfers?.map(({ payer, payee, due, paid: points }) => [payer, payee, due, points]);
  return JSON.stringify([players, exchanges, button, irregular, paid]);
}

function listHands(hands: { number: number }[]): string {
  return `${hands.length === 1 ? "hand" : "hands"} ${hands.map(({ number }) => number).join(", ")}`;
}

function describeBoard(label: string, player: HandPlayer, snapshot: HandSnapshot | null) {
  const scored = snapshot?.players.find(({ seat }) => seat === player.seat);
  const points = scored === undefined ? "" : `: ${formatChange(scored.points)}`;
  return {
    title: `${label}, ${scored?.player ?? `seat ${player.seat}`}${points}`,
    seat: player.seat,
    rows: player,
    results: scored?.rows ?? null,
    isFoul: scored?.foul ?? false,
  };
}

/** Return the cards that are not in the same row before and after. */
function findMoved(before: HandPlayer, after: HandPlayer): Set<string> {
  const differing = ROWS.flatMap((row) => [
    ...before[row].filter((card) => !after[row].includes(card)),
    ...after[row].filter((card) => !before[row].includes(card)),
  ]);
  return new Set(differing);
}
