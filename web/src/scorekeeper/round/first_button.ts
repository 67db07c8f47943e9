// Who has the first button of the next round: the player after the one who had it last.

import { useEffect, useState } from "preact/hooks";
import type { Round } from "../../../client/src/contract.js";
import type { Session } from "../../api/session.js";
import { prepareRound } from "../local_rounds.js";
import { readStoredHands } from "./recorded.js";

/** Return the seat that had the button in the last hand of a round that has ended; null if it is not known. */
export function useLastButton(session: Session, round: Round | null | undefined): number | null {
  const [found, setFound] = useState<{ hand: string; button: number } | null>(null);
  const isOver = round != null && round.status !== "open";
  const hand = isOver ? `${round.id} ${round.hands} ${round.version}` : "";
  useEffect(() => {
    if (!isOver) return;
    const read = async (): Promise<void> => {
      await prepareRound(session, round);
      const last = (await readStoredHands(round))?.[0]?.hand;
      if (last !== undefined) setFound({ hand, button: last.button });
    };
    void read();
  }, [session, hand]);
  return found?.hand === hand ? found.button : null;
}

/** Return the next seat clockwise of those that play; null if none does. */
export function nextButton(last: number, playing: number[]): number | null {
  const seats = [...playing].sort((one, other) => one - other);
  return seats.find((seat) => seat > last) ?? seats[0] ?? null;
}
