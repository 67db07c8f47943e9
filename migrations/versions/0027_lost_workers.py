"""Workers that were lost while they processed a chunk, apart from other interruptions."""

from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """
    Add the number of lost workers of a chunk, separate from other interruptions.

    Only a lost worker can be caused by the content of the chunk; a deadlock, a timeout or a lost database cannot.
    """
    op.execute("""
        ALTER TABLE job_chunks ADD COLUMN losses integer NOT NULL DEFAULT 0 CHECK (losses >= 0);
    """)
