"""What recomputations found to be stored otherwise than it is computed."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """
    Keep differences for good.

    Numbers rise with the chunks of the job and within each, so that the list has one order whoever found what first.
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
