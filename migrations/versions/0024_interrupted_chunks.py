"""Chunks that are split where processing them as a whole keeps failing, and interruptions that are no failures."""

from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """
    Count a chunk's own errors apart from interruptions, such as a worker that was killed.

    A chunk can be split into smaller ones. The results of an import are ordered by their first line, for the lines of a
    piece that was split have results of their own.
    """
    op.execute("""
        ALTER TABLE job_chunks
            ADD COLUMN failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
            ADD COLUMN interruptions integer NOT NULL DEFAULT 0 CHECK (interruptions >= 0),
            DROP CONSTRAINT job_chunks_state_check,
            ADD CONSTRAINT job_chunks_state_check CHECK (state IN ('open', 'done', 'set_aside', 'dropped', 'split'));

        ALTER TABLE import_results RENAME COLUMN number TO first_line;
        ALTER TABLE import_results ALTER COLUMN first_line TYPE bigint;
    """)
