"""Secrets that sign the viewer links of a club."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """
    Create the secrets of links; a new secret of a club replaces the one before and so revokes its links.

    The first secret of a club is created with its first link.
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
