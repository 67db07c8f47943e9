// A correction of cards of a recorded hand: its preview by the service, and its confirmation.

import { useEffect, useState } from "preact/hooks";
import type { CorrectionRequest, Hand, Round, RoundComparison } from "../../../client/src/contract.js";
import type { Session } from "../../api/session.js";
import type { Draft, Place } from "../hand/draft.js";
import { draftOf, exchange, listChanges } from "./recorded.js";
import { useKey, useRequests } from "./requests.js";

/** Stands for the reason in a dry run, of which nothing is stored. */
const DRY_REASON = "preview";

export interface Correcting {
  /** The cards with the changes so far. */
  draft: Draft;
  hasChanges: boolean;
  /** What would change; null until the service has computed it, and if it refuses the correction. */
  preview: RoundComparison | null;
  /** Whether later hands that no longer follow are accepted as played. */
  isAccepted: boolean;
  isBusy: boolean;
  problem: string[] | null;
  /** The code with which the service refused the correction. */
  code: string | null;
  change(place: Place, card: string): void;
  accept(isAccepted: boolean): void;
  /** Record the correction. Returns the round, or undefined if it was not recorded. */
  confirm(reason: string): Promise<Round | undefined>;
}

/** Return the correction of a hand of a round as it is now. */
export function useCorrection(session: Session, round: Round, hand: Hand, names: Map<number, string>): Correcting {
  const recorded = draftOf(round.id, hand, names);
  const [draft, setDraft] = useState(recorded);
  const [isAccepted, accept] = useState(false);
  const [preview, setPreview] = useState<RoundComparison | null>(null);
  const { isBusy, problem, code, run } = useRequests();
  const keyOf = useKey();
  const changes = listChanges(recorded, draft);

  const send = (reason: string, dry_run: boolean): Promise<RoundComparison> => {
    const body: CorrectionRequest = { reason, version: round.version, changes, ...(isAccepted ? { irregular: "accept" } : {}) };
    return session.client.post("/v1/rounds/{round_id}/corrections", {
      path: { round_id: round.id },
      query: { dry_run },
      body,
      idempotencyKey: dry_run ? null : keyOf(JSON.stringify(body)),
    });
  };
  useEffect(() => {
    setPreview(null);
    if (changes.length > 0) void run(() => send(DRY_REASON, true), { names }).then((seen) => seen !== undefined && setPreview(seen));
  }, [draft, isAccepted]);
  return {
    draft, hasChanges: changes.length > 0, preview, isAccepted, isBusy, problem, code, accept,
    change: (place, card) => setDraft(exchange(draft, place, card)),
    confirm: async (reason) => (await run(() => send(reason, false), { names }))?.round,
  };
}
