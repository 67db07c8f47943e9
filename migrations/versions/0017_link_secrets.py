"""What a club's viewer links are signed with."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """
    Keep a club's secrets for links, each of which takes the place of the one before: that is how links are revoked.

    A club has none until its first link is wanted. Whoever can read them can read the rounds too.
    """
    op.execute("""
        CREATE TABLE link_secrets (
            club_id uuid NOT NULL REFERENCES clubs,
            version integer NOT NULL CHECK (version >= 1),
            secret bytea NOT NULL CHECK (octet_length(secret) = 32),
            made_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, version)
        );
    """)
    one_club_at_a_time("link_secrets")
    append_only("link_secrets")
