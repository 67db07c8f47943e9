import { useEffect, useState } from "preact/hooks";
import type { Round } from "../../../client/src/contract.js";
import { ApiError } from "../../../client/src/errors.js";
import type { Session } from "../../api/session.js";
import type { TopUp } from "../hand/draft.js";
import { Problem } from "./problem.js";
import { useKey, useRequests } from "./requests.js";

interface Props {
  session: Session;
  round: Round;
  topUps: TopUp[];
  /** Receives the top-ups that the next hand begins with. */
  onTopUps(topUps: TopUp[]): void;
  onRound(round: Round): void;
}

/** Why the service would refuse something now, in words. Empty if it would not. */
type Refusals = Record<string, string[]>;

const TOP_UPS = "#/top_ups";
/** Points with which the service is asked whether any can be added. */
const ANY_POINTS = 1;

/** Points added before the next hand, and players who leave. What is not allowed now is not offered: its reason is shown. */
export function Players({ session, round, topUps, onTopUps, onRound }: Props) {
  const [refusals, setRefusals] = useState<Refusals | null>(null);
  const { isBusy, problem, run } = useRequests();
  const seats = round.seats.filter(({ playing, stack }) => playing || stack === 0);
  const nameOf = (seat: number): string => round.seats.find((each) => each.seat === seat)?.player ?? `seat ${seat}`;
  const keyOf = useKey();
  useEffect(() => {
    const ask = async (): Promise<Refusals> => {
      const asked = seats.map(async ({ seat }): Promise<[string, string[]][]> => [
        [`top ${seat}`, await refuseTopUps(session, round, [{ seat, points: ANY_POINTS }])],
        [`leave ${seat}`, await refuseDeparture(session, round, seat)],
      ]);
      return Object.fromEntries((await Promise.all(asked)).flat());
    };
    void run(ask).then((found) => found !== undefined && setRefusals(found));
  }, [session, round.id, round.version]);

  const add = async (seat: number, points: number): Promise<void> => {
    const added = [...topUps.filter((each) => each.seat !== seat), ...(points > 0 ? [{ seat, points }] : [])];
    const refused = added.length === 0 ? [] : await run(() => refuseTopUps(session, round, added));
    if (refused === undefined) return;
    if (refused.length === 0) onTopUps(added);
    else setRefusals({ ...refusals, [`top ${seat}`]: refused });
  };
  const leave = async (seat: number): Promise<void> => {
    const path = { round_id: round.id };
    const options = { path, body: { seat }, idempotencyKey: keyOf(`${seat} ${round.version}`) };
    const changed = await run(() => session.client.post("/v1/rounds/{round_id}/departures", options));
    if (changed !== undefined) onRound(changed);
  };

  const reasons = new Set(Object.values(refusals ?? {}).flat());
  return (
    <section class="panel" aria-labelledby="players-title">
      <h2 id="players-title">Top up or leave</h2>
      <Problem details={problem} />
      {refusals === null && problem === null && <p class="quiet">Loading…</p>}
      {reasons.size > 0 && <div class="notice">{[...reasons].map((reason) => <p key={reason}>{reason}</p>)}</div>}
      {refusals !== null && seats.map(({ seat, player, playing }) => {
        const canTopUp = refusals[`top ${seat}`]?.length === 0;
        const canLeave = playing && refusals[`leave ${seat}`]?.length === 0;
        if (!canTopUp && !canLeave) return null;
        return (
          <SeatActions
            key={`${seat} ${topUps.find((each) => each.seat === seat)?.points}`}
            {...{ player, isBusy, canTopUp, canLeave }}
            points={topUps.find((each) => each.seat === seat)?.points ?? 0}
            onAdd={(points) => void add(seat, points)}
            onLeave={() => void leave(seat)}
          />
        );
      })}
      {topUps.length > 0 && (
        <p class="small">Before the next hand: {topUps.map(({ seat, points }) => `${nameOf(seat)} adds ${points}`).join(", ")}.</p>
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
  onAdd(points: number): void;
  onLeave(): void;
}

function SeatActions({ player, points, canTopUp, canLeave, isBusy, onAdd, onLeave }: SeatProps) {
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
            aria-label={`Points that ${player} adds`}
            inputMode="numeric"
            pattern="[0-9]*"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <button type="submit" class="button" disabled={isBusy || Number(text) === points}>{points > 0 ? "Change" : "Add"}</button>
        </>
      )}
      {canLeave && !isLeaving && (
        <button type="button" class="button" aria-label={`Leave: ${player}`} disabled={isBusy} onClick={() => setLeaving(true)}>Leave</button>
      )}
      {isLeaving && (
        <p class="seat-question">
          {player} leaves for the rest of the round.
          <span class="buttons">
            <button type="button" class="button danger" disabled={isBusy} onClick={onLeave}>{player} leaves</button>
            <button type="button" class="button plain" onClick={() => setLeaving(false)}>Cancel</button>
          </span>
        </p>
      )}
    </form>
  );
}

/** Return why the service would refuse top-ups before the next hand: what it says of them in a hand without cards. */
async function refuseTopUps(session: Session, round: Round, topUps: TopUp[]): Promise<string[]> {
  const { number, button } = round.next!;
  const players = round.seats.map(({ seat }) => ({ seat, top: [], middle: [], bottom: [] }));
  const hand = { number, button: button ?? round.seats[0]!.seat, top_ups: topUps, players };
  const options = { path: { round_id: round.id }, query: { dry_run: true }, body: hand as never, idempotencyKey: null };
  return findRefusal(session.client.post("/v1/rounds/{round_id}/hands", options), TOP_UPS);
}

async function refuseDeparture(session: Session, round: Round, seat: number): Promise<string[]> {
  const options = { path: { round_id: round.id }, query: { dry_run: true }, body: { seat }, idempotencyKey: null };
  return findRefusal(session.client.post("/v1/rounds/{round_id}/departures", options), "");
}

/** Return what the service says against a part of a request; nothing if it says nothing against it. */
async function findRefusal(request: Promise<unknown>, pointer: string): Promise<string[]> {
  try {
    await request;
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.errors.length === 0) throw error;
    return error.errors.filter((each) => each.pointer.startsWith(pointer)).map(({ detail }) => asSentence(detail));
  }
}

/** Return a detail without the field of the request that it begins with. */
function asSentence(detail: string): string {
  const text = detail.replace(/^`[^`]*`: /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
