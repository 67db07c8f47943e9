import { useEffect, useMemo, useRef } from "preact/hooks";
import { CardFace } from "../../design/card.js";
import { nameCard } from "../../design/cards.js";
import { countCards, parsePlace, ROWS, rowPlaces, sizeOf, type Draft, type DraftSeat, type Group, type Place } from "./draft.js";
import type { LiveBoard } from "./live.js";
import { BoardNotes, RowNote } from "./notes.js";
import { language } from "../../language/current.js";
import { gettext, pgettext } from "../../language/gettext.js";
import { nameRow } from "../../language/words.js";

const LONG_PRESS = 450;

export interface BoardActions {
  /** A tap: takes a card back, or chooses a free place. */
  tap(place: Place): void;
  /** A long press: chooses a place, also one with a card. */
  choose(place: Place): void;
  setButton(seat: number): void;
}

interface Props {
  draft: Draft;
  seat: DraftSeat;
  name: string;
  /** The stack before the hand, with the points added to it. */
  stack: number | undefined;
  added: number;
  /** What is known of the board so far. */
  live: LiveBoard | undefined;
  isCurrent: boolean;
  actions: BoardActions;
}

/** The board of a seat: its rows, the discards of Fantasyland, and who has the button. */
export function Board({ draft, seat, name, stack, added, live, isCurrent, actions }: Props) {
  const groups: Group[] = sizeOf(seat, "discards") > 0 ? [...ROWS, "discards"] : [...ROWS];
  const hasButton = draft.button === seat.seat;
  return (
    <section class="seat" data-seat={seat.seat} aria-current={isCurrent} aria-label={gettext("%(player)s, seat %(seat)s", { player: name, seat: seat.seat })}>
      <header class="seat-head">
        <div class="seat-title">
          <h2>{name}</h2>
          <span class="small quiet figure">
            {stack}
            {added > 0 && <> {gettext("(%(points)s added)", { points: added })}</>}
            {seat.fantasyland > 0 && <> · <strong class="royal">{gettext("Fantasyland %(cards)s", { cards: seat.fantasyland })}</strong></>}
          </span>
        </div>
        <BoardNotes board={live} />
        <button
          type="button"
          class="dealer"
          aria-pressed={hasButton}
          title={gettext("Dealer button")}
          onClick={() => actions.setButton(seat.seat)}
        >
          <span aria-hidden="true">{pgettext("dealer button", "D")}</span>
          <b class="hidden-text">{gettext("Button: %(player)s", { player: name })}</b>
        </button>
      </header>
      <div class="rows">
        {groups.map((group) => (
          <div key={group} class={`board-row ${group}`} role="group" aria-label={nameRow(group)}>
            {group === "discards" && <span class="row-name">{gettext("Discards (optional)")}</span>}
            {rowPlaces(seat, group).map((place) => (
              <PlaceButton key={place} place={place} card={draft.cards[place]} isCursor={draft.cursor === place} actions={actions} />
            ))}
            {group !== "discards" && <RowNote row={live?.rows[group]} />}
          </div>
        ))}
      </div>
    </section>
  );
}

interface PlaceProps {
  place: Place;
  card: string | undefined;
  isCursor: boolean;
  actions: BoardActions;
}

/** A place of a board. A tap changes two of them: the others are not rendered again. */
function PlaceButton({ place, card, isCursor, actions }: PlaceProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const wasLong = useRef(false);
  return useMemo(() => {
    const { group, index } = parsePlace(place);
    const stop = (): void => clearTimeout(timer.current);
    const start = (): void => {
      stop();
      wasLong.current = false;
      timer.current = setTimeout(() => {
        wasLong.current = true;
        actions.choose(place);
      }, LONG_PRESS);
    };
    return (
      <button
        type="button"
        class={card === undefined ? "card place" : "card place filled"}
        data-place={place}
        data-suit={card?.[1]}
        aria-current={isCursor}
        onPointerDown={start}
        onPointerUp={stop}
        onPointerLeave={stop}
        onPointerCancel={stop}
        onContextMenu={(event) => event.preventDefault()}
        onClick={() => {
          if (wasLong.current) wasLong.current = false;
          else actions.tap(place);
        }}
      >
        {card !== undefined && <CardFace card={card} />}
        <span class="hidden-text">{describePlace(group, index + 1, card)}</span>
      </button>
    );
  }, [place, card, isCursor, actions, language]);
}

function describePlace(group: Group, place: number, card: string | undefined): string {
  const row = nameRow(group);
  if (card === undefined) return gettext("%(row)s %(place)s: free", { row, place });
  return gettext("%(row)s %(place)s: %(card)s", { row, place, card: nameCard(card) });
}

interface TabsProps {
  draft: Draft;
  names: Map<number, string>;
  shown: number;
  onShow(seat: number): void;
}

/** The seats with how many cards each has, where one board fills the screen. */
export function SeatTabs({ draft, names, shown, onShow }: TabsProps) {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const tab = tabs.current?.querySelector<HTMLElement>('[aria-current="true"]');
    if (tab) tabs.current!.scrollTo({ left: tab.offsetLeft - tabs.current!.offsetLeft });
  }, [shown, draft.button]);
  return (
    <nav class="tabs" aria-label={gettext("Seats")} ref={tabs}>
      {draft.seats.map((seat) => (
        <button
          key={seat.seat}
          type="button"
          class="tab"
          aria-current={seat.seat === shown}
          onClick={() => onShow(seat.seat)}
        >
          <strong>{names.get(seat.seat)}</strong>
          <small>
            {gettext("%(count)s of 13", { count: countCards(draft, seat) })}{draft.button === seat.seat && <> · {pgettext("dealer", "button")}</>}
          </small>
        </button>
      ))}
    </nav>
  );
}
