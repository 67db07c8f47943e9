import { useEffect, useRef } from "preact/hooks";
import type { Transfer } from "../../../client/src/contract.js";
import type { Score, ScoreResult } from "../../api/scorer.js";
import { countWon, isPaidLater, listBustedBy } from "../../api/results.js";
import { formatChange, signClass } from "../format.js";
import { UndoIcon } from "./deck.js";

interface Props {
  result: ScoreResult | null;
  names: Map<number, string>;
  canSave: boolean;
  isSaving: boolean;
  /** Whether there is a tap to undo: cards of a hand that was undone were not tapped here. */
  canUndo: boolean;
  onSave(): void;
  onUndo(): void;
}

/** The result of the hand as it would be recorded, and the button that records it. */
export function Result({ result, names, canSave, isSaving, canUndo, onSave, onUndo }: Props) {
  const isRefused = result?.kind === "refused";
  const button = useRef<HTMLButtonElement>(null);
  // Enter saves, whichever button was pressed last.
  useEffect(() => {
    if (canSave) button.current?.focus({ preventScroll: true });
  }, [canSave]);
  return (
    <div class="result" role="group" aria-label="Result">
      <div aria-live="polite" class="stack">
        {result === null && canSave && <p class="quiet">Scoring…</p>}
        {!canSave && <p class="notice">Choose who has the button: tap D beside a player.</p>}
        {result?.kind === "unavailable" && <p class="notice">Not scored yet: score after sync.</p>}
        {isRefused && (
          <div class="notice error">
            <strong>This hand is not valid.</strong>
            {result.details.map((detail) => <p key={detail}>{detail}</p>)}
          </div>
        )}
        {result?.kind === "scored" && <ScoreView score={result.score} names={names} />}
      </div>
      <div class="result-actions">
        <button ref={button} type="button" class="button primary large" disabled={!canSave || isRefused || isSaving} onClick={onSave}>
          {isSaving ? "Saving…" : "Save"}
        </button>
        <button type="button" class="button" aria-label="Undo the last tap" disabled={!canUndo} onClick={onUndo}><UndoIcon /></button>
      </div>
    </div>
  );
}

function ScoreView({ score, names }: { score: Score } & Pick<Props, "names">) {
  const nameOf = (seat: number): string => names.get(seat) ?? `seat ${seat}`;
  const { next } = score.round;
  const royal = Object.entries(next?.fantasyland ?? {});
  const busted = listBustedBy(score);
  return (
    <>
      <div class="scores">
        {score.players.map((player) => {
          const stack = score.stacks?.[String(player.seat)];
          const change = countWon(score.round, score, player.seat);
          return (
            <section key={player.seat} class="score" data-score={player.seat} aria-label={nameOf(player.seat)}>
              <h3>{nameOf(player.seat)}</h3>
              <span class={`points figure ${signClass(change)}`}>{formatChange(change)}</span>
              {stack !== undefined && <span class="quiet small figure">stack {stack}</span>}
              {change !== player.points && <span class="quiet small">{formatChange(player.points)} before caps</span>}
              {player.royalties > 0 && <span class="quiet small">royalties {player.royalties}</span>}
              {player.foul && <span class="pill warning">Foul</span>}
              {busted.includes(player.seat) && <span class="pill warning">Busted</span>}
            </section>
          );
        })}
      </div>
      <div class="result-parts">
        <section>
          <Payments transfers={score.transfers} isPaidLater={isPaidLater(score.round)} nameOf={nameOf} />
        </section>
        <section>
          <h3 class="small quiet">Next</h3>
          {next ? (
            <p>
              Hand {next.number}
              {next.button !== null && <>, button <strong>{nameOf(next.button)}</strong></>}
              {busted.length > 0 && <>, without {busted.map(nameOf).join(" and ")}</>}
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

interface PaymentsProps {
  transfers: Transfer[] | null;
  /** Whether the last hand of the round has the payments of the whole round, and the other hands have none. */
  isPaidLater: boolean;
  nameOf(seat: number): string;
}

/** Who pays whom, in the order of payment, with what caps a payment. */
export function Payments({ transfers, isPaidLater, nameOf }: PaymentsProps) {
  const isNone = transfers === null || transfers.length === 0;
  return (
    <>
      <h3 class="small quiet">{isPaidLater && !isNone ? "Payments of the round" : "Payments"}</h3>
      {isNone ? (
        <p>{isPaidLater ? "Paid at the end of the round" : "No payments"}</p>
      ) : (
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
      )}
    </>
  );
}

function describeCap({ due, limited_by, payer, payee }: Transfer, nameOf: (seat: number) => string): string {
  const reason = limited_by === "payer_stack" ? `${nameOf(payer)} has no more` : `${nameOf(payee)} can win no more`;
  return `${due} due, ${reason}`;
}
