"""Hands that were accepted as played although they could have followed."""

from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """
    Store that a hand was accepted as played even where it has no reason to be irregular.

    The mark alone keeps the round open until that hand, so it belongs to the record.
    """
    op.execute("""
        ALTER TABLE hand_scores
            DROP CONSTRAINT hand_scores_irregular_check,
            ADD CONSTRAINT hand_scores_irregular_check CHECK (jsonb_typeof(irregular) = 'array')
    """)
