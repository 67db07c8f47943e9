// Names of players that readers cannot distinguish.

import type { RoundRequest, Table } from "../../../client/src/contract.js";
import { ApiError } from "../../../client/src/errors.js";
import type { Session } from "../../api/session.js";

/** Return what is left of a name that is read aloud: `Cyd`, ` cyd` and `ｃｙｄ` are the same. */
export function foldName(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC").replace(/[\u200c\u200d]/gu, "").trim();
}

/** Return the known name that looks like another one, unless the name itself is known. */
export function findLookalike(name: string, known: readonly string[]): string | undefined {
  const text = name.trim();
  if (text === "" || known.includes(text)) return undefined;
  return known.find((each) => foldName(each) === foldName(text));
}

/** Return the known names that a name which is being typed can become, without those that are taken. */
export function suggestNames(text: string, known: readonly string[], taken: readonly string[]): string[] {
  const begun = foldName(text);
  return known.filter((name) => name !== text.trim() && !taken.includes(name) && foldName(name).startsWith(begun));
}

/**
 * Return the known players of the club that new players of a round look like, by the new names.
 *
 * The service compares them. If it refuses the round, there are none: opening the round says why.
 */
export async function findSimilar(session: Session, table: Table, body: RoundRequest): Promise<ReadonlyMap<string, string>> {
  const options = { path: { table_id: table.id }, query: { dry_run: true }, body, idempotencyKey: null };
  try {
    const { warnings = [] } = await session.client.post("/v1/tables/{table_id}/rounds", options);
    return new Map(warnings.map(({ received, recorded }) => [String(received), String(recorded)]));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return new Map();
  }
}
