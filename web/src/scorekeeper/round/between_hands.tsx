import { useEffect, useRef, useState } from "preact/hooks";
import type { Round, ScopeName, Table } from "../../../client/src/contract.js";
import type { Session } from "../../api/session.js";
import { gettext } from "../../language/gettext.js";
import type { Rules } from "../../rules/index.js";
import type { Draft, TopUp } from "../hand/draft.js";
import type { Outbox } from "../outbox.js";
import type { AccountReader } from "../payments/use_account.js";
import { useSettling } from "../settling.js";
import { TableDisputes, useDisputes } from "./disputes.js";
import { EarlierRounds, readEarlier, type EarlierRound } from "./earlier_rounds.js";
import { History } from "./history.js";
import { Players } from "./players.js";
import { Problem } from "./problem.js";
import { Reopen } from "./reopen.js";
import { useRequests, type Connection, type Failure } from "./requests.js";
import { SettleUp } from "./settle_up.js";

interface Props {
  session: Session;
  rules: Rules | null;
  table: Table;
  round: Round;
  names: Map<number, string>;
  /** The next hand; null if none can be entered now. */
  draft: Draft | null;
  /** How many requests of the round wait to be sent. */
  waiting: number;
  /** Whether requests wait that have to be sent before a recorded hand can be corrected. */
  isWaiting: boolean;
  /** Whether rounds can be changed with the link or key. */
  canRecord: boolean;
  /** Whether the round can be changed now: while requests wait, only with the rules. */
  canChange: boolean;
  connection: Connection;
  outbox: Outbox;
  /** Reads what is owed. */
  account: AccountReader;
  onRound(round: Round): void;
  /** Returns why the player cannot leave, or null. */
  onLeave(seat: number): Promise<Failure | null>;
  onTopUps(topUps: TopUp[]): Promise<void>;
  onClose(reason: string): void;
}

type Panel = "players" | "settle";

/** What is done between two hands, beside entering the next one. */
export function BetweenHands(props: Props) {
  const { session, rules, table, round, names, draft, waiting, isWaiting, canRecord, canChange, connection, outbox, account, onRound, onLeave, onTopUps, onClose } = props;
  const [panel, setPanel] = useState<Panel | null>(null);
  const [earlier, setEarlier] = useState<EarlierRound | null>(null);
  const disputes = useDisputes(session, table, `${round.id} ${round.version} ${round.state}`);
  const { problem, run } = useRequests(connection);
  const show = async (id: string): Promise<void> => {
    const read = await run(() => readEarlier(session, id));
    if (read !== undefined) setEarlier(read);
  };
  const disputesOf = ({ id }: Round) => disputes.filter((dispute) => dispute.round === id);
  const toggle = (name: Panel): void => setPanel(panel === name ? null : name);
  const opened = useRef<HTMLDivElement>(null);
  useSettling(panel ?? "");
  // On a small screen a panel opens below the fold.
  useEffect(() => opened.current?.scrollIntoView({ block: "start" }), [panel]);
  // The scopes of a key are not known: the service refuses what it lacks, and says so.
  const has = (scope: ScopeName): boolean => session.link === null || session.link.scopes.includes(scope);
  const takesHands = canChange && draft !== null && round.next !== null;
  const canReopen = round.status === "closed" && canRecord && has("correct") && round.state !== "disputed" && round.state !== "final";
  return (
    <>
      {canReopen && <Reopen {...{ session, round, isWaiting, onRound }} />}
      <TableDisputes {...{ disputes, names, round }} onShow={(id) => void show(id)} />
      <Problem details={problem} />
      <div class="buttons">
        {takesHands && <button type="button" class="button" aria-expanded={panel === "players"} onClick={() => toggle("players")}>{gettext("Top up or leave")}</button>}
        <button type="button" class="button" aria-expanded={panel === "settle"} onClick={() => toggle("settle")}>{gettext("Settle up")}</button>
      </div>
      <div ref={opened} class="opened-panel" hidden={panel === null}>
        {panel === "players" && takesHands && <Players {...{ session, rules, round, isWaiting, connection, onLeave, onTopUps }} topUps={draft.topUps ?? []} />}
        {panel === "settle" && <SettleUp {...{ session, rules, table, round, outbox, account, connection, canRecord }} onClose={canChange ? onClose : undefined} />}
      </div>
      {earlier === null ? (
        <History
          {...{ session, round, names, waiting, isWaiting, connection, onRound }}
          title={gettext("Hands")}
          disputes={disputesOf(round)}
          canCorrect={canRecord && has("correct")}
          canDispute={round.status !== "open" && has("disputes")}
        />
      ) : (
        <>
          <History
            key={earlier.round.id}
            {...{ session, isWaiting, connection }}
            title={gettext("Hands of %(time)s", { time: earlier.title })}
            disputes={disputesOf(earlier.round)}
            round={earlier.round}
            waiting={0}
            names={new Map(earlier.round.seats.map(({ seat, player }) => [seat, player]))}
            canCorrect={canRecord && has("correct")}
            canDispute={has("disputes")}
            onRound={(changed) => setEarlier({ ...earlier, round: changed })}
          />
          <div class="buttons"><button type="button" class="button" onClick={() => setEarlier(null)}>{gettext("Hands of this round")}</button></div>
        </>
      )}
      <EarlierRounds {...{ session, table }} current={round} onChoose={setEarlier} />
    </>
  );
}
