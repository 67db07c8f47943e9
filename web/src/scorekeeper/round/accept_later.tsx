import { gettext } from "../../language/gettext.js";

/** The code of a correction after which a later hand no longer follows the hands before it. */
export const IRREGULAR = "hand-irregular";

interface Props {
  isAccepted: boolean;
  onAccept(isAccepted: boolean): void;
}

/** Accepts later hands as played that no longer follow the corrected one. */
export function AcceptLater({ isAccepted, onAccept }: Props) {
  return (
    <label class="check">
      <input type="checkbox" checked={isAccepted} onChange={(event) => onAccept(event.currentTarget.checked)} />
      {gettext("Accept the later hands as played")}
    </label>
  );
}
