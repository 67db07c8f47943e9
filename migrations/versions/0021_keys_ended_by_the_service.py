"""Revocation of keys by the service."""

from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """
    Create the function with which the service revokes a key of its club immediately.

    The function has the rights of the tables' owner. The service still cannot create keys or restore revoked ones.
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
