import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Round } from "../../../client/src/contract.js";
import { gettext, ngettext, pgettext } from "../../language/gettext.js";
import { formatChange, signClass } from "../format.js";
import { Problem } from "./problem.js";
import { askClosing, Question } from "./question.js";

interface OverviewProps {
  round: Round;
  names: Map<number, string>;
  /** What is shown below the stacks. */
  children?: ComponentChildren;
}

/** The stacks of a round. */
export function RoundOverview({ round, names, children }: OverviewProps) {
  const { next } = round;
  return (
    <section class="panel" aria-labelledby="round-title">
      <h2 id="round-title">{round.hands === 0 ? gettext("New round") : ngettext("After %(count)s hand", "After %(count)s hands", round.hands)}</h2>
      <table class="figures">
        <thead>
          <tr><th scope="col">{gettext("Player")}</th><th scope="col" class="figure">{gettext("Net")}</th><th scope="col" class="figure">{gettext("Stack")}</th></tr>
        </thead>
        <tbody>
          {round.seats.map((seat) => {
            const net = seat.stack - seat.opening_stack - seat.top_ups;
            const cards = next?.fantasyland[String(seat.seat)];
            return (
              <tr key={seat.seat}>
                <th scope="row">
                  {names.get(seat.seat)}
                  {next?.button === seat.seat && <> <span class="pill">{pgettext("dealer", "button")}</span></>}
                  {cards !== undefined && <> <span class="pill accent">{gettext("Fantasyland %(cards)s", { cards })}</span></>}
                  {!seat.playing && <> <span class="pill">{seat.stack === 0 ? gettext("busted") : pgettext("player", "left")}</span></>}
                </th>
                <td class={`figure ${signClass(net)}`}>{formatChange(net)}</td>
                <td class="figure"><strong>{seat.stack}</strong></td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {children}
      {!next && <p class="quiet">{describeStatus(round)}</p>}
    </section>
  );
}

function describeStatus({ status, state }: Round): string {
  if (status === "complete") {
    return state === "disputed" ? gettext("The round is complete, and its result is disputed.") : gettext("The round is complete.");
  }
  if (status === "closed") {
    return state === "disputed" ? gettext("The round is closed, and its result is disputed.") : gettext("The round is closed.");
  }
  return gettext("The round is open.");
}

interface ChangesProps {
  round: Round;
  /** Whether the round can be changed now. */
  canChange: boolean;
  /** Why it cannot, if that ends by itself or by what the scorekeeper does. */
  obstacle: string | null;
  isBusy: boolean;
  problem: string[] | null;
  onUndo(reason: string): void;
  onClose(reason: string): void;
}

type Asking = "undo" | "close" | null;

/** What changes a round beside its next hand, and why that is not possible. */
export function RoundChanges({ round, canChange, obstacle, isBusy, problem, onUndo, onClose }: ChangesProps) {
  const [asking, setAsking] = useState<Asking>(null);
  const undoing = gettext("Undo hand %(hand)s", { hand: round.hands });
  return (
    <>
      <Problem details={problem} />
      {obstacle !== null && <p class="quiet small">{obstacle}</p>}
      {asking === null && canChange && (canUndo(round) || round.status === "open") && (
        <div class="buttons">
          {canUndo(round) && <button type="button" class="button" disabled={isBusy} onClick={() => setAsking("undo")}>{undoing}</button>}
          {round.status === "open" && <button type="button" class="button" disabled={isBusy} onClick={() => setAsking("close")}>{gettext("Close the round")}</button>}
        </div>
      )}
      {asking === "undo" && (
        <Question
          key="undo"
          title={gettext("Undo hand %(hand)s?", { hand: round.hands })}
          text={gettext("Its points are taken back. Its cards stay, to be changed and saved again.")}
          label={gettext("Reason (optional)")}
          usual={[gettext("Wrong card"), gettext("Wrong player"), gettext("Entered twice")]}
          isRequired={false}
          action={undoing}
          onYes={(reason) => { setAsking(null); onUndo(reason); }}
          onNo={() => setAsking(null)}
        />
      )}
      {asking === "close" && (
        <Question
          key="close"
          {...askClosing()}
          onYes={(reason) => { setAsking(null); onClose(reason); }}
          onNo={() => setAsking(null)}
        />
      )}
    </>
  );
}

/** Return whether the last hand can be undone. What was closed is reopened first; what is disputed or final is corrected instead. */
function canUndo({ hands, status, state }: Round): boolean {
  return hands > 0 && status !== "closed" && state !== "disputed" && state !== "final";
}
