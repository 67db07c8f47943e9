"""The time when a round was received, separate from its opening time, which a document can set."""

from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    """
    Add the time when rounds were received; for existing ones it is the opening time.

    The column is filled by a change of its type, because policies do not hide rows from it.
    """
    op.execute("""
        ALTER TABLE rounds ADD COLUMN recorded_at timestamptz;
        ALTER TABLE rounds ALTER COLUMN recorded_at TYPE timestamptz USING opened_at;
        ALTER TABLE rounds ALTER COLUMN recorded_at SET NOT NULL;
        DROP INDEX rounds_opened_at;
        CREATE INDEX rounds_opened_at ON rounds (club_id, opened_at, id);
        CREATE INDEX rounds_opened_at_table ON rounds (club_id, table_id, opened_at, id);
    """)
