"""Sessions of the console, the links that begin them, and the links that sign a phone in."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "014"
down_revision = "013"


def upgrade() -> None:
    """
    Create the sessions of the console: the hash of each secret, and the key with which it began.

    A link begins one session, or signs one phone in: it ends when it is used. All end with their key.
    """
    op.execute("""
        CREATE TABLE console_sessions (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            key_id uuid NOT NULL,
            kind text NOT NULL CHECK (kind IN ('link', 'phone', 'session')),
            secret_sha256 bytea NOT NULL CONSTRAINT console_sessions_secret_sha256_key UNIQUE
                CHECK (octet_length(secret_sha256) = 32),
            created_at timestamptz NOT NULL,
            expires_at timestamptz NOT NULL,
            ended_at timestamptz,
            PRIMARY KEY (club_id, id),
            FOREIGN KEY (club_id, key_id) REFERENCES api_keys,
            CONSTRAINT console_sessions_expire_later CHECK (expires_at > created_at)
        );
        CREATE INDEX console_sessions_by_end ON console_sessions (club_id, expires_at);
    """)
    one_club_at_a_time("console_sessions")
    op.execute("""
        CREATE POLICY secret ON console_sessions FOR SELECT
            USING (encode(secret_sha256, 'hex') = current_setting('ofc.secret_sha256', true));
        CREATE POLICY one_table ON console_sessions AS RESTRICTIVE FOR SELECT
            USING ((SELECT current_table()) IS NULL);

        CREATE FUNCTION find_console_session(wanted text, secret bytea)
            RETURNS TABLE (
                club_id uuid, id uuid, key_id uuid, key_name text, scopes text[], player text, expires_at timestamptz
            )
            LANGUAGE plpgsql AS $$
        DECLARE
            match console_sessions;
        BEGIN
            PERFORM set_config('ofc.secret_sha256', encode(secret, 'hex'), true);
            SELECT * INTO match FROM console_sessions AS session
                WHERE session.secret_sha256 = secret AND session.kind = wanted
                    AND session.ended_at IS NULL AND session.expires_at > now();
            IF NOT FOUND THEN
                RETURN;
            END IF;
            PERFORM set_config('ofc.club', match.club_id::text, true);
            RETURN QUERY
                SELECT match.club_id, match.id, key.id, coalesce(key.name, key.prefix), key.scopes, key.player,
                    match.expires_at
                FROM api_keys AS key
                WHERE key.club_id = match.club_id AND key.id = match.key_id
                    AND (key.revoked_at IS NULL OR key.revoked_at > now())
                    AND (key.expires_at IS NULL OR key.expires_at > now());
        END $$;
    """)
