// What the form of a new table offers: the rulesets and units of the club, and who played last.

import { useEffect, useState } from "preact/hooks";
import type { ListedRuleset } from "../../../client/src/contract.js";
import type { Session } from "../../api/session.js";
import type { Outbox } from "../outbox.js";
import { useRequests, useReturns } from "../round/requests.js";
import { CURRENCIES, type UnitChoice } from "./words.js";

/** In how many rounds known players are looked for. */
const ROUNDS_READ = 50;

export interface Choices {
  rulesets: ListedRuleset[];
  units: UnitChoice[];
  /** The players of the newest rounds of the club, the last ones first. */
  players: string[];
}

/** Read what the form offers; again, when the service responds again. Null until it is read. */
export function useChoices(session: Session, outbox: Outbox): { choices: Choices | null; problem: string[] | null } {
  const [choices, setChoices] = useState<Choices | null>(null);
  const connection = { isOffline: outbox.isOffline, onOffline: () => outbox.setOffline(true) };
  const { problem, run } = useRequests(connection);
  const returns = useReturns(connection);
  useEffect(() => {
    void run(() => read(session)).then((found) => found !== undefined && setChoices(found));
  }, [session, returns]);
  return { choices, problem };
}

async function read({ client }: Session): Promise<Choices> {
  const [{ rulesets = [] }, { units }, { rounds }] = await Promise.all([
    client.get("/v1/rulesets"),
    client.get("/v1/units"),
    client.get("/v1/rounds", { query: { limit: ROUNDS_READ } }),
  ]);
  const used = new Set(units.map(({ code }) => code));
  return {
    rulesets,
    units: [...units, ...CURRENCIES.filter(({ code }) => !used.has(code))],
    players: [...new Set(rounds.flatMap(({ seats }) => seats.map(({ player }) => player)))],
  };
}
