import { useEffect, useState } from "preact/hooks";
import type { CorrectionRequest, HandRequest, RoundDocument } from "../../client/src/contract.js";
import type { Waiting } from "../api/outbox.js";
import type { Session } from "../api/session.js";
import { CardFace } from "../design/card.js";
import { nameCard } from "../design/cards.js";
import { gettext, gettextNodes } from "../language/gettext.js";
import { nameRow } from "../language/words.js";
import { AcceptLater, IRREGULAR } from "./round/accept_later.js";
import { useKey, useRequests } from "./round/requests.js";

type Hand = RoundDocument["hands"][number];
type Player = Hand["players"][number];
const GROUPS = ["top", "middle", "bottom", "discards"] as const;

interface Props {
  session: Session;
  /** A hand whose number another hand has. */
  request: Waiting;
  /** Removes the request. */
  onResolved(): Promise<void>;
}

/** The recorded hand and the one of this device side by side, to choose one of them. */
export function Conflict({ session, request, onResolved }: Props) {
  const [read, setRead] = useState<{ version: number; document: RoundDocument } | null>(null);
  const [isAccepted, accept] = useState(false);
  const { isBusy, problem, code, run } = useRequests();
  const keyOf = useKey();
  const { round } = request;
  const mine = JSON.parse(request.body) as HandRequest;
  useEffect(() => {
    // What was read stays: a correction that is sent again has to be the same one.
    const path = { round_id: round };
    const readRound = async () => {
      const { version } = await session.client.get("/v1/rounds/{round_id}", { path });
      return { version, document: await session.client.get("/v1/rounds/{round_id}/document", { path }) };
    };
    void run(readRound).then((shown) => shown !== undefined && setRead(shown));
  }, [session, request.id]);
  const recorded = read?.document.hands[mine.number - 1];
  if (read === null || recorded === undefined) return problem === null ? null : <p>{problem.join(" ")}</p>;
  const correct = async (): Promise<void> => {
    const body = buildCorrection(mine, recorded, read.version, isAccepted);
    const options = { path: { round_id: round }, body, idempotencyKey: keyOf(JSON.stringify(body)) };
    const corrected = await run(() => session.client.post("/v1/rounds/{round_id}/corrections", options));
    if (corrected !== undefined) await onResolved();
  };
  const nameOf = (seat: number): string => read.document.seats.find((each) => each.seat === seat)?.player ?? gettext("seat %(seat)s", { seat });
  return (
    <div class="stack conflict">
      <h3 class="small">{gettext("Choose which one counts. Differences are marked.")}</h3>
      <div class="conflict-hands">
        <HandView title={gettext("Recorded")} hand={recorded} other={mine} nameOf={nameOf} />
        <HandView title={gettext("Mine")} hand={mine} other={recorded} nameOf={nameOf} />
      </div>
      {problem !== null && problem.map((detail) => <p key={detail}>{detail}</p>)}
      {(isAccepted || code === IRREGULAR) && <AcceptLater isAccepted={isAccepted} onAccept={accept} />}
      <div class="buttons">
        <button type="button" class="button primary" disabled={isBusy} onClick={() => void onResolved()}>{gettext("Keep the recorded hand")}</button>
        <button type="button" class="button" disabled={isBusy} onClick={() => void correct()}>{gettext("Correct it with mine")}</button>
      </div>
    </div>
  );
}

interface HandViewProps {
  title: string;
  hand: Compared;
  other: Compared;
  nameOf(seat: number): string;
}

type Compared = Pick<HandRequest, "number" | "button" | "top_ups"> & { players: HandRequest["players"] | Player[] };

function HandView({ title, hand, other, nameOf }: HandViewProps) {
  return (
    <section aria-label={title}>
      <h4>{title}</h4>
      <p class="small">{gettextNodes("Button: %(player)s", { player: <Marked text={nameOf(hand.button)} isSame={hand.button === other.button} /> })}</p>
      {hand.top_ups?.map(({ seat, points }) => {
        const isSame = other.top_ups?.some((each) => each.seat === seat && each.points === points) ?? false;
        return <p key={seat} class="small"><Marked text={gettext("%(player)s adds %(points)s", { player: nameOf(seat), points })} isSame={isSame} /></p>;
      })}
      {hand.players.map((player) => {
        const compared = other.players.find(({ seat }) => seat === player.seat);
        return (
          <div key={player.seat} class="conflict-board">
            <h5 class="small">
              <Marked text={nameOf(player.seat)} isSame={compared !== undefined} />
              {(player.fantasyland ?? 0) > 0 && (
                <>, <Marked text={gettext("Fantasyland %(cards)s", { cards: player.fantasyland ?? 0 })} isSame={compared?.fantasyland === player.fantasyland} /></>
              )}
            </h5>
            {GROUPS.filter((group) => group !== "discards" || (player.discards ?? []).length > 0).map((group) => (
              <div key={group} class="conflict-row" role="group" aria-label={nameRow(group)}>
                {(player[group] ?? []).map((card) => <Compare key={card} card={card} isSame={compared?.[group]?.includes(card) ?? false} />)}
              </div>
            ))}
          </div>
        );
      })}
    </section>
  );
}

function Marked({ text, isSame }: { text: string; isSame: boolean }) {
  return isSame ? <>{text}</> : <mark>{text}</mark>;
}

function Compare({ card, isSame }: { card: string; isSame: boolean }) {
  return (
    <span class="card" data-suit={card[1]} data-differs={!isSame}>
      <CardFace card={card} />
      <span class="hidden-text">{isSame ? nameCard(card) : gettext("%(card)s, differs", { card: nameCard(card) })}</span>
    </span>
  );
}

/** Return the correction of a recorded hand, which is refused if the round is no longer as it was shown. */
function buildCorrection(mine: HandRequest, recorded: Hand, version: number, isAccepted: boolean): CorrectionRequest {
  const { button, players, top_ups = [] } = mine;
  const value = { ...recorded, button, players, top_ups };
  const patch = [{ op: "replace" as const, path: `/hands/${mine.number - 1}`, value }];
  return { reason: gettext("Two scorekeepers recorded different hands"), version, patch, ...(isAccepted ? { irregular: "accept" } : {}) };
}
