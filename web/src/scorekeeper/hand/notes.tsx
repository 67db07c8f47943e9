import type { LiveBoard } from "./live.js";

/** What a full row makes, and its royalty. */
export function RowNote({ row }: { row: { description: string; royalty: number } | undefined }) {
  if (row === undefined) return <span class="row-note" />;
  return (
    <span class="row-note">
      <span>{row.description}</span>
      {row.royalty > 0 && <strong class="figure">+{row.royalty}<span class="hidden-text"> royalty</span></strong>}
    </span>
  );
}

/** What is certain of a board: that it is foul, its royalties, or the Fantasyland that it earns. */
export function BoardNotes({ board }: { board: LiveBoard | undefined }) {
  return (
    <span class="board-notes" role="status">
      {board?.foul && <span class="pill warning">Foul</span>}
      {board !== undefined && !board.foul && board.fantasyland > 0 && (
        <span class="pill accent">
          Fantasyland {board.fantasyland}
          {!board.complete && <span class="hidden-text"> unless the board becomes foul</span>}
          {!board.complete && <span aria-hidden="true">?</span>}
        </span>
      )}
    </span>
  );
}
