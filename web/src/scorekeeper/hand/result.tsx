import { useEffect, useRef } from "preact/hooks";
import type { Transfer } from "../../../client/src/contract.js";
import type { Score, ScoreResult } from "../../api/scorer.js";
import { countWon, isPaidLater, listBustedBy } from "../../api/results.js";
import { formatChange, signClass } from "../format.js";
import { UndoIcon } from "./deck.js";
import { gettext, gettextNodes } from "../../language/gettext.js";
import { joinNames } from "../../language/words.js";

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
    <div class="result" role="group" aria-label={gettext("Result")}>
      <div aria-live="polite" class="stack">
        {result === null && canSave && <p class="quiet">{gettext("Scoring…")}</p>}
        {!canSave && <p class="notice">{gettext("Choose who has the button: tap D beside a player.")}</p>}
        {result?.kind === "unavailable" && <p class="notice">{gettext("Not scored yet: score after sync.")}</p>}
        {isRefused && (
          <div class="notice error">
            <strong>{gettext("This hand is not valid.")}</strong>
            {result.details.map((detail) => <p key={detail}>{detail}</p>)}
          </div>
        )}
        {result?.kind === "scored" && <ScoreView score={result.score} names={names} />}
      </div>
      <div class="result-actions">
        <button ref={button} type="button" class="button primary large" disabled={!canSave || isRefused || isSaving} onClick={onSave}>
          {isSaving ? gettext("Saving…") : gettext("Save")}
        </button>
        <button type="button" class="button" aria-label={gettext("Undo the last tap")} disabled={!canUndo} onClick={onUndo}><UndoIcon /></button>
      </div>
    </div>
  );
}

function ScoreView({ score, names }: { score: Score } & Pick<Props, "names">) {
  const nameOf = (seat: number): string => names.get(seat) ?? gettext("seat %(seat)s", { seat });
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
              {stack !== undefined && <span class="quiet small figure">{gettext("stack %(points)s", { points: stack })}</span>}
              {change !== player.points && <span class="quiet small">{gettext("%(points)s before caps", { points: formatChange(player.points) })}</span>}
              {player.royalties > 0 && <span class="quiet small">{gettext("royalties %(points)s", { points: player.royalties })}</span>}
              {player.foul && <span class="pill warning">{gettext("Foul")}</span>}
              {busted.includes(player.seat) && <span class="pill warning">{gettext("Busted")}</span>}
            </section>
          );
        })}
      </div>
      <div class="result-parts">
        <section>
          <Payments transfers={score.transfers} isPaidLater={isPaidLater(score.round)} nameOf={nameOf} />
        </section>
        <section>
          <h3 class="small quiet">{gettext("Next")}</h3>
          {next ? (
            <p>
              {gettext("Hand %(number)s", { number: next.number })}
              {next.button !== null && <>, {gettextNodes("button %(player)s", { player: <strong>{nameOf(next.button)}</strong> })}</>}
              {busted.length > 0 && <>, {gettext("without %(players)s", { players: joinNames(busted.map(nameOf)) })}</>}
              {royal.map(([seat, cards]) => (
                <span key={seat}>
                  ; {gettextNodes("%(player)s in Fantasyland with %(cards)s cards", { player: <strong>{nameOf(Number(seat))}</strong>, cards })}
                </span>
              ))}
            </p>
          ) : (
            <p>{gettext("The round is complete.")}</p>
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
      <h3 class="small quiet">{isPaidLater && !isNone ? gettext("Payments of the round") : gettext("Payments")}</h3>
      {isNone ? (
        <p>{isPaidLater ? gettext("Paid at the end of the round") : gettext("No payments")}</p>
      ) : (
        <ol class="payments">
          {transfers.map((transfer) => (
            <li key={transfer.order}>
              <span>
                {gettext("%(payer)s pays %(payee)s", { payer: nameOf(transfer.payer), payee: nameOf(transfer.payee) })}
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
  if (limited_by === "payer_stack") return gettext("%(points)s due, %(player)s has no more", { points: due, player: nameOf(payer) });
  return gettext("%(points)s due, %(player)s can win no more", { points: due, player: nameOf(payee) });
}
