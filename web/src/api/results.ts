// What a player won with a hand, and when it is paid.

import type { RecordedHand, Round } from "../../client/src/contract.js";

type Paid = Pick<Round, "stakes_scope">;

/** Return whether points are paid at the end of the round. The last hand then has the payments of the whole round. */
export function isPaidLater(round: Paid): boolean {
  return round.stakes_scope === "round";
}

/** Return the seats of a round that are out because they have no points. */
export function listBusted({ seats }: Pick<Round, "seats">): number[] {
  return seats.filter(({ playing, stack }) => !playing && stack === 0).map(({ seat }) => seat);
}

/** Return the seats that were dealt a hand and are out after it. */
export function listBustedBy({ players, round }: { players: Pick<RecordedHand["players"][number], "seat">[]; round: Pick<Round, "seats"> }): number[] {
  const out = listBusted(round);
  return players.map(({ seat }) => seat).filter((seat) => out.includes(seat));
}

/** Return the points that a seat won or lost with a hand: after caps, or before them if it is paid later. */
export function countWon(round: Paid, hand: Pick<RecordedHand, "players" | "transfers">, seat: number): number {
  if (hand.transfers === null || isPaidLater(round)) return hand.players.find((player) => player.seat === seat)?.points ?? 0;
  return hand.transfers.reduce((sum, { payer, payee, paid }) => sum + (payee === seat ? paid : 0) - (payer === seat ? paid : 0), 0);
}
