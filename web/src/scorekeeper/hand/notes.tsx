import { gettext } from "../../language/gettext.js";
import { describeHand, type HandInWords } from "../../language/hands.js";
import type { LiveBoard } from "./live.js";

type Row = HandInWords & { royalty: number };

/** What a full row makes, and its royalty. */
export function RowNote({ row }: { row: Row | undefined }) {
  if (row === undefined) return <span class="row-note" />;
  return (
    <span class="row-note">
      <span>{describeHand(row)}</span>
      {row.royalty > 0 && <strong class="figure">+{row.royalty}<span class="hidden-text"> {gettext("royalty")}</span></strong>}
    </span>
  );
}

/** What is certain of a board: that it is foul, its royalties, or the Fantasyland that it earns. */
export function BoardNotes({ board }: { board: LiveBoard | undefined }) {
  return (
    <span class="board-notes" role="status">
      {board?.foul && <span class="pill warning">{gettext("Foul")}</span>}
      {board !== undefined && !board.foul && board.fantasyland > 0 && (
        <span class="pill accent">
          {gettext("Fantasyland %(cards)s", { cards: board.fantasyland })}
          {!board.complete && <span class="hidden-text"> {gettext("unless the board becomes foul")}</span>}
          {!board.complete && <span aria-hidden="true">?</span>}
        </span>
      )}
    </span>
  );
}
