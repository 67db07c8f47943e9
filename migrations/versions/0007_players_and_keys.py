"""Display names that can be erased, and keys that are revoked at a set time."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    _players()
    _owner_sees_keys()
    _keys_end()


def _players() -> None:
    """
    Create the only table of display names, which can be changed and erased.

    No table refers to it. Records contain only the operator's IDs of players.
    """
    op.execute("""
        CREATE TABLE players (
            club_id uuid NOT NULL REFERENCES clubs,
            player text NOT NULL CHECK (player <> ''),
            -- For the order of lists.
            id uuid NOT NULL,
            display_name text NOT NULL CHECK (display_name <> ''),
            named_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, player),
            CONSTRAINT players_id_key UNIQUE (club_id, id)
        );
        -- Statistics are samples of the values, and would keep a name that was erased.
        ALTER TABLE players ALTER COLUMN display_name SET STATISTICS 0;
    """)
    one_club_at_a_time("players")


def _owner_sees_keys() -> None:
    """Add a policy that allows the owner of the tables to find a key by its prefix."""
    op.execute("""
        CREATE POLICY owner ON api_keys FOR SELECT USING (
            pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = 'api_keys'::regclass), 'MEMBER')
        );
    """)


def _keys_end() -> None:
    """
    Allow a revocation in the future, so that a rotated key is valid until its holders have the new one.

    The clock of the database decides. Secrets are compared by their hashes, which prevents timing attacks.
    """
    op.execute("""
        CREATE OR REPLACE FUNCTION authenticate_key(secret bytea)
            RETURNS TABLE (club_id uuid, id uuid, name text, scopes text[]) LANGUAGE plpgsql AS $$
        DECLARE
            opened api_keys;
        BEGIN
            PERFORM set_config('ofc.secret_sha256', encode(secret, 'hex'), true);
            SELECT * INTO opened FROM api_keys AS key
                WHERE key.secret_sha256 = secret AND (key.revoked_at IS NULL OR key.revoked_at > now());
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
