import { useId } from "preact/hooks";
import { gettext } from "../../language/gettext.js";

interface Props {
  label: string;
  reason: string;
  /** Usual reasons, to tap. */
  usual: readonly string[];
  isRequired: boolean;
  onReason(reason: string): void;
}

/** A reason in words: a usual one is a tap, and can be changed. It is recorded as it is here, in the language of the page. */
export function ReasonField({ label, reason, usual, isRequired, onReason }: Props) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="buttons" role="group" aria-label={gettext("Suggestions")}>
        {usual.map((each) => (
          <button key={each} type="button" class="button toggle chip" aria-pressed={each === reason} onClick={() => onReason(each === reason ? "" : each)}>{each}</button>
        ))}
      </div>
      <input id={id} value={reason} maxLength={200} required={isRequired} onInput={(event) => onReason(event.currentTarget.value)} />
    </div>
  );
}
