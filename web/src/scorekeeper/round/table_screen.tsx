import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { HandRequest, Round, RoundRequest, Table } from "../../../client/src/contract.js";
import { ApiError, TransportError } from "../../../client/src/errors.js";
import { EXPECTED_DIFFERS, sendOnce, type OperationName, type Waiting } from "../../api/outbox.js";
import { isPayment } from "../../api/payments.js";
import { listBusted } from "../../api/results.js";
import { ServiceScorer, type HandScorer, type Score } from "../../api/scorer.js";
import { describeKind, type Context } from "../../api/sentences.js";
import { canRecord as canRecordWith, type Session } from "../../api/session.js";
import { gettext } from "../../language/gettext.js";
import { Bar } from "../bar.js";
import type { StoredRound } from "../database.js";
import { Limits } from "../environment.js";
import { formatRuleset } from "../format.js";
import { fitDraft, type Draft, type TopUp } from "../hand/draft.js";
import { DeviceScorer, makeWaiting, nameUndone, openLocally, playLocally } from "../local_rounds.js";
import type { Outbox, Stored } from "../outbox.js";
import { useAccount } from "../payments/use_account.js";
import type { LoadedRules } from "../rules.js";
import { readOutbox } from "../outbox_storage.js";
import { useSettling } from "../settling.js";
import { deleteDraft, isNew, isOvertaken, nameLasting, readDraft, readOvertaken, readRound, writeDraft, writeTable } from "../storage.js";
import { StoredRequests } from "../stored_requests.js";
import { WaitingRequests } from "../waiting.js";
import { BetweenHands } from "./between_hands.js";
import { Busted } from "./busted.js";
import { useLastButton } from "./first_button.js";
import { HandPage } from "./hand_page.js";
import { MainAction } from "./main_action.js";
import { findSimilar } from "./names.js";
import { NewRound } from "./new_round.js";
import { continueDraft, draftRefused, findObstacle, follows, makeRecording, nameSeats, nextOf } from "./next_hand.js";
import { Overtaken } from "./overtaken.js";
import { RoundChanges, RoundOverview } from "./overview.js";
import { Problem } from "./problem.js";
import { draftUndone } from "./recorded.js";
import { explainChanged, explainMissing, explainOlder, findButton, type Asked } from "./refusals.js";
import { fail, type Failure } from "./requests.js";
import { describeSaved, isLast, isWaiting, LastHand, type SavedHand } from "./saved_hand.js";
import { describeScorekeepers, useScorekeepers } from "./scorekeepers.js";
import { useRound } from "./use_round.js";
import { useTable } from "./use_table.js";
import { nameSeat } from "./words.js";

/** What failed: something that was done with the round, the form that opens one, a refused request, or what the page read by itself. */
type Cause = "round" | "opening" | "request" | "reading";

interface Props {
  session: Session;
  table: Table;
  loadedRules: LoadedRules;
  outbox: Outbox;
  /** The round that the service returned last, if it is of this table. */
  received: Round | null;
  status: string | null;
  isEntering: boolean;
  /** Receives the table when it has changed. */
  onTable(table: Table): void;
  onEntering(isEntering: boolean): void;
  onBack: (() => void) | undefined;
  /** What is shown below everything else. */
  menu: ComponentChildren;
}

/** A table: its open round, the hand that is entered, or a form to open a round. */
export function TableScreen(props: Props) {
  const { session, table, loadedRules, outbox, received, status, isEntering, onTable, onEntering, onBack, menu } = props;
  const [round, setRound] = useState<Round | null | undefined>(undefined);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [problem, setProblem] = useState<(Failure & { at: Cause }) | null>(null);
  const [isBusy, setBusy] = useState(false);
  /** The round before the hand that is entered, if another device has recorded this hand meanwhile. */
  const [before, setBefore] = useState<Round | null>(null);
  /** A refused opening that is edited. */
  const [editing, setEditing] = useState<Waiting | null>(null);
  /** Whether the round that is open at the service is shown, instead of one that was opened on this device. */
  const [showsOther, setShowsOther] = useState(false);
  /** The round of a refused hand that is edited, if it is not the one that is shown. */
  const [edited, setEdited] = useState<Round | null>(null);
  const [saved, setSaved] = useState<SavedHand | null>(null);
  const [buyIns, setBuyIns] = useState<Readonly<Record<string, number>>>({});
  const firstButton = useRef<number | null>(null);
  /** Ends when the hand that was saved last was sent, or could not be. */
  const lastSent = useRef<Promise<void> | null>(null);
  const { rules, text: rulesText } = loadedRules;
  const names = useMemo(() => nameSeats(round), [round]);
  /** The round of the hand that is entered. */
  const handRound = draft?.replaces !== undefined && draft.round === edited?.id ? edited : (before ?? round);
  const handNames = useMemo(() => nameSeats(handRound), [handRound]);
  const requests = outbox.waiting.filter((request) => request.table.id === table.id);
  const ofRound = requests.filter((request) => request.round === round?.id);
  const device = useMemo(() => rules && new DeviceScorer(rules, session), [session, rules]);
  // The service does not know the hands that wait to be sent.
  const canAsk = ofRound.every(({ refusal }) => refusal !== null);
  const scorers = useMemo((): HandScorer[] => [...(device ? [device] : []), ...(canAsk ? [new ServiceScorer(session.background)] : [])], [session, device, canAsk]);
  const ofRounds = requests.filter((request) => !isPayment(request));
  /** What has to be sent before the round that is shown can be changed in another way than by hands. */
  const earlier = showsOther ? ofRound : ofRounds;
  const asked = (of: Round): Asked => ({ session, rules, round: of, isWaiting: earlier.length > 0 });
  const rebuyOf = (seat: number): number => {
    const { player, opening_stack } = round!.seats.find((each) => each.seat === seat)!;
    return Math.max(buyIns[player] ?? opening_stack, table.minimum_stack ?? 0);
  };

  const latest = useRef({ round, draft, isEntering, showsOther });
  latest.current = { round, draft, isEntering, showsOther };
  /** Whether the draft was saved, so that the next hand replaces it. */
  const isSaved = useRef(false);

  /** Show a round, store it for use without a network, and continue or start the draft of its next hand. */
  const show = async (shown: Round | null): Promise<void> => {
    // Once the other round has ended, the one of this device can be opened.
    if (latest.current.showsOther && shown?.status !== "open") return setShowsOther(false);
    const bought = await writeTable(table, shown);
    const next = shown === null ? null : nextOf(shown);
    const waiting = await readOutbox();
    const ids = new Set(waiting.map(({ id }) => id));
    // The request of a refused hand can have been dropped since the hand was edited.
    const isNeeded = (draft: Draft | null | undefined): boolean => draft?.replaces === undefined || ids.has(draft.replaces);
    const found = next === null ? undefined : await readDraft(next.round, next.number);
    const stored = isNeeded(found) ? found : undefined;
    const { round: last } = latest.current;
    const wasSaved = isSaved.current;
    const isEdited = latest.current.isEntering && latest.current.draft?.replaces !== undefined && isNeeded(latest.current.draft);
    const begun = latest.current.draft ?? (shown === null ? null : ((await readOvertaken(shown)) ?? null));
    if (!wasSaved && shown !== null && begun?.round === shown.id && isOvertaken(begun, shown.hands)) {
      // Somebody else recorded the hand: it stays, so that both can be compared.
      setDraft((open) => open ?? begun);
      setBefore((found) => found ?? last ?? shown);
    } else if (wasSaved || !isEdited) {
      // The service has opened a round that was opened on this device.
      const renamed = last && isNew(last.id) && last.reference === shown?.reference ? last.id : undefined;
      const isOf = (draft: Draft | null): draft is Draft =>
        !wasSaved && isNeeded(draft) && draft?.number === next?.number && (draft?.round === next?.round || draft?.round === renamed);
      const { topUps = [] } = (isOf(latest.current.draft) ? latest.current.draft : stored) ?? {};
      const isWaiting = waiting.some((request) => request.table.id === table.id && !isPayment(request));
      const button = next && (await findButton({ session, rules, round: shown!, isWaiting }, topUps));
      // A tap since the draft was read is newer than what is stored.
      setDraft((open) => {
        if (next === null) return null;
        const newest = isOf(open) ? open : stored;
        const isAsked = JSON.stringify(newest?.topUps ?? []) === JSON.stringify(topUps);
        return continueDraft({ ...next, button: isAsked ? button : newest!.button }, newest, firstButton.current);
      });
      setBefore(null);
      isSaved.current = false;
    }
    setBuyIns(bought);
    setRound(shown);
  };

  const onRead = (details: string[] | null): void =>
    setProblem((last) => (details !== null ? { at: "reading", details } : last?.at === "reading" ? null : last));
  const refresh = useRound({ session, table, rules, outbox, received, round, showsOther, show, onRead });
  const canRecord = canRecordWith(session);
  const isOpening = canRecord && (editing !== null || round === null || (round !== undefined && round.status !== "open"));
  const isAway = outbox.isOffline || outbox.blocked !== null;
  const account = useAccount({ session, table, round, payments: requests.length - ofRounds.length, isOffline: isAway });
  useTable({ session, table, isOffline: isAway, isOpening, onTable });
  const lastButton = useLastButton(session, round);

  /** Go on with a stored request. One that is refused stays: the scorekeeper decides what becomes of it. */
  const proceed = ({ fate, sent }: Stored): void => {
    lastSent.current = sent;
    void fate.then((reached) => (reached === "refused" ? refresh() : undefined));
  };
  /** Store a change, and show the round with it. It is sent meanwhile. */
  const queue = async (request: Waiting, opened?: StoredRound): Promise<void> => {
    setEditing(null);
    const stored = await outbox.add(request, opened);
    await refresh();
    proceed(stored);
  };
  /** Do something. Returns why it failed, or null. */
  const attempt = async (action: () => Promise<Failure | null | void>, context: Context = { names }): Promise<Failure | null> => {
    setBusy(true);
    try {
      return (await action()) ?? null;
    } catch (error) {
      if (error instanceof TransportError) {
        outbox.setOffline(true);
        return { details: [explainMissing()] };
      }
      if (!(error instanceof ApiError)) throw error;
      return error.code === EXPECTED_DIFFERS ? { details: [explainOlder()] } : fail(error.problem, context);
    } finally {
      setBusy(false);
    }
  };
  /** Do something, and show beside its cause why it failed. */
  const act = async (at: Cause, action: () => Promise<Failure | null | void>, context?: Context): Promise<void> => {
    setProblem(null);
    const failure = await attempt(action, context);
    if (failure !== null) setProblem({ ...failure, at });
  };
  /** Change the round with the rules on this device, or without them by the service. Returns why the rules refuse it, or null. */
  const change = async (operation: OperationName, label: string, body: object): Promise<Failure | null> => {
    const request = makeWaiting(table, round!, operation, label, body);
    const played = await playLocally(rules, round!, { operation, body });
    if (played.kind === "refused") return fail(played.problem, { names, body });
    if (played.kind === "round") await queue(request);
    else await refresh((await sendOnce(session.background, request)).round);
    return null;
  };
  const undo = (reason: string): void => {
    void act("round", async () => {
      const named = await nameUndone(session, round!);
      if (named === null) return { details: [explainChanged()] };
      const undone = await draftUndone(round!, names);
      if (undone !== null) await writeDraft(undone);
      return change("undo_hand", gettext("Undo of hand %(hand)s", { hand: round!.hands }), { number: round!.hands, ...named, ...(reason === "" ? {} : { reason }) });
    });
  };
  const close = (reason: string): void => {
    void act("round", () => change("close_round", gettext("End of the round"), { reason, expected: { hands: round!.hands } }));
  };
  const leave = (seat: number): Promise<Failure | null> =>
    attempt(() => change("record_departure", gettext("Departure of %(player)s", { player: names.get(seat) ?? nameSeat(seat) }), { seat, expected: { hands: round!.hands } }));
  const findKnown = async (body: RoundRequest): Promise<ReadonlyMap<string, string>> => {
    try {
      return outbox.isOffline ? new Map() : await findSimilar(session, table, body);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      outbox.setOffline(true);
      return new Map();
    }
  };
  const open = (body: RoundRequest, button: number | null): void => {
    firstButton.current = button;
    void act("opening", async () => {
      const opening = await openLocally(session, rules, table, body, editing ?? undefined);
      if (opening?.kind === "refused") return fail(opening.problem, { body });
      if (opening !== null) return queue(opening.request, opening.opened);
      // Without the rules, the service opens the round: after the last hand of the one before.
      await lastSent.current;
      const path = { table_id: table.id };
      return refresh(await session.background.post("/v1/tables/{table_id}/rounds", { path, body }));
    }, { body });
  };

  const changeDraft = (changed: Draft): void => {
    setDraft(changed);
    void writeDraft(changed);
  };
  const setTopUps = async (topUps: TopUp[]): Promise<void> => {
    const button = await findButton(asked(round!), topUps);
    changeDraft(fitDraft({ ...latest.current.draft!, topUps }, { ...nextOf(round!)!, button }));
  };
  const save = async (hand: HandRequest, score: Score | null): Promise<void> => {
    firstButton.current = null;
    isSaved.current = true;
    const replaced = outbox.waiting.find(({ id }) => id === draft!.replaces);
    const stored = await outbox.add(makeRecording(table, handRound!, hand, draft!, replaced));
    const isNext = replaced === undefined && before === null && handRound!.id === round!.id;
    if (isNext) setSaved(describeSaved(round!, hand, score));
    // The round goes on as the hand was scored. What the service has recorded meanwhile shows whether it was recorded.
    if (isNext && score !== null) {
      // The round can have been shown as it was before, while the hand was stored.
      isSaved.current = true;
      await show({ ...round!, ...score.round, version: round!.version, hands: hand.number });
      proceed(stored);
    } else if ((await stored.fate) !== "sent") {
      await refresh();
    }
  };
  const discard = async (discarded: Draft): Promise<void> => {
    await deleteDraft(discarded);
    isSaved.current = true;
    await refresh(round);
  };
  const edit = async (request: Waiting): Promise<void> => {
    if (request.operation === "open_round") return setEditing(request);
    await act("request", async () => {
      const path = { round_id: request.round };
      const isShown = request.round === round?.id;
      const of = isShown ? round : ((await readRound(request.round))?.round ?? (await session.client.get("/v1/rounds/{round_id}", { path })));
      const changed = await draftRefused(request, of);
      await writeDraft(changed);
      setEdited(isShown ? null : of);
      setDraft(changed);
      onEntering(true);
    });
  };
  const replace = async (request: Waiting, by: Waiting | null): Promise<void> => {
    await outbox.replace(request, by);
    await refresh();
  };

  const leaveHand = (): void => {
    onEntering(false);
    // What was changed of a refused hand stays on the device; the next hand is shown again.
    if (draft?.replaces !== undefined) void refresh();
  };

  const obstacle = canRecord ? findObstacle(earlier, rules) : null;
  const canChange = canRecord && obstacle === null;
  const canEnter = canRecord && draft !== null && (draft.replaces !== undefined || follows(draft, ofRound));
  const isEnteringNow = isEntering && Boolean(round) && canEnter;
  useSettling(isEnteringNow ? `hand-${draft.number}` : "round");
  const others = describeScorekeepers(useScorekeepers(session, table, isEnteringNow ? draft.number : null, outbox.isOffline));
  const topUps = draft?.topUps ?? [];
  const bustedOf = (of: Round, seats: number[], isAnnounced: boolean) => (
    <Busted {...asked(of)} {...{ seats, isAnnounced, topUps, rebuyOf }} canChange={canChange && draft !== null} onTopUps={setTopUps} />
  );
  const lastHand = saved !== null && round != null && before === null && isLast(saved, round) && (
    <LastHand {...{ saved, names }} isWaiting={isWaiting(saved, ofRound)} isFresh={isEnteringNow && draft.steps.length === 0}>
      {bustedOf(round, saved.busted, true)}
    </LastHand>
  );
  if (isEnteringNow && round) {
    return (
      <HandPage
        {...{ draft, scorers, loadedRules, status }}
        subtitle={others ?? table.name}
        names={handNames}
        round={handRound!}
        onBack={leaveHand}
        onChange={changeDraft}
        onSave={save}
      >
        {before !== null && <Overtaken {...{ draft }} names={handNames} onOpen={undefined} onDiscard={() => void discard(draft)} />}
        {lastHand}
      </HandPage>
    );
  }
  const canOpen = isOpening && !table.archived_at;
  return (
    <>
      <Bar title={table.name} subtitle={others ?? formatRuleset((round?.status === "open" ? round : table).ruleset)} status={status} {...(onBack ? { back: { label: gettext("All tables"), onClick: onBack } } : {})} />
      <main class="narrow column">
        {round === undefined && problem === null && <p class="quiet">{gettext("Loading…")}</p>}
        <WaitingRequests
          {...{ session, table, outbox, requests, showsOther }}
          onEdit={edit}
          onReplace={replace}
          onShowOther={setShowsOther}
        />
        {(problem?.at === "request" || problem?.at === "reading") && (
          <Problem details={problem.details} isQuiet={problem.at === "reading"} />
        )}
        {before !== null && draft !== null && (
          <Overtaken {...{ draft, names }} onOpen={() => onEntering(true)} onDiscard={() => void discard(draft)} />
        )}
        {round?.next === null && lastHand}
        {round && <RoundOverview {...{ round, names }}>{bustedOf(round, listBusted(round), false)}</RoundOverview>}
        <MainAction
          draft={canEnter && before === null && round?.next != null ? draft : null}
          canOpen={canOpen && round != null && editing === null}
          isBusy={isBusy}
          onEnter={() => onEntering(true)}
        />
        {round && (
          <RoundChanges
            {...{ round, canChange, obstacle, isBusy }}
            problem={problem?.at === "round" ? problem.details : null}
            onUndo={undo}
            onClose={close}
          />
        )}
        {isOpening && Boolean(table.archived_at) && <p class="notice" role="status">{describeKind({ code: "table-archived", detail: "" })}</p>}
        {canOpen && (
          <NewRound
            key={`${round ? nameLasting(round) : "first"} ${editing?.id ?? ""}`}
            {...{ table, last: round ?? null, lastButton, rebuyOf, editing, isBusy }}
            problem={problem?.at === "opening" ? problem : null}
            onCheck={findKnown}
            onOpen={open}
          />
        )}
        {round && (
          <BetweenHands
            key={nameLasting(round)}
            {...{ session, rules, table, round, names, canRecord, canChange }}
            draft={before === null ? draft : null}
            waiting={ofRound.length}
            isWaiting={earlier.length > 0}
            onRound={(changed) => void refresh(changed)}
            {...{ outbox, account }}
            connection={{ isOffline: outbox.isOffline, onOffline: () => outbox.setOffline(true) }}
            onLeave={leave}
            onTopUps={setTopUps}
            onClose={close}
          />
        )}
        {rulesText !== "" && <p class="quiet small">{rulesText}</p>}
        <StoredRequests outbox={outbox} requests={outbox.waiting.filter((request) => request.table.id !== table.id)} />
        <Limits />
        {menu}
      </main>
    </>
  );
}
