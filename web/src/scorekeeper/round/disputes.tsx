// Disputes that players have opened and that have not ended.

import { useEffect, useState } from "preact/hooks";
import type { components, Round, Table } from "../../../client/src/contract.js";
import { TablestakesError } from "../../../client/src/errors.js";
import type { Session } from "../../api/session.js";
import { gettext, gettextNodes, pgettext } from "../../language/gettext.js";
import { nameRow } from "../../language/words.js";
import { nameSeat } from "./words.js";

export type Dispute = components["schemas"]["Dispute"];

const READ_EVERY = 15_000;
const MOST_LISTED = 100;

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
          <Claim dispute={dispute} text={describeDispute(dispute, names)} />
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
    <section class="stack" aria-label={gettext("Disputes")}>
      <DisputeList disputes={disputes.filter((dispute) => dispute.round === round.id)} names={names} />
      {earlier.map((dispute) => (
        <div key={dispute.id} class="notice">
          <Claim dispute={dispute} text={describeEarlier(dispute)} />
          <div class="buttons"><button type="button" class="button" onClick={() => onShow(dispute.round)}>{gettext("Show its hands")}</button></div>
        </div>
      ))}
    </section>
  );
}

/** A dispute in bold, its state, and the claim of its author. */
function Claim({ dispute, text }: { dispute: Dispute; text: string }) {
  const state = dispute.state === "under_review" ? pgettext("state of a dispute", "under review") : pgettext("state of a dispute", "open");
  const values = { dispute: <strong>{text}</strong>, state, claim: dispute.claim ?? nameErased() };
  return <p>{gettextNodes("%(dispute)s (%(state)s): %(claim)s", values)}</p>;
}

/** Return what is shown instead of a text or an author that was erased. */
function nameErased(): string {
  return gettext("(erased)");
}

/** Return who disputes what of a round, for example `ben disputes hand 2, bottom of ann`. */
function describeDispute({ by, hand, seat, row }: Dispute, names: Map<number, string>): string {
  const author = by ?? nameErased();
  const player = seat === null ? null : (names.get(seat) ?? nameSeat(seat));
  if (hand === null && player === null) return gettext("%(author)s disputes the round", { author });
  if (hand === null) return gettext("%(author)s disputes %(player)s", { author, player: player! });
  if (row === null && player === null) return gettext("%(author)s disputes hand %(hand)s", { author, hand });
  if (row === null) return gettext("%(author)s disputes hand %(hand)s, %(player)s", { author, hand, player: player! });
  const named = { author, hand, row: nameRow(row) };
  if (player === null) return gettext("%(author)s disputes hand %(hand)s, %(row)s", named);
  return gettext("%(author)s disputes hand %(hand)s, %(row)s of %(player)s", { ...named, player });
}

/** Return who disputes what of a round whose players are not known here. */
function describeEarlier({ by, hand, seat, row }: Dispute): string {
  const author = by ?? nameErased();
  if (hand === null && seat === null) return gettext("%(author)s disputes an earlier round", { author });
  if (hand === null) return gettext("%(author)s disputes seat %(seat)s of an earlier round", { author, seat: seat! });
  if (row === null && seat === null) return gettext("%(author)s disputes hand %(hand)s of an earlier round", { author, hand });
  if (row === null) return gettext("%(author)s disputes hand %(hand)s, seat %(seat)s of an earlier round", { author, hand, seat: seat! });
  const named = { author, hand, row: nameRow(row) };
  if (seat === null) return gettext("%(author)s disputes hand %(hand)s, %(row)s of an earlier round", named);
  return gettext("%(author)s disputes hand %(hand)s, %(row)s of seat %(seat)s of an earlier round", { ...named, seat });
}
