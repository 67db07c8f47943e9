"""Corrections of rounds, and irregular hands."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """
    Create the requests of corrections, with the revisions that they created.

    The reasons of an irregular hand are stored, because computing them again needs a replay of the round.
    """
    op.execute("""
        ALTER TABLE hand_scores ADD COLUMN irregular jsonb
            CONSTRAINT hand_scores_irregular_check CHECK (
                jsonb_typeof(irregular) = 'array' AND jsonb_array_length(irregular) > 0
            );

        CREATE TABLE corrections (
            club_id uuid NOT NULL,
            round_id uuid NOT NULL,
            revision integer NOT NULL CHECK (revision > 1),
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            submission_id uuid NOT NULL,
            dispute uuid,
            PRIMARY KEY (club_id, round_id, revision),
            FOREIGN KEY (club_id, round_id, revision) REFERENCES settlements,
            FOREIGN KEY (club_id, submission_id) REFERENCES submissions
        );
        CREATE INDEX corrections_digest ON corrections (club_id, round_id, digest);
    """)
    one_club_at_a_time("corrections")
    append_only("corrections")
