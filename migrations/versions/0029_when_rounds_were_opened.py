"""Keep when a round was received beside when it was opened, which a document may say of rounds long ago."""

from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    """
    Add when rounds were received, which was when they were opened so far; lists are in the order of opening.

    The column is filled by a change of its type, for no policy hides a row from that.
    """
    op.execute("""
        ALTER TABLE rounds ADD COLUMN recorded_at timestamptz;
        ALTER TABLE rounds ALTER COLUMN recorded_at TYPE timestamptz USING opened_at;
        ALTER TABLE rounds ALTER COLUMN recorded_at SET NOT NULL;
        DROP INDEX rounds_opened_at;
        CREATE INDEX rounds_opened_at ON rounds (club_id, opened_at, id);
        CREATE INDEX rounds_opened_at_table ON rounds (club_id, table_id, opened_at, id);
    """)
