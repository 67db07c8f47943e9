import { useState } from "preact/hooks";
import type { Round, Table } from "../../../client/src/contract.js";
import type { Session } from "../../api/session.js";
import { dateLocale } from "../../language/current.js";
import { gettext, ngettext } from "../../language/gettext.js";
import { Problem } from "./problem.js";
import { useRequests } from "./requests.js";
import { nameState } from "./words.js";

interface Props {
  session: Session;
  table: Table;
  /** The round of the page, which is not listed. */
  current: Round;
  onChoose(chosen: EarlierRound): void;
}

export interface EarlierRound {
  round: Round;
  /** When it was opened, in the zone of the club. */
  title: string;
}

const MOST_LISTED = 20;

/** The rounds before, to look at their hands. */
export function EarlierRounds({ session, table, current, onChoose }: Props) {
  const [found, setFound] = useState<{ rounds: Round[]; timeZone: string } | null>(null);
  const { isBusy, problem, run } = useRequests();
  const load = async (): Promise<void> => {
    const read = async () => {
      const { time_zone: timeZone } = await session.client.get("/v1/club");
      const { rounds } = await session.client.get("/v1/rounds", { query: { table: table.id, limit: MOST_LISTED } });
      return { rounds: rounds.filter(({ id }) => id !== current.id), timeZone };
    };
    const listed = await run(read);
    if (listed !== undefined) setFound(listed);
  };
  return (
    <section aria-label={gettext("Earlier rounds")} class="stack">
      {found === null && (
        <div class="buttons"><button type="button" class="button" disabled={isBusy} onClick={() => void load()}>{gettext("Earlier rounds")}</button></div>
      )}
      <Problem details={problem} />
      {found?.rounds.length === 0 && <p class="quiet">{gettext("The table has no earlier rounds.")}</p>}
      {found !== null && (
        <ul class="choices">
          {found.rounds.map((round) => {
            const title = formatTime(round.opened_at, found.timeZone);
            return (
              <li key={round.id}>
                <button type="button" class="choice" onClick={() => onChoose({ round, title })}>
                  <span>
                    <strong>{title}</strong>
                    <span class="quiet small"> · {ngettext("%(count)s hand", "%(count)s hands", round.hands)} · {nameState(round.state)}</span>
                  </span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

/** Read a round that is not the one of the page. */
export async function readEarlier(session: Session, id: string): Promise<EarlierRound> {
  const { time_zone: timeZone } = await session.client.get("/v1/club");
  const round = await session.client.get("/v1/rounds/{round_id}", { path: { round_id: id } });
  return { round, title: formatTime(round.opened_at, timeZone) };
}

/** Return a time in the zone of the club, for example `20 Nov 2026, 20:15`. */
function formatTime(time: string, timeZone: string): string {
  return new Intl.DateTimeFormat(dateLocale(), { dateStyle: "medium", timeStyle: "short", timeZone }).format(new Date(time));
}
