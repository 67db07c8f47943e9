// The rules on the device: they score a hand without a network, as the service will.

import { useEffect, useState } from "preact/hooks";
import type { HandRequest, Round, RoundDocument, Ruleset } from "../../client/src/contract.js";
import { TablestakesError } from "../../client/src/errors.js";
import type { HandScorer, Score, ScoreResult } from "../api/scorer.js";
import type { Session } from "../api/session.js";
import { startRules, type Rules } from "../rules/index.js";
import { readDocument, readOutbox, writeDocument } from "./storage.js";

/** Below the page, so that its service worker stores the files. */
const ADDRESS = "/keeper/rules/";
const MEGABYTE = 1_000_000;

/** A round as it was recorded, with its rules: what a hand is scored with. */
export interface StoredDocument {
  version: number;
  document: RoundDocument;
  ruleset: Ruleset;
}

export interface LoadedRules {
  rules: Rules | null;
  /** What to show about the rules. */
  text: string;
}

/** Load the rules in the background, unless the device saves data. */
export function useRules(): LoadedRules {
  const [loaded, setLoaded] = useState<LoadedRules>({ rules: null, text: "" });
  useEffect(() => {
    if (savesData()) {
      setLoaded({ rules: null, text: "The rules are not on this device, because it saves data." });
      return undefined;
    }
    const rules = startRules(({ loaded: bytes, total }) => {
      const text = `Rules: ${Math.floor(bytes / MEGABYTE)} of ${Math.ceil(total / MEGABYTE)} MB`;
      setLoaded((before) => (before.rules === null ? { rules: null, text } : before));
    }, ADDRESS);
    void rules.describe().then((described) => {
      const isReady = "scorer" in described;
      const text = isReady ? `Rules on this device: scorer version ${described.scorer}` : "The rules could not be loaded.";
      setLoaded({ rules: isReady ? rules : null, text });
    });
    return () => rules.stop();
  }, []);
  return loaded;
}

function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}

/** Store what is needed to score the next hand of a round without a network. Without one, nothing changes. */
export async function prepareRound(session: Session, round: Round): Promise<void> {
  const stored = await readDocument(round.id);
  if (round.status !== "open" || stored?.version === round.version) return;
  try {
    const document = await session.client.get("/v1/rounds/{round_id}/document", { path: { round_id: round.id } });
    const ruleset = await session.client.get("/v1/rulesets/{reference}", { path: { reference: round.ruleset } });
    await writeDocument(round.id, { version: round.version, document, ruleset });
  } catch (error) {
    if (!(error instanceof TablestakesError)) throw error;
  }
}

/** Scores with the rules on the device, after the recorded hands and those that wait to be sent. */
export class DeviceScorer implements HandScorer {
  constructor(
    private readonly rules: Rules,
    private readonly session: Session,
  ) {}

  async score(round: Round, hand: HandRequest): Promise<ScoreResult> {
    const document = await this.readDocument(round, hand.number);
    if (document === null) return { kind: "unavailable" };
    const scored = await this.rules.score(document, hand);
    switch (scored.kind) {
      case "complete":
        return { kind: "scored", score: scored.result as unknown as Score };
      case "refused": {
        const details = scored.problem.errors.map(({ detail }) => detail);
        return { kind: "refused", details: details.length > 0 ? details : [scored.problem.detail] };
      }
      default:
        return { kind: "unavailable" };
    }
  }

  /** Return the round up to a hand, or null if not all hands before it are on the device. */
  private async readDocument(round: Round, number: number): Promise<{ document: RoundDocument; ruleset: Ruleset } | null> {
    await prepareRound(this.session, round);
    const stored = await readDocument(round.id);
    if (stored === undefined || stored.version !== round.version) return null;
    const { document, ruleset } = stored;
    const waiting = (await readOutbox())
      .filter((request) => request.round === round.id && request.refusal === null)
      .map((request) => JSON.parse(request.body) as HandRequest)
      .filter((each) => each.number > document.hands.length && each.number < number);
    const hands = [...document.hands, ...(waiting as unknown as RoundDocument["hands"])];
    return hands.length === number - 1 ? { document: { ...document, hands }, ruleset } : null;
  }
}
