import { useEffect, useState } from "preact/hooks";
import type { Hand, Round } from "../../../client/src/contract.js";
import { ApiError, TransportError } from "../../../client/src/errors.js";
import { UNAUTHORIZED } from "../../api/outbox.js";
import { countWon } from "../../api/results.js";
import { describeMistake } from "../../api/sentences.js";
import type { Session } from "../../api/session.js";
import { gettext, pgettext } from "../../language/gettext.js";
import { formatChange, signClass } from "../format.js";
import type { HandPlayer, Place } from "../hand/draft.js";
import { listPending } from "../local_rounds.js";
import { isNew } from "../storage.js";
import { Correction } from "./correction.js";
import { DisputeForm } from "./dispute.js";
import { DisputeList, type Dispute } from "./disputes.js";
import { PlayedBoards } from "./played_boards.js";
import { Problem } from "./problem.js";
import { readHands, readStoredHands, type PlayedHand } from "./recorded.js";
import { useRequests, useReturns, type Connection } from "./requests.js";
import { nameSeat } from "./words.js";

interface Props {
  session: Session;
  round: Round;
  names: Map<number, string>;
  title: string;
  /** How many requests of the round wait to be sent. */
  waiting: number;
  /** Whether requests wait that have to be sent before a hand can be corrected. */
  isWaiting: boolean;
  canCorrect: boolean;
  canDispute: boolean;
  connection: Connection;
  /** The disputes of the round that have not ended. */
  disputes: Dispute[];
  /** Receives the round after a correction. */
  onRound(round: Round): void;
}

/** The recorded hands of a round, the newest first. A hand opens its boards; a card opens a correction. */
export function History({ session, round, names, title, waiting, connection, ...shared }: Props) {
  const [hands, setHands] = useState<PlayedHand[] | null>(null);
  const [isOffline, setOffline] = useState(false);
  const { problem, run } = useRequests(connection);
  const returns = useReturns(connection);
  useEffect(() => {
    const read = async (): Promise<void> => {
      const found = await run(async () => {
        const recorded = await readHandsIfOnline(session, round);
        const isComplete = recorded !== null && (await listPending(round.id)).length === 0;
        return isComplete ? recorded : ((await readStoredHands(round)) ?? recorded);
      });
      setOffline(found === null);
      if (found) setHands(found);
    };
    const retry = (): void => void read();
    retry();
    addEventListener("online", retry);
    return () => removeEventListener("online", retry);
  }, [session, round.id, round.version, waiting, returns]);
  if ((round.hands === 0 && waiting === 0) || (hands?.length === 0 && problem === null)) return null;
  return (
    <section class="panel history" aria-labelledby="history-title">
      <h2 id="history-title">{title}</h2>
      {hands === null && problem === null && <p class="quiet">{isOffline ? gettext("They are shown when the service responds.") : gettext("Loading…")}</p>}
      <Problem details={problem} isQuiet />
      {hands?.map((played) => (
        <HandEntry key={played.hand.number} {...{ session, round, names, played }} {...shared} />
      ))}
    </section>
  );
}

/** Read the hands of a round; null if the service does not respond, does not have it, or no longer accepts the secret. */
async function readHandsIfOnline(session: Session, round: Round): Promise<PlayedHand[] | null> {
  if (isNew(round.id)) return null;
  try {
    return await readHands(session, round.id);
  } catch (error) {
    if (error instanceof TransportError || (error instanceof ApiError && error.status === UNAUTHORIZED)) return null;
    throw error;
  }
}

interface EntryProps extends Omit<Props, "title" | "waiting" | "connection"> {
  played: PlayedHand;
}

function HandEntry({ session, round, names, played, isWaiting, disputes, onRound, ...can }: EntryProps) {
  const [isOpen, setOpen] = useState(false);
  // A correction goes on from the hand and version that were tapped, whatever is read meanwhile: the service compares them.
  const [corrected, setCorrected] = useState<{ place: Place; round: Round; hand: Hand } | null>(null);
  const { hand, result } = played;
  const canCorrect = can.canCorrect && !isWaiting && result !== null;
  const canDispute = can.canDispute && result !== null;
  const disputed = disputes.filter((dispute) => dispute.hand === hand.number);
  const nameOf = (seat: number): string => names.get(seat) ?? nameSeat(seat);
  const won = (seat: number): number => (result === null ? 0 : countWon(round, result, seat));
  return (
    <details data-hand={hand.number} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{gettext("Hand %(number)s", { number: hand.number })}</strong>
        {result === null && <span class="pill warning">{pgettext("hand", "waiting")}</span>}
        {result?.corrected && <span class="pill accent">{pgettext("hand", "corrected")}</span>}
        {disputed.length > 0 && <span class="pill warning">{pgettext("hand", "disputed")}</span>}
        {result?.players.map(({ seat }) => (
          <span key={seat} class="summary-figure">
            {nameOf(seat)} <b class={`figure ${signClass(won(seat))}`}>{formatChange(won(seat))}</b>
          </span>
        ))}
      </summary>
      {isOpen && (
        <div class="hand-details">
          <DisputeList {...{ disputes: disputed, names }} />
          <p class="quiet small">
            {pgettext("dealer", "Button: %(player)s.", { player: nameOf(hand.button) })}
            {canCorrect && <> {gettext("Tap a card to correct it.")}</>}
            {can.canCorrect && isWaiting && <> {gettext("Its cards can be corrected when the waiting requests have been sent.")}</>}
          </p>
          <PlayedBoards
            {...{ round, result, nameOf }}
            players={hand.players as unknown as HandPlayer[]}
            onCard={canCorrect ? (place) => setCorrected({ place, round, hand }) : undefined}
          />
          {result?.irregular.map((reason) => <p key={reason.detail} class="small quiet">{describeMistake(reason, { names, body: hand })}</p>)}
          {canDispute && <DisputeForm {...{ session, round, names }} hand={hand.number} />}
        </div>
      )}
      {corrected !== null && (
        <Correction
          key={`${corrected.place} ${corrected.round.version}`}
          {...{ session, names, onRound }}
          round={corrected.round}
          hand={corrected.hand}
          start={corrected.place}
          onEnd={() => setCorrected(null)}
        />
      )}
    </details>
  );
}
