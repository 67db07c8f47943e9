"""Revoked links."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """
    Create the revoked links, identified by round and expiry.

    Valid links are not stored.
    """
    op.execute("""
        CREATE TABLE revoked_links (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            expires_at timestamptz NOT NULL,
            revoked_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, round_id, expires_at),
            FOREIGN KEY (club_id, round_id) REFERENCES rounds
        );
    """)
    one_club_at_a_time("revoked_links")
    append_only("revoked_links")
