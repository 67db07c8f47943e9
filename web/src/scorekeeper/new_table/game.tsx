import { useRef } from "preact/hooks";
import type { ListedRuleset } from "../../../client/src/contract.js";
import { gettext } from "../../language/gettext.js";

interface Props {
  /** Null until they are read. */
  rulesets: ListedRuleset[] | null;
  /** The name of the ruleset that is chosen. */
  chosen: string;
  onChoose(name: string): void;
}

/** What is played: the chosen ruleset in words, and the others to tap. A selection of the browser would cut the words off. */
export function GameChoice({ rulesets, chosen, onChoose }: Props) {
  const list = useRef<HTMLDetailsElement>(null);
  const ruleset = rulesets?.find(({ name }) => name === chosen);
  return (
    <details ref={list} class="game-choice">
      <summary>
        <span class="label">{gettext("Game")}</span>
        <span>{ruleset === undefined ? gettext("Loading…") : ruleset.words}</span>
      </summary>
      <div class="games" role="radiogroup" aria-label={gettext("Game")}>
        {rulesets?.map((each) => (
          <label key={each.name} class="check">
            <input
              type="radio"
              name="game"
              checked={each.name === chosen}
              onChange={() => onChoose(each.name)}
              onClick={({ detail }) => {
                // Arrow keys click too, on every game on their way.
                if (detail > 0) list.current?.removeAttribute("open");
              }}
            />
            <span>{each.words} <span class="quiet small">{each.name}</span></span>
          </label>
        ))}
      </div>
    </details>
  );
}
