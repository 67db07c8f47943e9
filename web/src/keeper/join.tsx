import { useState } from "preact/hooks";
import { findSecret } from "../api/session.js";
import mark from "./icon.svg";

interface Props {
  message: string | null;
  isBusy: boolean;
  waiting: number;
  onJoin(secret: string, isStored: boolean): void;
}

/** Where a link or a key is pasted. */
export function JoinScreen({ message, isBusy, waiting, onJoin }: Props) {
  const [text, setText] = useState("");
  const [isStored, setStored] = useState(false);
  const [isInvalid, setInvalid] = useState(false);
  const submit = (event: Event): void => {
    event.preventDefault();
    const secret = findSecret(text);
    setInvalid(secret === undefined);
    if (secret !== undefined) onJoin(secret, isStored);
  };
  return (
    <main class="narrow stack">
      <header class="stack join-head">
        <img class="mark" src={mark} alt="" />
        <h2>Keep score at the table</h2>
        <p class="quiet">Open the link that you received, or paste it here. An API key of your club works too.</p>
      </header>
      {waiting > 0 && <p class="notice">{waiting} saved {waiting === 1 ? "request waits" : "requests wait"} on this device and will be sent after you join.</p>}
      {message !== null && <p class="notice error" role="alert">{message}</p>}
      <form class="panel" onSubmit={submit}>
        <div class="field">
          <label for="secret">Link or API key</label>
          <input
            id="secret"
            type="password"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={text}
            aria-invalid={isInvalid}
            aria-describedby={isInvalid ? "secret-error" : undefined}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          {isInvalid && <p id="secret-error" class="small loss">This is neither a link with a secret nor an API key.</p>}
        </div>
        <label class="check">
          <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.currentTarget.checked)} />
          <span>Remember on this device</span>
        </label>
        <button type="submit" class="button primary large" disabled={isBusy}>{isBusy ? "Connecting…" : "Join"}</button>
      </form>
    </main>
  );
}
