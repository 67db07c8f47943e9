"""Differences found by recomputations."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """
    Create the differences between stored and recomputed results.

    Numbers increase with the chunks of the job and within each chunk, so that the list has one order.
    """
    op.execute("""
        CREATE TABLE differences (
            club_id uuid NOT NULL,
            job_id uuid NOT NULL,
            number bigint NOT NULL CHECK (number >= 0),
            round_id uuid,
            hand integer CHECK (hand >= 1),
            what text NOT NULL CHECK (what <> ''),
            stored jsonb,
            computed jsonb,
            detail text,
            PRIMARY KEY (club_id, job_id, number),
            FOREIGN KEY (club_id, job_id) REFERENCES jobs
        );
    """)
    one_club_at_a_time("differences")
    append_only("differences")
