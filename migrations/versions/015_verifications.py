"""The last result of `ofc-server verify` for each club."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "015"
down_revision = "014"


def upgrade() -> None:
    """Create the results, one of each club. The command writes them as the owner of the tables; the service reads."""
    op.execute("""
        CREATE TABLE verifications (
            club_id uuid PRIMARY KEY REFERENCES clubs,
            ended_at timestamptz NOT NULL,
            events bigint NOT NULL CHECK (events >= 0),
            findings bigint NOT NULL CHECK (findings >= 0),
            complete boolean NOT NULL
        );
    """)
    one_club_at_a_time("verifications")
    op.execute("""
        CREATE POLICY one_table ON verifications AS RESTRICTIVE FOR SELECT USING ((SELECT current_table()) IS NULL);
    """)
