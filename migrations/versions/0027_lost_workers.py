"""Workers that were lost while they processed a chunk, apart from other interruptions."""

from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """
    Count apart how often a chunk's worker was never heard of again.

    Only that can be what the chunk holds. A deadlock, a timeout or a database that is gone never is.
    """
    op.execute("""
        ALTER TABLE job_chunks ADD COLUMN losses integer NOT NULL DEFAULT 0 CHECK (losses >= 0);
    """)
