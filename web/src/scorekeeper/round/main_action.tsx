import { gettext } from "../../language/gettext.js";
import type { Draft } from "../hand/draft.js";
import { NEW_ROUND } from "./new_round.js";

interface Props {
  /** The hand that can be entered now, or null. */
  draft: Draft | null;
  /** Whether the next round can be opened now. */
  canOpen: boolean;
  isBusy: boolean;
  /** Shows the hand, as soon as there is one. */
  onEnter(): void;
}

/** What comes next at a table, in one place of the screen: a hand, or the round after the last one. */
export function MainAction({ draft, canOpen, isBusy, onEnter }: Props) {
  if (draft === null && !canOpen) return null;
  return (
    <div class="main-action">
      {draft !== null ? (
        <button type="button" class="button primary large wide" onClick={onEnter}>{describeNext(draft)}</button>
      ) : (
        <button type="submit" form={NEW_ROUND} class="button primary large wide" disabled={isBusy} onClick={onEnter}>{gettext("Next round")}</button>
      )}
    </div>
  );
}

function describeNext({ number, steps, undone }: Draft): string {
  if (undone !== undefined) return gettext("Change hand %(hand)s", { hand: number });
  return steps.length > 0 ? gettext("Continue hand %(hand)s", { hand: number }) : gettext("Enter hand %(hand)s", { hand: number });
}
