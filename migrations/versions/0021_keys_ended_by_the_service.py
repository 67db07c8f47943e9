"""Keys that the service can end."""

from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """
    Let the service end a key of the club that it works for, at once, and do nothing else to it.

    The function has the rights of the tables' owner. What the service itself may do with keys stays as it was: it can
    neither make one nor let one that has ended open anything again.
    """
    op.execute("""
        CREATE FUNCTION end_key(ending uuid) RETURNS timestamptz LANGUAGE plpgsql
            SECURITY DEFINER SET search_path FROM CURRENT AS $$
        DECLARE
            ended timestamptz;
        BEGIN
            UPDATE api_keys AS key SET revoked_at = now()
                WHERE key.club_id = current_club() AND key.id = ending
                    AND (key.revoked_at IS NULL OR key.revoked_at > now())
                RETURNING key.revoked_at INTO ended;
            RETURN ended;
        END $$;
    """)
