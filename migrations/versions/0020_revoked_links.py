"""Links that were revoked before their end."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """
    Keep of viewer links those that were revoked, by what tells one from another: its round and its end.

    Links themselves are kept nowhere.
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
