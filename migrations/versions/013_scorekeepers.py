"""Scorekeepers: devices on which hands are being entered."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "013"
down_revision = "012"


def upgrade() -> None:
    """
    Create the table of devices on which hands are being entered.

    An entry is valid for seconds, so that the table is not written to the log: a crash of the database empties it. It
    belongs to the key or the link that has written it, so that no other one can change it.
    """
    op.execute("""
        CREATE UNLOGGED TABLE scorekeepers (
            club_id uuid NOT NULL,
            table_id uuid NOT NULL,
            key_id uuid NOT NULL,
            device_id uuid NOT NULL,
            label text NOT NULL,
            hand smallint NOT NULL CHECK (hand > 0),
            shown_since timestamptz NOT NULL,
            expires_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, table_id, key_id, device_id),
            FOREIGN KEY (club_id, table_id) REFERENCES tables
        );
    """)
    one_club_at_a_time("scorekeepers")
    op.execute("""
        CREATE POLICY one_table ON scorekeepers AS RESTRICTIVE
            USING (CASE WHEN (SELECT current_table()) IS NULL THEN true
                ELSE table_id = (SELECT current_table()) AND (SELECT current_round()) IS NULL END);
    """)
