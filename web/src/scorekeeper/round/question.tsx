import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface Props {
  title: string;
  text: string;
  label: string;
  isRequired: boolean;
  isBusy?: boolean;
  action: string;
  onYes(reason: string): void;
  onNo(): void;
  /** Why it could not be done. */
  children?: ComponentChildren;
}

/** Asks for the reason of a change of a round before it is made. */
export function Question({ title, text, label, isRequired, isBusy = false, action, onYes, onNo, children }: Props) {
  const [reason, setReason] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    onYes(reason.trim());
  };
  return (
    <form class="panel" aria-label={title} onSubmit={submit}>
      <h2>{title}</h2>
      <p>{text}</p>
      <div class="field">
        <label for="reason">{label}</label>
        <input id="reason" value={reason} maxLength={200} required={isRequired} onInput={(event) => setReason(event.currentTarget.value)} />
      </div>
      {children}
      <div class="buttons">
        <button type="submit" class="button danger" disabled={isBusy}>{action}</button>
        <button type="button" class="button plain" onClick={onNo}>Cancel</button>
      </div>
    </form>
  );
}
