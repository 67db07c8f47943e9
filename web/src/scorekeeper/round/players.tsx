import { useEffect, useState } from "preact/hooks";
import { gettext, pgettext } from "../../language/gettext.js";
import type { TopUp } from "../hand/draft.js";
import { Problem } from "./problem.js";
import { refuseDeparture, refuseTopUps, type Asked } from "./refusals.js";
import { useRequests, useReturns, type Connection, type Failure } from "./requests.js";
import { describeTopUp, nameSeat } from "./words.js";

interface Props extends Asked {
  topUps: TopUp[];
  connection: Connection;
  /** Receives the top-ups that the next hand begins with. */
  onTopUps(topUps: TopUp[]): Promise<void>;
  /** Returns why the player cannot leave, or null. */
  onLeave(seat: number): Promise<Failure | null>;
}

/** Why something is not allowed now, in words. Empty if it is. */
type Refusals = Record<string, string[]>;

/** The points of a top-up that shows whether any can be added. */
const ANY_POINTS = 1;

/** Points added before the next hand, and players who leave. What is not allowed now is not offered: its reason is shown. */
export function Players({ topUps, connection, onTopUps, onLeave, ...asked }: Props) {
  const { round, rules, isWaiting } = asked;
  const [refusals, setRefusals] = useState<Refusals | null>(null);
  const { problem, run } = useRequests(connection);
  const changing = useRequests(connection);
  /** The seat whose points or departure were asked for last, and why the points are refused. */
  const [asking, setAsking] = useState<{ seat: number; refused: string[] | null } | null>(null);
  const returns = useReturns(connection);
  const seats = round.seats.filter(({ playing, stack }) => playing || stack === 0);
  const nameOf = (seat: number): string => round.seats.find((each) => each.seat === seat)?.player ?? nameSeat(seat);
  useEffect(() => {
    const ask = async (): Promise<Refusals> => {
      const found = seats.map(async ({ seat }): Promise<[string, string[]][]> => [
        [`top-${seat}`, await refuseTopUps(asked, [{ seat, points: ANY_POINTS }])],
        [`leave-${seat}`, await refuseDeparture(asked, seat)],
      ]);
      return Object.fromEntries((await Promise.all(found)).flat());
    };
    void run(ask).then((found) => found !== undefined && setRefusals(found));
  }, [asked.session, rules, isWaiting, round.id, round.version, round.hands, seats.length, returns]);

  const add = async (seat: number, points: number): Promise<void> => {
    setAsking({ seat, refused: null });
    const added = [...topUps.filter((each) => each.seat !== seat), ...(points > 0 ? [{ seat, points }] : [])];
    const refused = added.length === 0 ? [] : await changing.run(() => refuseTopUps(asked, added));
    if (refused === undefined) return;
    if (refused.length === 0) await changing.run(() => onTopUps(added));
    else setAsking({ seat, refused });
  };
  const leave = async (seat: number): Promise<void> => {
    setAsking({ seat, refused: null });
    const failure = await changing.run(() => onLeave(seat));
    if (failure) setAsking({ seat, refused: failure.details });
  };

  const reasons = new Set(Object.values(refusals ?? {}).flat());
  return (
    <section class="panel" aria-labelledby="players-title">
      <h2 id="players-title">{gettext("Top up or leave")}</h2>
      <Problem details={problem} />
      {refusals === null && problem === null && <p class="quiet">{gettext("Loading…")}</p>}
      {reasons.size > 0 && <div class="notice">{[...reasons].map((reason) => <p key={reason}>{reason}</p>)}</div>}
      {refusals !== null && seats.map(({ seat, player, playing }) => {
        const canTopUp = refusals[`top-${seat}`]?.length === 0;
        const canLeave = playing && refusals[`leave-${seat}`]?.length === 0;
        if (!canTopUp && !canLeave) return null;
        return (
          <SeatActions
            key={`${seat} ${topUps.find((each) => each.seat === seat)?.points}`}
            {...{ player, canTopUp, canLeave }}
            isBusy={changing.isBusy}
            problem={asking?.seat === seat ? (asking.refused ?? changing.problem) : null}
            points={topUps.find((each) => each.seat === seat)?.points ?? 0}
            onAdd={(points) => void add(seat, points)}
            onLeave={() => void leave(seat)}
          />
        );
      })}
      {topUps.length > 0 && (
        <p class="small">
          {gettext("Before the next hand: %(top_ups)s.", {
            top_ups: topUps.map(({ seat, points }) => describeTopUp(nameOf(seat), points)).join(", "),
          })}
        </p>
      )}
    </section>
  );
}

interface SeatProps {
  player: string;
  points: number;
  canTopUp: boolean;
  canLeave: boolean;
  isBusy: boolean;
  problem: string[] | null;
  onAdd(points: number): void;
  onLeave(): void;
}

function SeatActions({ player, points, canTopUp, canLeave, isBusy, problem, onAdd, onLeave }: SeatProps) {
  const [text, setText] = useState(points > 0 ? String(points) : "");
  const [isLeaving, setLeaving] = useState(false);
  const submit = (event: Event): void => {
    event.preventDefault();
    onAdd(Number(text));
  };
  return (
    <form class="seat-actions" aria-label={player} onSubmit={submit}>
      <strong>{player}</strong>
      {canTopUp && (
        <>
          <input
            aria-label={gettext("Points that %(player)s adds", { player })}
            placeholder={gettext("Points")}
            inputMode="numeric"
            pattern="[0-9]*"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <button type="submit" class="button" disabled={isBusy || Number(text) === points}>{points > 0 ? pgettext("button", "Change") : pgettext("button", "Add")}</button>
        </>
      )}
      {canLeave && !isLeaving && (
        <button type="button" class="button" aria-label={gettext("Leave: %(player)s", { player })} disabled={isBusy} onClick={() => setLeaving(true)}>{pgettext("button", "Leave")}</button>
      )}
      {problem !== null && <div class="seat-question"><Problem details={problem} /></div>}
      {isLeaving && (
        <p class="seat-question">
          {gettext("%(player)s leaves for the rest of the round.", { player })}
          <span class="buttons">
            <button type="button" class="button danger" disabled={isBusy} onClick={onLeave}>{gettext("%(player)s leaves", { player })}</button>
            <button type="button" class="button plain" onClick={() => setLeaving(false)}>{gettext("Cancel")}</button>
          </span>
        </p>
      )}
    </form>
  );
}
