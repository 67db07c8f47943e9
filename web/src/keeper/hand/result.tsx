import type { Transfer } from "../../../client/src/contract.js";
import type { Score, ScoreResult } from "../../api/scorer.js";
import { formatChange, signClass } from "../format.js";

interface Props {
  result: ScoreResult | null;
  names: Map<number, string>;
  /** The stacks before the hand. */
  stacks: Map<number, number>;
  canSave: boolean;
  isSaving: boolean;
  onSave(): void;
  onUndo(): void;
}

/** The result of the hand as it would be recorded, and the button that records it. */
export function Result({ result, names, stacks, canSave, isSaving, onSave, onUndo }: Props) {
  const isRefused = result?.kind === "refused";
  return (
    <div class="result" role="group" aria-label="Result">
      <div aria-live="polite" class="stack">
        {result === null && canSave && <p class="quiet">Scoring…</p>}
        {!canSave && <p class="notice">Choose who has the button: tap D beside a player.</p>}
        {result?.kind === "unavailable" && <p class="notice">No connection: score after sync.</p>}
        {isRefused && (
          <div class="notice error">
            <strong>The service does not accept this hand.</strong>
            {result.details.map((detail) => <p key={detail}>{detail}</p>)}
          </div>
        )}
        {result?.kind === "scored" && <ScoreView score={result.score} names={names} stacks={stacks} />}
      </div>
      <div class="result-actions">
        <button type="button" class="button primary large wide" disabled={!canSave || isRefused || isSaving} onClick={onSave}>
          {isSaving ? "Saving…" : "Save"}
        </button>
        <button type="button" class="button plain" onClick={onUndo}>Undo the last tap</button>
      </div>
    </div>
  );
}

function ScoreView({ score, names, stacks }: { score: Score } & Pick<Props, "names" | "stacks">) {
  const nameOf = (seat: number): string => names.get(seat) ?? `seat ${seat}`;
  const { next } = score.round;
  const royal = Object.entries(next?.fantasyland ?? {});
  return (
    <>
      <div class="scores">
        {score.players.map((player) => {
          const stack = score.stacks?.[String(player.seat)];
          const before = stacks.get(player.seat);
          const change = stack === undefined || before === undefined ? player.points : stack - before;
          return (
            <section key={player.seat} class="score" data-score={player.seat} aria-label={nameOf(player.seat)}>
              <h3>{nameOf(player.seat)}</h3>
              <span class={`points figure ${signClass(change)}`}>{formatChange(change)}</span>
              {stack !== undefined && <span class="quiet small figure">stack {stack}</span>}
              {change !== player.points && <span class="quiet small">{formatChange(player.points)} before caps</span>}
              {player.royalties > 0 && <span class="quiet small">royalties {player.royalties}</span>}
              {player.foul && <span class="pill warning">Foul</span>}
            </section>
          );
        })}
      </div>
      <div class="result-parts">
        <section>
          <h3 class="small quiet">Payments</h3>
          <Payments transfers={score.transfers as Transfer[] | null} nameOf={nameOf} />
        </section>
        <section>
          <h3 class="small quiet">Next</h3>
          {next ? (
            <p>
              Hand {next.number}
              {next.button !== null && <>, button <strong>{nameOf(next.button)}</strong></>}
              {royal.map(([seat, cards]) => (
                <span key={seat}>; <strong>{nameOf(Number(seat))}</strong> in Fantasyland with {cards} cards</span>
              ))}
            </p>
          ) : (
            <p>The round is complete.</p>
          )}
        </section>
      </div>
    </>
  );
}

function Payments({ transfers, nameOf }: { transfers: Transfer[] | null; nameOf(seat: number): string }) {
  if (transfers === null) return <p>At the end of the round</p>;
  if (transfers.length === 0) return <p>No payments</p>;
  return (
    <ol class="payments">
      {transfers.map((transfer) => (
        <li key={transfer.order}>
          <span>
            {nameOf(transfer.payer)} pays {nameOf(transfer.payee)}
            {transfer.limited_by !== null && <span class="quiet small"> · {describeCap(transfer, nameOf)}</span>}
          </span>
          <strong>{transfer.paid}</strong>
        </li>
      ))}
    </ol>
  );
}

function describeCap({ due, limited_by, payer, payee }: Transfer, nameOf: (seat: number) => string): string {
  const reason = limited_by === "payer_stack" ? `${nameOf(payer)} has no more` : `${nameOf(payee)} can win no more`;
  return `${due} due, ${reason}`;
}
