import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { HandRequest, Round } from "../../../client/src/contract.js";
import { scoreWith, type HandScorer, type Score, type ScoreResult } from "../../api/scorer.js";
import { nameCard } from "../../design/cards.js";
import { gettext, gettextNodes } from "../../language/gettext.js";
import { nameRow } from "../../language/words.js";
import type { LoadedRules } from "../rules.js";
import { useSettling } from "../settling.js";
import { Board, SeatTabs, type BoardActions } from "./board.js";
import { Deck } from "./deck.js";
import {
  chooseButton, isFull, listPlayers, moveBy, moveTo, parsePlace, putBoard, putCard, takeBack, undo, type Direction, type Draft, type Place,
} from "./draft.js";
import { boardsOf, useLiveBoards } from "./live.js";
import { Result } from "./result.js";
import { useStable } from "./stable.js";
import { TextEntry } from "./text_entry.js";
import { typeKey } from "./typing.js";

const ARROWS: Record<string, Direction> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };
/** How long a hand can be scored before the page says that its score follows, in milliseconds. */
const SCORE_LATER = 4_000;
/** How long after a failure a hand is scored again, in milliseconds. */
const SCORE_AGAIN = 5_000;

interface Props {
  round: Round;
  draft: Draft;
  names: Map<number, string>;
  scorers: HandScorer[];
  /** They read what is typed or said. */
  loadedRules: LoadedRules;
  onChange(draft: Draft): void;
  /** Receives the hand and its result, if it could be scored. */
  onSave(hand: HandRequest, score: Score | null): Promise<void>;
}

/** Where the cards of a hand are entered. */
export function HandScreen({ round, draft, names, scorers, loadedRules, onChange, onSave }: Props) {
  const [pendingRank, setPendingRank] = useState<string | null>(null);
  const [shown, setShown] = useState(draft.seats[0]!.seat);
  const [isSaving, setSaving] = useState(false);
  const [isTyping, setTyping] = useState(false);
  const boards = useRef<HTMLDivElement>(null);
  const current = draft.cursor === null ? null : parsePlace(draft.cursor);
  const currentSeat = draft.seats.find(({ seat }) => seat === current?.seat);
  const full = isFull(draft) && draft.cursor === null;
  useSettling(full ? "result" : "deck");
  const result = useScore(round, draft, full, scorers);
  const soFar = useLiveBoards(round, draft, scorers);
  const live = result?.kind === "scored" ? boardsOf(result.score) : soFar;
  const added = new Map(draft.topUps?.map(({ seat, points }) => [seat, points]));
  const stacks = new Map(round.seats.map(({ seat, stack }) => [seat, stack + (added.get(seat) ?? 0)]));
  // Taps can follow each other faster than the page is drawn.
  const latest = useRef(draft);
  latest.current = draft;
  const change = useStable((action: (draft: Draft) => Draft): void => {
    const changed = action(latest.current);
    if (changed === latest.current) return;
    latest.current = changed;
    onChange(changed);
  });

  const actions = useMemo((): BoardActions => ({
    tap: (place) => change((old) => (place in old.cards ? takeBack(old, place) : moveTo(old, place))),
    choose: (place) => change((old) => moveTo(old, place)),
    setButton: (button) => change((old) => chooseButton(old, button)),
  }), [change]);
  const undoLast = (): void => change(undo);
  const put = (card: string): void => change((old) => putCard(old, card));
  const canSave = full && draft.button !== null;
  const save = async (): Promise<void> => {
    if (!canSave || isSaving || result?.kind === "refused") return;
    setSaving(true);
    try {
      await onSave(buildHand(draft), result?.kind === "scored" ? result.score : null);
    } finally {
      setSaving(false);
    }
  };

  useScrolledBoards(boards, draft.cursor, draft.steps.length, setShown);
  useKeys((event) => {
    const arrow = ARROWS[event.key];
    const typed = typeKey(pendingRank, event.key);
    if (arrow !== undefined) {
      change((old) => moveBy(old, arrow));
    } else if (event.key === "Backspace") {
      if (pendingRank !== null) setPendingRank(null);
      else change((old) => (old.cursor !== null && old.cursor in old.cards ? takeBack(old, old.cursor) : undo(old)));
    } else if (event.key === "Enter" && !isControl(event.target)) {
      void save();
    } else if (event.key === "b") {
      change(moveButton);
    } else if (typed !== undefined) {
      setPendingRank(typed.rank);
      if (typed.card !== null) put(typed.card);
    } else {
      return;
    }
    event.preventDefault();
  });

  return (
    <main class="hand">
      <h2 class="hidden-text">{gettext("Boards")}</h2>
      <SeatTabs draft={draft} names={names} shown={shown} onShow={(seat) => showBoard(boards.current, seat, isCalm() ? "instant" : "smooth")} />
      <div class={draft.seats.length === 4 ? "boards four" : "boards"} ref={boards}>
        {draft.seats.map((seat) => (
          <Board
            key={seat.seat}
            draft={draft}
            seat={seat}
            name={names.get(seat.seat) ?? gettext("seat %(seat)s", { seat: seat.seat })}
            stack={stacks.get(seat.seat)}
            added={added.get(seat.seat) ?? 0}
            live={live.get(seat.seat)}
            isCurrent={current?.seat === seat.seat}
            actions={actions}
          />
        ))}
      </div>
      <div class={full ? "entry full" : "entry"}>
        {full ? (
          <Result
            {...{ result, names, canSave, isSaving }}
            onSave={() => void save()}
            canUndo={draft.steps.length > 0}
            onUndo={undoLast}
          />
        ) : (
          <>
            <Target draft={draft} names={names} pendingRank={pendingRank} onDone={() => change((old) => moveTo(old, null))} />
            <Deck draft={draft} pendingRank={pendingRank} onCard={put} onUndo={undoLast} onText={() => setTyping(true)} />
          </>
        )}
      </div>
      {isTyping && currentSeat !== undefined && (
        <TextEntry
          {...{ draft, names, loadedRules }}
          seat={currentSeat}
          onCards={(groups) => {
            setTyping(false);
            change((old) => putBoard(old, currentSeat, groups));
          }}
          onCancel={() => setTyping(false)}
        />
      )}
      <Announcement draft={draft} names={names} />
    </main>
  );
}

interface TargetProps {
  draft: Draft;
  names: Map<number, string>;
  pendingRank: string | null;
  onDone(): void;
}

/** Shows where the next card goes. */
function Target({ draft, names, pendingRank, onDone }: TargetProps) {
  if (draft.cursor === null) return null;
  const { seat, group } = parsePlace(draft.cursor);
  const card = draft.cards[draft.cursor];
  const place = <strong>{gettext("%(player)s, %(row)s", { player: names.get(seat) ?? "", row: nameRow(group) })}</strong>;
  return (
    <p class="target">
      <span>
        {card === undefined
          ? gettextNodes("Next card: %(place)s", { place })
          : gettextNodes("Replace the %(card)s: %(place)s", { card: nameCard(card), place })}
        {pendingRank !== null && <> · {pendingRank}…</>}
      </span>
      {isFull(draft) && <button type="button" class="button plain" onClick={onDone}>{gettext("Done")}</button>}
      {draft.button === null && <span class="pill warning">{gettext("Tap D for the button")}</span>}
    </p>
  );
}

/** Announces to screen readers what the last tap did. */
function Announcement({ draft, names }: { draft: Draft; names: Map<number, string> }) {
  const last = draft.steps.at(-1);
  const card = last === undefined ? undefined : draft.cards[last.place];
  let text = "";
  if (last?.all !== undefined) {
    text = gettext("%(player)s: the cards of the text", { player: names.get(parsePlace(last.place).seat) ?? "" });
  } else if (last !== undefined) {
    const { seat, group } = parsePlace(last.place);
    const where = { player: names.get(seat) ?? "", row: nameRow(group) };
    text = card === undefined
      ? gettext("%(player)s, %(row)s: card taken back", where)
      : gettext("%(player)s, %(row)s: %(card)s", { ...where, card: nameCard(card) });
  }
  return <p class="hidden-text" role="status">{text}</p>;
}

function buildHand(draft: Draft): HandRequest {
  const { number, button, topUps = [] } = draft;
  return { number, button: button!, ...(topUps.length > 0 ? { top_ups: topUps } : {}), players: listPlayers(draft) };
}

/** Return the result of a full hand, or null until there is one. Without a network, it is asked for again and again. */
function useScore(round: Round, draft: Draft, full: boolean, scorers: HandScorer[]): ScoreResult | null {
  const [scored, setScored] = useState<{ hand: string; result: ScoreResult } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const hand = full && draft.button !== null ? JSON.stringify(buildHand(draft)) : null;
  useEffect(() => {
    if (hand === null) return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    const retry = (): void => setAttempt((last) => last + 1);
    let timer = setTimeout(() => setScored({ hand, result: { kind: "unavailable" } }), SCORE_LATER);
    scoreWith(scorers, round, JSON.parse(hand) as HandRequest, signal)
      .then((result) => {
        if (signal.aborted) return;
        clearTimeout(timer);
        setScored({ hand, result });
        if (result.kind !== "unavailable") return;
        timer = setTimeout(retry, SCORE_AGAIN);
        addEventListener("online", retry, { signal });
      })
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [hand, round.version, scorers, attempt]);
  return scored !== null && scored.hand === hand ? scored.result : null;
}

/** Give the button to the next player. */
function moveButton(draft: Draft): Draft {
  const seats = draft.seats.map(({ seat }) => seat);
  return chooseButton(draft, seats[(seats.indexOf(draft.button!) + 1) % seats.length]!);
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("button, input, textarea, select, a") !== null;
}

function useKeys(handle: (event: KeyboardEvent) => void): void {
  const handleLatest = useStable(handle);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const isText = event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null;
      if (!isText && !event.ctrlKey && !event.metaKey && !event.altKey) handleLatest(event);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

function isCalm(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function showBoard(boards: HTMLElement | null, seat: number, behavior: ScrollBehavior): void {
  const board = boards?.querySelector<HTMLElement>(`[data-seat="${seat}"]`);
  if (boards && board) boards.scrollTo({ left: board.offsetLeft, behavior });
}

/**
 * Show the board and the place of the cursor when it moves or a card is put, and report the first board that is shown.
 *
 * They do not scroll there slowly: the next tap would wait for it.
 */
function useScrolledBoards(
  boards: { current: HTMLElement | null },
  cursor: Place | null,
  steps: number,
  onShown: (seat: number) => void,
): void {
  useLayoutEffect(() => {
    if (cursor === null) return;
    showBoard(boards.current, parsePlace(cursor).seat, "instant");
    // On a low screen the deck covers the rows that the page is not scrolled to.
    const place = boards.current?.querySelector(`[data-place="${cursor}"]`);
    place?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  }, [cursor, steps]);
  useEffect(() => {
    const scrolled = boards.current!;
    const visible = new Set<Element>();
    const seen = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) visible.add(target);
          else visible.delete(target);
        }
        const first = [...scrolled.children].find((board) => visible.has(board));
        if (first) onShown(Number((first as HTMLElement).dataset["seat"]));
      },
      { root: scrolled, threshold: 0.6 },
    );
    for (const board of scrolled.children) seen.observe(board);
    return () => seen.disconnect();
  }, []);
}
