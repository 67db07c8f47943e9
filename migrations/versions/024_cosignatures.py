"""The cosignatures of witnesses under checkpoints."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "024"
down_revision = "023"


def upgrade() -> None:
    """
    Create the cosignatures.

    Each is a statement of a witness that the tree has only grown, and is verified by the key beside it before it is
    stored. Whose keys count is for those to decide who read the note. The first one of a witness stays.
    """
    op.execute("""
        CREATE TABLE cosignatures (
            club_id uuid NOT NULL,
            size bigint NOT NULL,
            name text NOT NULL CHECK (name <> ''),
            public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
            -- The time and the Ed25519 signature, as in the line of the note.
            signature bytea NOT NULL CHECK (octet_length(signature) = 72),
            received_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, size, name, public_key),
            FOREIGN KEY (club_id, size) REFERENCES checkpoints (club_id, size)
        );
    """)
    one_club_at_a_time("cosignatures")
    append_only("cosignatures")
