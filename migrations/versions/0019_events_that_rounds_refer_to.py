"""An index of the events of tables and rulesets."""

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Create an index of the events of tables and rulesets, for the evidence of a round."""
    op.execute("""
        CREATE INDEX events_of_tables_and_rules ON events (club_id, kind)
            WHERE kind IN ('table.created', 'ruleset.added');
    """)
