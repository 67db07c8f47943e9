import { useState } from "preact/hooks";
import { findSecret } from "../api/session.js";
import { SecretField } from "../design/secret_field.js";
import { gettext, ngettext } from "../language/gettext.js";
import { LanguageSelect } from "../language/select.js";
import { useStorageFailure } from "./environment.js";
import type { Outbox } from "./outbox.js";
import { Problem } from "./round/problem.js";
import { StoredRequests } from "./stored_requests.js";
import mark from "./icon.svg";
import { canScan, ScanScreen } from "./scan.js";

interface Props {
  message: string | null;
  isBusy: boolean;
  outbox: Outbox;
  /** Receives a secret, and whether it is stored also if it is a key; a link always is. */
  onJoin(secret: string, isStored: boolean): void;
  /** Goes back to the table that is open; undefined if none is. */
  onCancel: (() => void) | undefined;
}

/** Where a link or a key is pasted. */
export function JoinScreen({ message, isBusy, outbox, onJoin, onCancel }: Props) {
  const waiting = outbox.waiting.length;
  const isInMemory = useStorageFailure();
  const [text, setText] = useState("");
  const [isStored, setStored] = useState(false);
  const [isInvalid, setInvalid] = useState(false);
  const [isScanning, setScanning] = useState(false);
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
        <h2>{gettext("Keep score at the table")}</h2>
        <p class="quiet">{gettext("Scan the QR code that the service shows at its start, open the link that you received, or paste it here. An API key of your club works too.")}</p>
      </header>
      {waiting > 0 && <p class="notice">{describeWaiting(waiting, isInMemory)}</p>}
      {isScanning && (
        <ScanScreen
          onFound={(secret) => {
            setScanning(false);
            onJoin(secret, true);
          }}
          onCancel={() => setScanning(false)}
        />
      )}
      <form class="panel" onSubmit={submit}>
        <SecretField
          label={gettext("Link or API key")}
          value={text}
          mistake={isInvalid ? gettext("This is neither a link with a secret nor an API key.") : null}
          onInput={setText}
        />
        <label class="check">
          <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.currentTarget.checked)} />
          <span>{gettext("Remember an API key on this device")}</span>
        </label>
        <Problem details={message === null ? null : [message]} />
        <button type="submit" class="button primary large" disabled={isBusy}>{isBusy ? gettext("Connecting…") : gettext("Join")}</button>
        {canScan() && !isScanning && (
          <button type="button" class="button" disabled={isBusy} onClick={() => setScanning(true)}>{gettext("Scan a QR code")}</button>
        )}
        {onCancel && <button type="button" class="button plain" onClick={onCancel}>{gettext("Cancel")}</button>}
      </form>
      <StoredRequests outbox={outbox} requests={outbox.waiting} />
      <LanguageSelect />
    </main>
  );
}

function describeWaiting(waiting: number, isInMemory: boolean): string {
  if (isInMemory) {
    return ngettext(
      "%(count)s request waits on this open page and will be sent after you join.",
      "%(count)s requests wait on this open page and will be sent after you join.",
      waiting,
    );
  }
  return ngettext(
    "%(count)s saved request waits on this device and will be sent after you join.",
    "%(count)s saved requests wait on this device and will be sent after you join.",
    waiting,
  );
}
