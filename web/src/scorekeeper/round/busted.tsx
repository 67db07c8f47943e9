import { useEffect, useState } from "preact/hooks";
import { TablestakesError } from "../../../client/src/errors.js";
import { gettext, pgettext } from "../../language/gettext.js";
import type { TopUp } from "../hand/draft.js";
import { refuseTopUps, type Asked } from "./refusals.js";
import { nameSeat } from "./words.js";

interface Props extends Asked {
  /** The seats that are out. */
  seats: number[];
  /** Whether the round can be changed now. */
  canChange: boolean;
  /** Whether it is stated who is out, also where they cannot come back now. */
  isAnnounced?: boolean;
  topUps: TopUp[];
  /** Returns the points of a rebuy. */
  rebuyOf(seat: number): number;
  /** Receives the top-ups that the next hand begins with. */
  onTopUps(topUps: TopUp[]): Promise<void>;
}

/** States who is out. They come back by one tap, where the rules allow it now. */
export function Busted({ seats, canChange, isAnnounced = false, topUps, rebuyOf, onTopUps, ...asked }: Props) {
  const { session, rules, round, isWaiting } = asked;
  const [allowed, setAllowed] = useState<ReadonlySet<number>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const nameOf = (seat: number): string => round.seats.find((each) => each.seat === seat)?.player ?? nameSeat(seat);
  useEffect(() => {
    let isOver = false;
    if (!canChange || round.next === null) return setAllowed(new Set());
    const ask = async (seat: number): Promise<number[]> =>
      (await refuseTopUps(asked, [{ seat, points: rebuyOf(seat) }])).length === 0 ? [seat] : [];
    Promise.all(seats.map(ask))
      .then((found) => isOver || setAllowed(new Set(found.flat())))
      .catch((error: unknown) => {
        // Without a response, points are added in the panel, which tries again.
        if (!(error instanceof TablestakesError)) throw error;
      });
    return () => void (isOver = true);
  }, [session, rules, canChange, isWaiting, round.id, round.version, round.hands, seats.join()]);
  const change = async (changed: TopUp[]): Promise<void> => {
    setBusy(true);
    await onTopUps(changed).finally(() => setBusy(false));
  };
  return (
    <>
      {seats.map((seat) => {
        const name = nameOf(seat);
        const added = topUps.find((each) => each.seat === seat);
        const others = topUps.filter((each) => each !== added);
        const points = rebuyOf(seat);
        if (added === undefined && !allowed.has(seat) && !isAnnounced) return null;
        return (
          <p key={seat} class="busted" role="status">
            {added === undefined ? (
              <>
                <strong>{gettext("%(player)s is busted", { player: name })}</strong>
                {allowed.has(seat) && (
                  <> · <button type="button" class="inline-action" disabled={isBusy} aria-label={gettext("Rebuy %(points)s for %(player)s", { points, player: name })} onClick={() => void change([...others, { seat, points }])}>{gettext("Rebuy %(points)s", { points })}</button></>
                )}
                {round.next !== null && <> · {gettext("goes on without %(player)s", { player: name })}</>}
              </>
            ) : (
              <>
                {gettext("%(player)s comes back with %(points)s", { player: name, points: added.points })} ·{" "}
                <button type="button" class="inline-action" disabled={isBusy} aria-label={gettext("Undo the rebuy of %(player)s", { player: name })} onClick={() => void change(others)}>{pgettext("button", "undo")}</button>
              </>
            )}
          </p>
        );
      })}
    </>
  );
}
