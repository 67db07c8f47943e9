"""Responses stored under idempotency keys."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """
    Create the table of first responses to requests with idempotency keys.

    A response is inserted in the transaction of the work. The club is no foreign key, because all requests of a club
    would then lock one row.
    """
    op.execute("""
        CREATE TABLE kept_answers (
            club_id uuid NOT NULL,
            key text NOT NULL CHECK (key <> ''),
            -- Of the method, the address and the body: the same key with another request is a mistake.
            fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
            status smallint NOT NULL,
            location text,
            body bytea NOT NULL,
            kept_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, key)
        );
    """)
    one_club_at_a_time("kept_answers")
    append_only("kept_answers")
