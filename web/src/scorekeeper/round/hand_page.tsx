import type { ComponentChildren } from "preact";
import type { HandRequest, Round } from "../../../client/src/contract.js";
import type { HandScorer, Score } from "../../api/scorer.js";
import { gettext, pgettext } from "../../language/gettext.js";
import { Bar } from "../bar.js";
import { clearCards, type Draft } from "../hand/draft.js";
import { HandScreen } from "../hand/screen.js";
import type { LoadedRules } from "../rules.js";
import { nameLasting } from "../storage.js";

interface Props {
  subtitle: string;
  status: string | null;
  round: Round;
  draft: Draft;
  names: Map<number, string>;
  scorers: HandScorer[];
  loadedRules: LoadedRules;
  onBack(): void;
  onChange(draft: Draft): void;
  onSave(hand: HandRequest, score: Score | null): Promise<void>;
  /** What is shown above the boards. */
  children: ComponentChildren;
}

/** The screen of a hand that is entered. */
export function HandPage({ subtitle, status, onBack, children, ...hand }: Props) {
  const { draft, round, onChange } = hand;
  return (
    <div class="hand-page">
      <Bar title={gettext("Hand %(number)s", { number: draft.number })} subtitle={subtitle} status={status} back={{ label: gettext("Back to the round"), onClick: onBack }} />
      {draft.undone !== undefined && (
        <div class="notice undone">
          <p role="status">
            {gettext("The cards of hand %(hand)s before the undo. Change them, or save them again as they are.", { hand: draft.number })}
          </p>
          <button type="button" class="button" onClick={() => onChange(clearCards(draft))}>{pgettext("button", "Clear")}</button>
        </div>
      )}
      {children}
      {/* A round that was opened on this device gets another ID while its first hand is entered. */}
      <HandScreen key={`${nameLasting(round)} ${draft.number}`} {...hand} />
    </div>
  );
}
