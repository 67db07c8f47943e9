// Disputes that players have opened and that have not ended.

import { useEffect, useState } from "preact/hooks";
import type { components, Round, Table } from "../../../client/src/contract.js";
import { TablestakesError } from "../../../client/src/errors.js";
import type { Session } from "../../api/session.js";

export type Dispute = components["schemas"]["Dispute"];

const READ_EVERY = 15_000;
const MOST_LISTED = 100;
const STATES: Partial<Record<Dispute["state"], string>> = { open: "open", under_review: "under review" };

/** Return the disputes that have not ended: of a table or, with null, of all. Without a network, the last that were read. */
export function useDisputes(session: Session, table: Table | null, version: string): Dispute[] {
  const [disputes, setDisputes] = useState<Dispute[]>([]);
  useEffect(() => {
    let isOver = false;
    const read = async (): Promise<void> => {
      if (document.visibilityState !== "visible") return;
      const query = { limit: MOST_LISTED, ...(table === null ? {} : { table: table.id }) };
      const list = async (state: Dispute["state"]) => (await session.client.get("/v1/disputes", { query: { ...query, state } })).disputes;
      try {
        const found = (await Promise.all([list("open"), list("under_review")])).flat();
        if (!isOver) setDisputes(found);
      } catch (error) {
        if (!(error instanceof TablestakesError)) throw error;
      }
    };
    void read();
    const timer = setInterval(() => void read(), READ_EVERY);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [session, table?.id, version]);
  return disputes;
}

/** Stands for a text or an author that was erased. */
const ERASED = "(erased)";

interface ListProps {
  disputes: Dispute[];
  /** The players of their round. */
  names: Map<number, string>;
}

/** What players say is wrong. */
export function DisputeList({ disputes, names }: ListProps) {
  if (disputes.length === 0) return null;
  return (
    <ul class="stack">
      {disputes.map((dispute) => (
        <li key={dispute.id} class="notice">
          <p><strong>{dispute.by ?? ERASED} disputes {describePlace(dispute, names)}</strong> ({STATES[dispute.state]}): {dispute.claim ?? ERASED}</p>
        </li>
      ))}
    </ul>
  );
}

interface Props extends ListProps {
  /** The round that is shown. */
  round: Round;
  /** Shows an earlier round. */
  onShow(round: string): void;
}

/** The disputes at a table: of the round that is shown, and of rounds before it. */
export function TableDisputes({ disputes, names, round, onShow }: Props) {
  const earlier = disputes.filter((dispute) => dispute.round !== round.id);
  if (disputes.length === 0) return null;
  return (
    <section class="stack" aria-label="Disputes">
      <DisputeList disputes={disputes.filter((dispute) => dispute.round === round.id)} names={names} />
      {earlier.map((dispute) => (
        <div key={dispute.id} class="notice">
          <p>
            <strong>{dispute.by ?? ERASED} disputes {describePlace(dispute, new Map())} of an earlier round</strong> ({STATES[dispute.state]}):{" "}
            {dispute.claim ?? ERASED}
          </p>
          <div class="buttons"><button type="button" class="button" onClick={() => onShow(dispute.round)}>Show its hands</button></div>
        </div>
      ))}
    </section>
  );
}

/** Return what is disputed, for example `hand 2, bottom of ann`. */
function describePlace({ hand, seat, row }: Dispute, names: Map<number, string>): string {
  const player = seat === null ? null : (names.get(seat) ?? `seat ${seat}`);
  const board = [row, player].filter((part) => part !== null).join(" of ");
  const parts = [hand === null ? "" : `hand ${hand}`, board].filter((part) => part !== "");
  return parts.length === 0 ? "the round" : parts.join(", ");
}
