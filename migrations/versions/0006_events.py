"""The audit trail."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """
    Create the events: one for each change, with its actor, its time and the bytes of its content.

    Events of a round are numbered by the version that the round had after them, so none can be left out or slipped in.
    The actor is no foreign key: all requests of a key would then lock the key's one row.
    """
    op.execute("""
        CREATE TABLE events (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            round_id uuid,
            sequence integer CHECK (sequence >= 1),
            kind text NOT NULL,
            actor uuid,
            request_id text,
            at timestamptz NOT NULL,
            content bytea NOT NULL,
            PRIMARY KEY (club_id, id),
            CONSTRAINT events_sequence_key UNIQUE (club_id, round_id, sequence),
            FOREIGN KEY (club_id, round_id) REFERENCES rounds,
            CONSTRAINT events_numbered_in_round_check CHECK ((round_id IS NULL) = (sequence IS NULL))
        );
    """)
    one_club_at_a_time("events")
    append_only("events")
