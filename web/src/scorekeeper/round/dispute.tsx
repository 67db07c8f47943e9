import { useRef, useState } from "preact/hooks";
import type { Round } from "../../../client/src/contract.js";
import { makeId } from "../../../client/src/ids.js";
import type { Session } from "../../api/session.js";
import { gettext } from "../../language/gettext.js";
import { Problem } from "./problem.js";
import { useRequests } from "./requests.js";

interface Props {
  session: Session;
  round: Round;
  names: Map<number, string>;
  hand: number;
}

/** Opens a dispute of a hand of a round that has ended. */
export function DisputeForm({ session, round, names, hand }: Props) {
  const players = [...names.values()];
  const [isAsking, setAsking] = useState(false);
  const [isOpened, setOpened] = useState(false);
  const [by, setBy] = useState(players[0] ?? "");
  const [claim, setClaim] = useState("");
  const { isBusy, problem, run } = useRequests();
  const sent = useRef({ text: "", key: "" });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const body = { round: round.id, hand, claim: claim.trim(), by };
    const text = JSON.stringify(body);
    if (sent.current.text !== text) sent.current = { text, key: makeId() };
    const opened = await run(() => session.client.post("/v1/disputes", { body, idempotencyKey: sent.current.key }));
    if (opened === undefined) return;
    setOpened(true);
    setAsking(false);
  };
  const title = gettext("Dispute hand %(hand)s", { hand });
  if (isOpened) return <p class="notice" role="status">{gettext("A dispute of hand %(hand)s is open.", { hand })}</p>;
  if (!isAsking) return <div class="buttons"><button type="button" class="button" onClick={() => setAsking(true)}>{title}</button></div>;
  return (
    <form class="stack" aria-label={title} onSubmit={(event) => void submit(event)}>
      <div class="field">
        <label for={`by-${hand}`}>{gettext("Who disputes it")}</label>
        <select id={`by-${hand}`} value={by} onChange={(event) => setBy(event.currentTarget.value)}>
          {players.map((player) => <option key={player}>{player}</option>)}
        </select>
      </div>
      <div class="field">
        <label for={`claim-${hand}`}>{gettext("What is wrong")}</label>
        <input id={`claim-${hand}`} value={claim} maxLength={500} required onInput={(event) => setClaim(event.currentTarget.value)} />
      </div>
      <Problem details={problem} />
      <div class="buttons">
        <button type="submit" class="button danger" disabled={isBusy}>{gettext("Open the dispute")}</button>
        <button type="button" class="button plain" onClick={() => setAsking(false)}>{gettext("Cancel")}</button>
      </div>
    </form>
  );
}
