"""The events that made tables and added rules, found at once."""

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Let the evidence of a round find the event of its table and those of its rules among all others."""
    op.execute("""
        CREATE INDEX events_of_tables_and_rules ON events (club_id, kind)
            WHERE kind IN ('table.created', 'ruleset.added');
    """)
