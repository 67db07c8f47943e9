"""${message}."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    op.execute("""
    """)
