"""Authentication in a read-only database."""

from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    """Record the last use of a key only if the database is writable, so that a standby can be read."""
    op.execute("""
        CREATE OR REPLACE FUNCTION authenticate_key(secret bytea)
            RETURNS TABLE (club_id uuid, id uuid, name text, scopes text[]) LANGUAGE plpgsql AS $$
        DECLARE
            opened api_keys;
        BEGIN
            PERFORM set_config('ofc.secret_sha256', encode(secret, 'hex'), true);
            SELECT * INTO opened FROM api_keys AS key
                WHERE key.secret_sha256 = secret
                    AND (key.revoked_at IS NULL OR key.revoked_at > now())
                    AND (key.expires_at IS NULL OR key.expires_at > now());
            IF NOT FOUND THEN
                RETURN;
            END IF;
            IF (opened.last_used_at IS NULL OR opened.last_used_at < now() - interval '1 minute')
                AND NOT current_setting('transaction_read_only')::boolean
            THEN
                PERFORM set_config('ofc.club', opened.club_id::text, true);
                UPDATE api_keys AS key SET last_used_at = now()
                    WHERE key.club_id = opened.club_id AND key.id = opened.id;
            END IF;
            RETURN QUERY SELECT opened.club_id, opened.id, opened.name, opened.scopes;
        END $$;
    """)
