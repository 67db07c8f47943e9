import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

interface Props {
  title: string;
  text: string;
  label: string;
  /** The reason that is suggested. */
  reason?: string;
  isRequired: boolean;
  isBusy?: boolean;
  action: string;
  onYes(reason: string): void;
  onNo(): void;
  /** Why it could not be done. */
  children?: ComponentChildren;
}

/** Asks for the reason of a change of a round before it is made. */
export function Question({ title, text, label, reason: suggested = "", isRequired, isBusy = false, action, onYes, onNo, children }: Props) {
  const [reason, setReason] = useState(suggested);
  const id = useId();
  const submit = (event: Event): void => {
    event.preventDefault();
    onYes(reason.trim());
  };
  return (
    <form class="panel" aria-label={title} onSubmit={submit}>
      <h2>{title}</h2>
      <p>{text}</p>
      <div class="field">
        <label for={id}>{label}</label>
        <input id={id} value={reason} maxLength={200} required={isRequired} onInput={(event) => setReason(event.currentTarget.value)} />
      </div>
      {children}
      <div class="buttons">
        <button type="submit" class="button danger" disabled={isBusy}>{action}</button>
        <button type="button" class="button plain" onClick={onNo}>Cancel</button>
      </div>
    </form>
  );
}
