"""The findings of the last verification of each club, and those that somebody has acknowledged."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "021"
down_revision = "020"


def upgrade() -> None:
    """
    Create the findings and their acknowledgements.

    The command writes the findings as the owner of the tables, in words and without texts that can be erased. The
    service reads them, and records which ones were acknowledged.
    """
    op.execute("""
        CREATE TABLE verification_findings (
            club_id uuid NOT NULL REFERENCES verifications,
            position integer NOT NULL CHECK (position > 0),
            -- Of the finding: the same in the next verification, if nothing has changed.
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            kind text NOT NULL CHECK (kind <> ''),
            place text NOT NULL CHECK (place <> ''),
            sentence text NOT NULL CHECK (sentence <> ''),
            -- No foreign key: a finding can be of a record that is missing.
            round_id uuid,
            hand integer,
            PRIMARY KEY (club_id, position)
        );
        CREATE INDEX verification_findings_of_round ON verification_findings (club_id, round_id);
        CREATE TABLE acknowledged_findings (
            club_id uuid NOT NULL,
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            id uuid NOT NULL,
            acknowledged_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, digest),
            FOREIGN KEY (club_id, id) REFERENCES events
        );
    """)
    one_club_at_a_time("verification_findings", "acknowledged_findings")
    append_only("acknowledged_findings")
    for table in ("verification_findings", "acknowledged_findings"):
        op.execute(f"""
            CREATE POLICY one_table ON {table} AS RESTRICTIVE FOR SELECT USING ((SELECT current_table()) IS NULL);
        """)
