"""The time zone of a club, and when its evenings begin."""

from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE clubs
            ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC' CHECK (time_zone <> ''),
            ADD COLUMN evening_begins time NOT NULL DEFAULT '06:00';
    """)
