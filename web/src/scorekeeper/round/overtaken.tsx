import { gettext, gettextNodes, ngettext } from "../../language/gettext.js";
import type { Draft } from "../hand/draft.js";
import { ConfirmButton } from "../confirm.js";
import { describeTopUp, nameSeat } from "./words.js";

interface Props {
  draft: Draft;
  names: Map<number, string>;
  /** Shows the cards; undefined if they are shown. */
  onOpen: (() => void) | undefined;
  onDiscard(): void;
}

/** Says that another device has recorded the hand that was begun here, and what is not recorded of this one. */
export function Overtaken({ draft, names, onOpen, onDiscard }: Props) {
  const entered = describeEntered(draft, names);
  return (
    <div class="notice" role="status">
      <p>
        {gettextNodes("Hand %(hand)s was recorded on another device. Not recorded from this one: %(entered)s.", {
          hand: draft.number,
          entered: <strong>{entered}</strong>,
        })}
        {hasCards(draft) && <> {gettext("Save yours to compare them.")}</>}
      </p>
      <div class="buttons">
        {onOpen && hasCards(draft) && <button type="button" class="button" onClick={onOpen}>{gettext("Show mine")}</button>}
        <ConfirmButton label={gettext("Discard mine")} action={gettext("Discard %(entered)s", { entered })} onYes={onDiscard}>
          <p>{gettext("Discard what was entered here?")}</p>
        </ConfirmButton>
      </div>
    </div>
  );
}

function hasCards({ cards }: Draft): boolean {
  return Object.keys(cards).length > 0;
}

/** Return what was entered of a hand, for example `12 cards, ben adds 50`. */
function describeEntered({ cards, topUps = [] }: Draft, names: Map<number, string>): string {
  const count = Object.keys(cards).length;
  const added = topUps.map(({ seat, points }) => describeTopUp(names.get(seat) ?? nameSeat(seat), points));
  return [...(count === 0 ? [] : [ngettext("%(count)s card", "%(count)s cards", count)]), ...added].join(", ");
}
