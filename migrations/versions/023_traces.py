"""The traces of jobs and of messages to webhooks."""

from alembic import op

revision = "023"
down_revision = "022"


def upgrade() -> None:
    """
    Store the W3C `traceparent` of the transaction that creates a job or a message.

    The transaction has it in the setting `ofc.traceparent`, so that triggers which send messages store it too.
    """
    for table in ("jobs", "webhook_deliveries"):
        op.execute(f"""
            ALTER TABLE {table} ADD COLUMN traceparent text
                DEFAULT nullif(current_setting('ofc.traceparent', true), '')
                CONSTRAINT {table}_traceparent_check
                    CHECK (traceparent ~ '^00-[0-9a-f]{{32}}-[0-9a-f]{{16}}-0[01]$');
        """)
