import { gettext, pgettext } from "../../language/gettext.js";
import { suggestNames } from "../round/names.js";
import { Lookalike } from "../round/new_round.js";

interface Props {
  /** Who plays, in the order of their seats. */
  players: string[];
  known: readonly string[];
  /** The name that is being typed. */
  text: string;
  /** The known name that it looks like, once that is asked about. */
  lookalike: string | undefined;
  onText(text: string): void;
  /** Adds what was typed. */
  onAdd(): void;
  onChange(players: string[]): void;
}

const LONGEST_NAME = 100;
const MOST_KNOWN = 24;

/** Who sits down: known players to tap, and a field for new ones. */
export function PlayerChoice({ players, known, text, lookalike, onText, onAdd, onChange }: Props) {
  const sitDown = (name: string): void => {
    onText("");
    if (!players.includes(name)) onChange([...players, name]);
  };
  const standUp = (name: string): void => onChange(players.filter((each) => each !== name));
  const offered = suggestNames(text, known, players).slice(0, MOST_KNOWN);
  return (
    <fieldset class="player-choice stack">
      <legend class="label">{gettext("Players, in the order of their seats")}</legend>
      {players.length > 0 && (
        <ol class="seated">
          {players.map((name, index) => (
            <li key={name}>
              <span class="figure quiet">{index + 1}</span>
              <strong>{name}</strong>
              <button type="button" class="button plain" aria-label={gettext("Remove %(player)s", { player: name })} onClick={() => standUp(name)}>
                <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ol>
      )}
      {offered.length > 0 && (
        <div class="buttons" role="group" aria-label={gettext("Known players")}>
          {offered.map((name) => <button key={name} type="button" class="button" onClick={() => sitDown(name)}>{name}</button>)}
        </div>
      )}
      <div class="add-player">
        <input
          aria-label={gettext("Name of another player")}
          placeholder={pgettext("player", "Name")}
          value={text}
          autocomplete="off"
          autocapitalize="off"
          enterkeyhint="enter"
          maxLength={LONGEST_NAME}
          onInput={(event) => onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.isComposing) return;
            // Enter adds the player, and does not send the form.
            event.preventDefault();
            onAdd();
          }}
        />
        <button type="button" class="button" disabled={text.trim() === ""} onClick={onAdd}>{pgettext("button", "Add")}</button>
      </div>
      {lookalike !== undefined && (
        <Lookalike
          {...{ lookalike }}
          name={text.trim()}
          isAtTable={false}
          isRefused
          onSame={() => sitDown(lookalike)}
          onOther={() => sitDown(text.trim())}
        />
      )}
    </fieldset>
  );
}
