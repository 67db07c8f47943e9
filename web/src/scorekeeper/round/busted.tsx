import { useEffect, useState } from "preact/hooks";
import { TablestakesError } from "../../../client/src/errors.js";
import type { TopUp } from "../hand/draft.js";
import { refuseTopUps, type Asked } from "./refusals.js";

interface Props extends Asked {
  /** The seats that are out. */
  seats: number[];
  topUps: TopUp[];
  /** Returns the points of a rebuy. */
  rebuyOf(seat: number): number;
  /** Receives the top-ups that the next hand begins with. */
  onTopUps(topUps: TopUp[]): Promise<void>;
}

/** Players who are out come back by one tap, where the rules allow it now. */
export function Busted({ seats, topUps, rebuyOf, onTopUps, ...asked }: Props) {
  const { session, rules, round, isWaiting } = asked;
  const [allowed, setAllowed] = useState<ReadonlySet<number>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const nameOf = (seat: number): string => round.seats.find((each) => each.seat === seat)?.player ?? `seat ${seat}`;
  useEffect(() => {
    let isOver = false;
    const ask = async (seat: number): Promise<number[]> =>
      (await refuseTopUps(asked, [{ seat, points: rebuyOf(seat) }])).length === 0 ? [seat] : [];
    Promise.all(seats.map(ask))
      .then((found) => isOver || setAllowed(new Set(found.flat())))
      .catch((error: unknown) => {
        // Without a response, points are added in the panel, which tries again.
        if (!(error instanceof TablestakesError)) throw error;
      });
    return () => void (isOver = true);
  }, [session, rules, isWaiting, round.id, round.version, round.hands, seats.join()]);
  const change = async (changed: TopUp[]): Promise<void> => {
    setBusy(true);
    await onTopUps(changed).finally(() => setBusy(false));
  };
  const shown = seats.filter((seat) => allowed.has(seat) || topUps.some((each) => each.seat === seat));
  if (shown.length === 0) return null;
  return (
    <div class="buttons busted">
      {shown.map((seat) => {
        const name = nameOf(seat);
        const added = topUps.find((each) => each.seat === seat);
        const others = topUps.filter((each) => each !== added);
        const points = rebuyOf(seat);
        return added === undefined ? (
          <button key={seat} type="button" class="button" disabled={isBusy} onClick={() => void change([...others, { seat, points }])}>
            Rebuy {points} for {name}
          </button>
        ) : (
          <span key={seat} role="status">
            {name} comes back with {added.points} ·{" "}
            <button type="button" class="inline-action" disabled={isBusy} aria-label={`Undo the rebuy of ${name}`} onClick={() => void change(others)}>undo</button>
          </span>
        );
      })}
    </div>
  );
}
