import type { Hand, HandSnapshot, RoundComparison } from "../../../client/src/contract.js";
import { gettext, ngettext, pgettext } from "../../language/gettext.js";
import { formatChange, signClass } from "../format.js";
import { listPlayers, ROWS, type Draft, type HandPlayer, type Place } from "../hand/draft.js";
import { RecordedBoard } from "./recorded_board.js";
import { nameSeat } from "./words.js";

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
            <RecordedBoard {...showBoard(before, compared?.before ?? null, describeOld)} marked={marked} />
            <RecordedBoard {...showBoard(player, compared?.after ?? null, describeNew)} marked={marked} onCard={onCard} />
          </div>
        );
      })}
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{gettext("Net of the round")}</th>
            <th scope="col" class="figure">{pgettext("column of a comparison", "Old")}</th>
            <th scope="col" class="figure">{pgettext("column of a comparison", "New")}</th>
            <th scope="col" class="figure">{pgettext("column of a comparison", "Change")}</th>
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
      {differing.length > 0 && <p>{describeResults(differing)}</p>}
      {moved.length > 0 && <p>{describeStacks(moved)}</p>}
      {comparison.carried_over.map(({ seat, player, opening_stack }) => (
        <p key={seat}>
          {gettext("%(player)s started the next round with %(points)s; that round does not change.", { player, points: opening_stack })}
        </p>
      ))}
      {comparison.dropped_departures.map(({ seat, after_hand }) => (
        <p key={seat}>
          {gettext("That %(player)s left after hand %(hand)s no longer counts.", { player: names.get(seat) ?? nameSeat(seat), hand: after_hand })}
        </p>
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

interface Numbered {
  number: number;
}

function describeResults(hands: Numbered[]): string {
  const values = { hands: listNumbers(hands) };
  return ngettext("The result of hand %(hands)s changes too.", "The results of hands %(hands)s change too.", hands.length, values);
}

function describeStacks(hands: Numbered[]): string {
  const values = { hands: listNumbers(hands) };
  return ngettext("The stacks after hand %(hands)s change too.", "The stacks after hands %(hands)s change too.", hands.length, values);
}

function listNumbers(hands: Numbered[]): string {
  return hands.map(({ number }) => number).join(", ");
}

type Describe = (player: string, points: string | null) => string;

const describeOld: Describe = (player, points) =>
  points === null ? gettext("Old, %(player)s", { player }) : gettext("Old, %(player)s: %(points)s", { player, points });

const describeNew: Describe = (player, points) =>
  points === null ? gettext("New, %(player)s", { player }) : gettext("New, %(player)s: %(points)s", { player, points });

function showBoard(player: HandPlayer, snapshot: HandSnapshot | null, describe: Describe) {
  const scored = snapshot?.players.find(({ seat }) => seat === player.seat);
  return {
    title: describe(scored?.player ?? nameSeat(player.seat), scored === undefined ? null : formatChange(scored.points)),
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
