import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { HandRequest, Round, RoundRequest, Table } from "../../../client/src/contract.js";
import { ApiError, TransportError } from "../../../client/src/errors.js";
import type { Waiting } from "../../api/outbox.js";
import { describeRefusal, ServiceScorer, type HandScorer, type Score } from "../../api/scorer.js";
import type { Session } from "../../api/session.js";
import { Bar } from "../bar.js";
import { fillDraft, startDraft, type Draft, type HandPlayer, type Next } from "../hand/draft.js";
import { HandScreen } from "../hand/screen.js";
import type { Outbox } from "../outbox.js";
import { DeviceScorer, prepareRound, type LoadedRules } from "../rules.js";
import { readDraft, readOutbox, readTable, removeFromOutbox, writeDraft, writeTable } from "../storage.js";
import { WaitingRequests } from "../waiting.js";
import { NewRound } from "./new_round.js";
import { RoundOverview } from "./overview.js";

interface Props {
  session: Session;
  table: Table;
  loadedRules: LoadedRules;
  outbox: Outbox;
  /** The round that the service returned last, if it is of this table. */
  received: Round | null;
  status: string | null;
  isEntering: boolean;
  onEntering(isEntering: boolean): void;
  onBack: (() => void) | undefined;
}

/** Return what a round says about its next hand, or null if it takes none. */
function nextOf(round: Round): Next | null {
  if (round.next === null) return null;
  const { number, button, seats, fantasyland } = round.next;
  const players = seats.map((seat) => ({
    seat,
    player: round.seats.find((each) => each.seat === seat)?.player ?? String(seat),
    fantasyland: fantasyland[String(seat)] ?? 0,
  }));
  return { round: round.id, number, button, seats: players };
}

/** A table: its open round, the hand that is entered, or a form to open a round. */
export function TableScreen(props: Props) {
  const { session, table, loadedRules, outbox, received, status, isEntering, onEntering, onBack } = props;
  const [round, setRound] = useState<Round | null | undefined>(undefined);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [problem, setProblem] = useState<string[] | null>(null);
  const [isBusy, setBusy] = useState(false);
  const firstButton = useRef<number | null>(null);
  const { rules, text: rulesText } = loadedRules;
  const scorers = useMemo((): HandScorer[] => {
    const service = new ServiceScorer(session.client);
    return rules === null ? [service] : [new DeviceScorer(rules, session), service];
  }, [session, rules]);
  const names = useMemo(() => new Map(round?.seats.map(({ seat, player }) => [seat, player])), [round]);
  const requests = outbox.waiting.filter((request) => request.round === round?.id);

  /** Show a round, store it for use without a network, and continue or start the draft of its next hand. */
  const show = async (shown: Round | null): Promise<void> => {
    await writeTable(table, shown);
    const next = shown === null ? null : nextOf(shown);
    const stored = next === null ? undefined : await readDraft(next.round, next.number);
    // A tap since the draft was read is newer than what is stored.
    setDraft((open) => (next === null ? null : continueDraft(next, isOf(next, open) ? open : stored, firstButton.current)));
    setRound(shown);
  };

  const load = async (): Promise<void> => {
    const cached = await readTable(table.id);
    if (cached && round === undefined) await show(cached.round);
    try {
      const query = { table: table.id, limit: 1 };
      const open = await session.client.get("/v1/rounds", { query: { ...query, status: "open" as const } });
      const { rounds } = open.rounds.length > 0 ? open : await session.client.get("/v1/rounds", { query });
      outbox.setOffline(false);
      const waits = (await readOutbox()).some(({ round: id, refusal }) => id === rounds[0]?.id && refusal === null);
      // What is stored is newer until everything is sent.
      if (!waits || cached?.round?.id !== rounds[0]?.id) await show(rounds[0] ?? null);
    } catch (error) {
      if (error instanceof TransportError) outbox.setOffline(true);
      else if (error instanceof ApiError) setProblem(describeRefusal(error));
      else throw error;
    }
  };
  useEffect(() => void load(), [table.id, session]);
  useEffect(() => {
    if (received !== null && received.table === table.id) void show(received);
  }, [received]);
  useEffect(() => {
    if (round) void prepareRound(session, round);
  }, [round?.id, round?.version, session]);

  const act = async (request: () => Promise<Round>): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await show(await request());
      outbox.setOffline(false);
    } catch (error) {
      if (error instanceof TransportError) {
        outbox.setOffline(true);
        setProblem(["The service does not respond. Nothing was changed here; try again when it does."]);
      } else if (error instanceof ApiError) {
        setProblem(describeRefusal(error));
      } else throw error;
    } finally {
      setBusy(false);
    }
  };
  const open = (body: RoundRequest, button: number | null): void => {
    firstButton.current = button;
    const path = { table_id: table.id };
    void act(() => session.client.post("/v1/tables/{table_id}/rounds", { path, body }));
  };

  const changeDraft = (changed: Draft): void => {
    setDraft(changed);
    void writeDraft(changed);
  };
  const save = async (hand: HandRequest, score: Score | null): Promise<void> => {
    firstButton.current = null;
    const { id } = round!;
    const request = {
      ...(draft?.replaces === undefined ? {} : { id: draft.replaces }),
      round: id,
      path: `/v1/rounds/${id}/hands`,
      body: JSON.stringify(hand),
      idempotencyKey: crypto.randomUUID(),
      label: `Hand ${hand.number}`,
      refusal: null,
    };
    const isSent = await outbox.add(request, hand.number);
    // Without a network, the round goes on as the hand was scored.
    if (!isSent && score !== null) await show({ ...round!, ...score.round, hands: hand.number });
  };
  const edit = async (request: Waiting): Promise<void> => {
    const { number, button, players } = JSON.parse(request.body) as HandRequest;
    const hand = { round: request.round, number, button };
    const changed = { ...fillDraft(hand, players as HandPlayer[], names), replaces: request.id! };
    await writeDraft(changed);
    setDraft(changed);
    onEntering(true);
  };
  const drop = async (request: Waiting): Promise<void> => {
    await removeFromOutbox(request.id!);
    await load();
    await outbox.send();
  };

  const canRecord = session.link?.kind !== "viewer";
  const canEnter = canRecord && draft !== null && (draft.replaces !== undefined || follows(draft, requests));
  if (isEntering && round && canEnter) {
    return (
      <>
        <Bar
          title={`Hand ${draft.number}`}
          subtitle={table.name}
          status={status}
          back={{ label: "Back to the round", onClick: () => onEntering(false) }}
        />
        <HandScreen
          key={`${draft.round} ${draft.number}`}
          {...{ round, draft, names, scorers }}
          onChange={changeDraft}
          onSave={save}
        />
      </>
    );
  }
  return (
    <>
      <Bar title={table.name} subtitle={table.ruleset} status={status} {...(onBack ? { back: { label: "All tables", onClick: onBack } } : {})} />
      <main class="narrow stack">
        {round === undefined && problem === null && <p class="quiet">Loading…</p>}
        <WaitingRequests outbox={outbox} requests={requests} onEdit={edit} onDrop={drop} />
        {round && (
          <RoundOverview
            {...{ round, names, isBusy, problem }}
            canChange={canRecord && requests.length === 0}
            canEnter={canEnter}
            hasDraft={draft !== null && draft.steps.length > 0}
            onEnter={() => onEntering(true)}
            onUndo={(reason) => {
              const path = { round_id: round.id };
              const body = { number: round.hands, ...(reason === "" ? {} : { reason }) };
              void act(() => session.client.post("/v1/rounds/{round_id}/undo", { path, body }));
            }}
            onClose={(reason) => {
              const path = { round_id: round.id };
              void act(() => session.client.post("/v1/rounds/{round_id}/close", { path, body: { reason } }));
            }}
          />
        )}
        {canRecord && (round === null || (round && round.status !== "open")) && (
          <NewRound key={round?.id ?? "first"} last={round} problem={round ? null : problem} isBusy={isBusy} onOpen={open} />
        )}
        {rulesText !== "" && <p class="quiet small">{rulesText}</p>}
      </main>
    </>
  );
}

function isOf(next: Next, draft: Draft | null): draft is Draft {
  return draft !== null && draft.round === next.round && draft.number === next.number;
}

/** Return the draft that was begun, as the round is now, or a new one. */
function continueDraft(next: Next, begun: Draft | undefined, firstButton: number | null): Draft {
  const button = next.button ?? firstButton;
  if (begun === undefined) return startDraft({ ...next, button });
  return begun.replaces === undefined ? { ...begun, seats: next.seats, button: begun.button ?? button } : begun;
}

/** Return whether a draft is of the hand after all that wait; otherwise its button and Fantasyland are not known yet. */
function follows(draft: Draft, requests: Waiting[]): boolean {
  const numbers = requests.map(({ body }) => (JSON.parse(body) as HandRequest).number);
  return requests.every(({ refusal }) => refusal === null) && numbers.every((number) => number < draft.number);
}
