import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { gettext } from "../language/gettext.js";

interface Props {
  /** What the button says before the question. */
  label: string;
  /** What is asked, and what is lost. */
  children: ComponentChildren;
  /** What the button says that answers the question with yes. */
  action: string;
  onYes(): void;
}

/** A button for what cannot be taken back: it asks first. */
export function ConfirmButton({ label, children, action, onYes }: Props) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) return <button type="button" class="button danger" onClick={() => setAsking(true)}>{label}</button>;
  return (
    <div class="confirm stack" role="group" aria-label={label}>
      {children}
      <div class="buttons">
        <button type="button" class="button danger" onClick={() => { setAsking(false); onYes(); }}>{action}</button>
        <button type="button" class="button plain" onClick={() => setAsking(false)}>{gettext("Cancel")}</button>
      </div>
    </div>
  );
}
