import { useEffect, useRef, useState } from "preact/hooks";
import type { Hand, Round } from "../../../client/src/contract.js";
import type { Session } from "../../api/session.js";
import { gettext } from "../../language/gettext.js";
import { nameRow } from "../../language/words.js";
import { parsePlace, type Place } from "../hand/draft.js";
import { AcceptLater, IRREGULAR } from "./accept_later.js";
import { CardSheet } from "./card_sheet.js";
import { Comparison } from "./comparison.js";
import { useCorrection } from "./correcting.js";
import { Problem } from "./problem.js";
import { ReasonField } from "./reason_field.js";
import { isDiscarded } from "./recorded.js";
import { nameSeat } from "./words.js";

interface Props {
  session: Session;
  round: Round;
  hand: Hand;
  names: Map<number, string>;
  /** The card that was tapped. */
  start: Place;
  onRound(round: Round): void;
  onEnd(): void;
}

/** Corrects cards of a recorded hand: choose, compare old and new as the service computes them, confirm with a reason. */
export function Correction({ session, round, hand, names, start, onRound, onEnd }: Props) {
  const correcting = useCorrection(session, round, hand, names);
  const { draft, hasChanges, preview, isAccepted, isBusy, problem, code } = correcting;
  const [place, setPlace] = useState<Place | null>(start);
  const [reason, setReason] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (place === null) heading.current?.focus();
  }, [place]);

  const confirm = async (event: Event): Promise<void> => {
    event.preventDefault();
    const corrected = await correcting.confirm(reason.trim());
    if (corrected === undefined) return;
    onEnd();
    onRound(corrected);
  };
  const describe = (chosen: Place): string => {
    const { seat, group } = parsePlace(chosen);
    return gettext("%(player)s, %(row)s", { player: names.get(seat) ?? nameSeat(seat), row: nameRow(group) });
  };
  const title = gettext("Correct hand %(hand)s", { hand: hand.number });
  const find = (card: string): string | undefined => Object.keys(draft.cards).find((each) => draft.cards[each] === card);

  return (
    <>
      {hasChanges && (
        <form class="correction" aria-labelledby="correction-title" onSubmit={(event) => void confirm(event)}>
          <h3 id="correction-title" ref={heading} tabIndex={-1}>{title}</h3>
          {isBusy && preview === null && <p class="quiet">{gettext("Scoring…")}</p>}
          {preview !== null && <Comparison comparison={preview} names={names} hand={hand} after={draft} onCard={setPlace} />}
          <Problem details={problem} />
          {(isAccepted || code === IRREGULAR) && <AcceptLater isAccepted={isAccepted} onAccept={correcting.accept} />}
          {preview !== null && (
            <ReasonField label={gettext("Reason")} usual={listUsual()} isRequired {...{ reason }} onReason={setReason} />
          )}
          <div class="buttons">
            {preview !== null && <button type="submit" class="button primary" disabled={isBusy}>{title}</button>}
            <button type="button" class="button plain" onClick={onEnd}>{gettext("Cancel")}</button>
          </div>
        </form>
      )}
      {place !== null && (
        <CardSheet
          title={gettext("Which card was it? %(place)s", { place: describe(place) })}
          current={draft.cards[place]}
          whereIs={(card) => {
            const other = find(card);
            return other === undefined ? undefined : describe(other);
          }}
          isDisabled={(card) => isDiscarded(draft, card)}
          onCard={(card) => {
            correcting.change(place, card);
            setPlace(null);
          }}
          onCancel={() => (hasChanges ? setPlace(null) : onEnd())}
        />
      )}
    </>
  );
}

/** Return usual reasons. */
function listUsual(): string[] {
  return [gettext("Wrong card"), gettext("Cards exchanged"), gettext("Seen on video")];
}
