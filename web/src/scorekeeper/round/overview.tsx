import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Round } from "../../../client/src/contract.js";
import { formatChange, signClass } from "../format.js";
import { Problem } from "./problem.js";
import { CLOSING, Question } from "./question.js";

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
      <h2 id="round-title">{round.hands === 0 ? "New round" : `After ${round.hands} ${round.hands === 1 ? "hand" : "hands"}`}</h2>
      <table class="figures">
        <thead>
          <tr><th scope="col">Player</th><th scope="col" class="figure">Net</th><th scope="col" class="figure">Stack</th></tr>
        </thead>
        <tbody>
          {round.seats.map((seat) => {
            const net = seat.stack - seat.opening_stack - seat.top_ups;
            return (
              <tr key={seat.seat}>
                <th scope="row">
                  {names.get(seat.seat)}
                  {next?.button === seat.seat && <> <span class="pill">button</span></>}
                  {next?.fantasyland[String(seat.seat)] !== undefined && <> <span class="pill accent">Fantasyland {next.fantasyland[String(seat.seat)]}</span></>}
                  {!seat.playing && <> <span class="pill">{seat.stack === 0 ? "busted" : "left"}</span></>}
                </th>
                <td class={`figure ${signClass(net)}`}>{formatChange(net)}</td>
                <td class="figure"><strong>{seat.stack}</strong></td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {children}
      {!next && <p class="quiet">The round is {round.status}{round.state === "disputed" && ", and its result is disputed"}.</p>}
    </section>
  );
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
  return (
    <>
      <Problem details={problem} />
      {obstacle !== null && <p class="quiet small">{obstacle}</p>}
      {asking === null && canChange && (canUndo(round) || round.status === "open") && (
        <div class="buttons">
          {canUndo(round) && <button type="button" class="button" disabled={isBusy} onClick={() => setAsking("undo")}>Undo hand {round.hands}</button>}
          {round.status === "open" && <button type="button" class="button" disabled={isBusy} onClick={() => setAsking("close")}>Close the round</button>}
        </div>
      )}
      {asking === "undo" && (
        <Question
          key="undo"
          title={`Undo hand ${round.hands}?`}
          text="Its points are taken back. Its cards stay, to be changed and saved again."
          label="Reason (optional)"
          usual={["Wrong card", "Wrong player", "Entered twice"]}
          isRequired={false}
          action={`Undo hand ${round.hands}`}
          onYes={(reason) => { setAsking(null); onUndo(reason); }}
          onNo={() => setAsking(null)}
        />
      )}
      {asking === "close" && (
        <Question
          key="close"
          {...CLOSING}
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
