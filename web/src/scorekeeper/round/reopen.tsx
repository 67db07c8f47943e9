import { useState } from "preact/hooks";
import type { CorrectionRequest, Round } from "../../../client/src/contract.js";
import type { Session } from "../../api/session.js";
import { gettext } from "../../language/gettext.js";
import { Problem } from "./problem.js";
import { Question } from "./question.js";
import { useKey, useRequests } from "./requests.js";

interface Props {
  session: Session;
  /** A round that was closed. */
  round: Round;
  /** Whether requests wait that have to be sent before. */
  isWaiting: boolean;
  /** Receives the round, which takes hands again. */
  onRound(round: Round): void;
}

/** Undoes the closing of a round, as a correction: the closing and who undid it stay on record. */
export function Reopen({ session, round, isWaiting, onRound }: Props) {
  const [isAsking, setAsking] = useState(false);
  const { isBusy, problem, run } = useRequests();
  const keyOf = useKey();
  if (isWaiting) return <p class="quiet small">{gettext("The closing can be undone when the waiting requests have been sent.")}</p>;
  if (!isAsking) {
    return <div class="buttons"><button type="button" class="button" onClick={() => setAsking(true)}>{gettext("Undo the closing")}</button></div>;
  }
  const reopen = async (reason: string): Promise<void> => {
    const body: CorrectionRequest = {
      reason,
      version: round.version,
      patch: [{ op: "replace" as const, path: "/closed", value: null }],
    };
    const options = { path: { round_id: round.id }, body, idempotencyKey: keyOf(JSON.stringify(body)) };
    const corrected = await run(() => session.client.post("/v1/rounds/{round_id}/corrections", options));
    if (corrected !== undefined) onRound(corrected.round);
  };
  return (
    <Question
      title={gettext("Undo the closing?")}
      text={gettext("The round is open again: hands can be recorded in it.")}
      label={gettext("Reason")}
      usual={[gettext("Closed by mistake"), gettext("One more hand")]}
      isRequired
      isBusy={isBusy}
      action={gettext("Undo the closing")}
      onYes={(reason) => void reopen(reason)}
      onNo={() => setAsking(false)}
    >
      <Problem details={problem} />
    </Question>
  );
}
