import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CardFace } from "../../design/card.js";
import { nameCard, nameRank, nameSuit, showCard, SUIT_LETTERS } from "../../design/cards.js";
import { gettext, gettextNodes, translatePhrase } from "../../language/gettext.js";
import { nameRow } from "../../language/words.js";
import type { TypedCard, TypedResult } from "../../rules/index.js";
import type { LoadedRules } from "../rules.js";
import { sizeOf, type Draft, type DraftSeat, type Group } from "./draft.js";
import { changeSuit, GROUPS, listTaken, readGroups, writeBoard } from "./text.js";

interface Props {
  draft: Draft;
  seat: DraftSeat;
  names: Map<number, string>;
  loadedRules: LoadedRules;
  onCards(groups: Partial<Record<Group, string[]>>): void;
  onCancel(): void;
}

/** A board as people type, paste or say it: read by the rules, and shown as cards before it counts. */
export function TextEntry({ draft, seat, names, loadedRules, onCards, onCancel }: Props) {
  const [text, setText] = useState(() => writeBoard(draft, seat));
  const [chosen, setChosen] = useState<{ group: Group; index: number } | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const dialog = useModal(field);
  const result = useReading(text, draft, seat, names, loadedRules);
  const read = result?.kind === "typed" ? result : null;
  const parts = read?.parts ?? {};
  const open = GROUPS.flatMap((group) => (parts[group] ?? []).map((card, index) => ({ group, index, card }))).filter(isOpen);
  const asked = open.find(({ group, index }) => group === chosen?.group && index === chosen.index) ?? open[0];
  const change = (changed: string): void => {
    setChosen(null);
    setText(changed);
  };
  const canUse = read !== null && read.wrong.length === 0 && open.length === 0 && GROUPS.some((group) => parts[group]?.length);
  const use = (event: Event): void => {
    event.preventDefault();
    if (canUse) onCards(readGroups(parts));
  };
  return (
    <dialog ref={dialog} class="text-entry" aria-labelledby="text-title" onCancel={(event) => { event.preventDefault(); onCancel(); }}>
      <form class="stack" onSubmit={use}>
        <header class="sheet-head">
          <h2 id="text-title">{gettext("Board of %(player)s", { player: names.get(seat.seat) ?? "" })}</h2>
          <button type="button" class="button plain" onClick={onCancel}>{gettext("Cancel")}</button>
        </header>
        <div class="field">
          <label for="board-text">{gettext("Type, paste or dictate the rows")}</label>
          <textarea
            ref={field}
            id="board-text"
            rows={3}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-describedby="board-text-note"
            value={text}
            onInput={(event) => change(event.currentTarget.value)}
          />
          <p id="board-text-note" class="quiet small">{gettext("QQ4 / KK993 / AhJh7h6h2h, or: queens four, kings nines three, ace jack seven six deuce all hearts.")}</p>
        </div>
        {loadedRules.rules === null && <p class="notice" role="status">{gettext("The text is read when the rules are on this device.")} {loadedRules.text}</p>}
        {result?.kind === "unavailable" && <p class="notice error" role="alert">{gettext("The text could not be read: %(detail)s", { detail: result.detail })}</p>}
        <div class="typed-rows">
          {GROUPS.filter((group) => parts[group]?.length).map((group) => (
            <div key={group} class="typed-row" role="group" aria-label={nameRow(group)}>
              <span class="row-name">{nameRow(group)}</span>
              {parts[group]!.map((card, index) => (
                <Typed key={index} card={card} isAsked={asked?.group === group && asked.index === index} onChoose={() => setChosen({ group, index })} />
              ))}
            </div>
          ))}
        </div>
        {asked !== undefined && <Suits {...asked} onSuit={(suit) => change(changeSuit(parts, asked.group, asked.index, suit))} />}
        <div aria-live="polite" class="stack">
          {read !== null && read.wrong.length > 0 && <div class="notice error">{read.wrong.map((each) => <p key={each.text}>{translatePhrase(each)}</p>)}</div>}
          {read !== null && text.trim() !== "" && read.missing.map((each) => <p key={each.text} class="quiet small">{translatePhrase(each)}</p>)}
        </div>
        <button type="submit" class="button primary large" disabled={!canUse}>{gettext("Use these cards")}</button>
      </form>
    </dialog>
  );
}

/** The suits that a card can have, to tap one. */
function Suits({ card, group, onSuit }: { card: TypedCard; group: Group; onSuit(suit: string): void }) {
  const [rank, row] = [nameRank(card.rank), nameRow(group)];
  return (
    <div class="suits" role="group" aria-label={gettext("Suit of the %(rank)s, %(row)s", { rank, row })}>
      <span>{gettextNodes("Suit of the %(rank)s, %(row)s", { rank: <strong>{rank}</strong>, row })}</span>
      {SUIT_LETTERS.map((suit) => (
        <button key={suit} type="button" class="card deck-card" data-suit={suit} disabled={!card.suits.includes(suit)} onClick={() => onSuit(suit)}>
          <span class="suit" aria-hidden="true">{showCard(card.rank + suit).suit}</span>
          <span class="hidden-text">{nameSuit(suit)}</span>
        </button>
      ))}
    </div>
  );
}

function isOpen({ card }: { card: TypedCard }): boolean {
  return card.suit === null && card.suits.length > 0;
}

/** A card of the text; one without a suit can be tapped to choose it. */
function Typed({ card, isAsked, onChoose }: { card: TypedCard; isAsked: boolean; onChoose(): void }) {
  if (card.suit !== null) {
    const named = card.rank + card.suit;
    return <span class="card" data-suit={card.suit}><CardFace card={named} /><span class="hidden-text">{nameCard(named)}</span></span>;
  }
  if (!isOpen({ card })) return <span class="card wrong">{card.rank}</span>;
  return (
    <button type="button" class="card open" aria-pressed={isAsked} onClick={onChoose}>
      <span class="rank" aria-hidden="true">{showCard(`${card.rank}s`).rank}</span>
      <span class="suit" aria-hidden="true">?</span>
      <span class="hidden-text">{gettext("%(rank)s without a suit", { rank: nameRank(card.rank) })}</span>
    </button>
  );
}

/** Show a dialog while it is rendered, with the focus in a field whose text the next input replaces. */
function useModal(field: { current: HTMLTextAreaElement | null }): { current: HTMLDialogElement | null } {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current!;
    shown.showModal();
    field.current!.select();
    return () => shown.close();
  }, []);
  return dialog;
}

/** Return what the rules read in a text; null until they have. An older result is not shown for a newer text. */
function useReading(text: string, draft: Draft, seat: DraftSeat, names: Map<number, string>, { rules }: LoadedRules): TypedResult | null {
  const [found, setFound] = useState<{ text: string; result: TypedResult } | null>(null);
  useEffect(() => {
    let isOver = false;
    const typed = { text, taken: listTaken(draft, seat, names), discards: sizeOf(seat, "discards") };
    void rules?.read(typed).then((result) => !isOver && setFound({ text, result }));
    return () => {
      isOver = true;
    };
  }, [text, rules]);
  return found !== null && (found.text === text || found.result.kind === "typed") ? found.result : null;
}
