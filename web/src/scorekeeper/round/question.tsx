import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { gettext, pgettext } from "../../language/gettext.js";
import { ReasonField } from "./reason_field.js";

interface Props {
  title: string;
  text: string;
  label: string;
  /** The reason that is suggested. */
  reason?: string;
  /** Usual reasons, to tap. */
  usual: readonly string[];
  isRequired: boolean;
  isBusy?: boolean;
  action: string;
  onYes(reason: string): void;
  onNo(): void;
  /** Why it could not be done. */
  children?: ComponentChildren;
}

/** Return what is asked before an open round is closed. */
export function askClosing() {
  return {
    title: gettext("Close the round?"),
    text: gettext("No more hands can be recorded in it."),
    label: gettext("Reason"),
    usual: [gettext("Settled up"), pgettext("reason to close a round", "Late"), gettext("A player left")],
    isRequired: true,
    action: gettext("Close the round"),
  };
}

/** Asks for the reason of a change of a round before it is made. */
export function Question({ title, text, label, reason: suggested = "", usual, isRequired, isBusy = false, action, onYes, onNo, children }: Props) {
  const [reason, setReason] = useState(suggested);
  const form = useRef<HTMLFormElement>(null);
  // On a small screen it opens below the fold.
  useEffect(() => form.current?.scrollIntoView({ block: "nearest" }), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    onYes(reason.trim());
  };
  return (
    <form ref={form} class="panel" aria-label={title} onSubmit={submit}>
      <h2>{title}</h2>
      <p>{text}</p>
      <ReasonField {...{ label, reason, usual, isRequired }} onReason={setReason} />
      {children}
      <div class="buttons">
        <button type="submit" class="button danger" disabled={isBusy}>{action}</button>
        <button type="button" class="button plain" onClick={onNo}>{gettext("Cancel")}</button>
      </div>
    </form>
  );
}
