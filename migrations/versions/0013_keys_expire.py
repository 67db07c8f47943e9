"""Keys that expire."""

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """
    Add the expiry of a key, which is set at its creation.

    The time of a revocation is a separate column, which is set later.
    """
    op.execute("""
        ALTER TABLE api_keys
            ADD COLUMN expires_at timestamptz,
            ADD CONSTRAINT api_keys_expire_later CHECK (expires_at > created_at);

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
            IF opened.last_used_at IS NULL OR opened.last_used_at < now() - interval '1 minute' THEN
                PERFORM set_config('ofc.club', opened.club_id::text, true);
                UPDATE api_keys AS key SET last_used_at = now()
                    WHERE key.club_id = opened.club_id AND key.id = opened.id;
            END IF;
            RETURN QUERY SELECT opened.club_id, opened.id, opened.name, opened.scopes;
        END $$;
    """)
