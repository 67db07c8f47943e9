"""Clubs, their keys, and row-level security."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "0001"
down_revision = None


def upgrade() -> None:
    _functions()
    op.execute("""
        CREATE TABLE clubs (
            id uuid PRIMARY KEY,
            name text NOT NULL CONSTRAINT clubs_name_key UNIQUE CHECK (name <> ''),
            created_at timestamptz NOT NULL
        );

        CREATE TABLE api_keys (
            club_id uuid NOT NULL REFERENCES clubs,
            id uuid NOT NULL,
            name text NOT NULL,
            prefix text NOT NULL,
            -- The secret itself is nowhere.
            secret_sha256 bytea NOT NULL CONSTRAINT api_keys_secret_sha256_key UNIQUE
                CHECK (octet_length(secret_sha256) = 32),
            scopes text[] NOT NULL CHECK (array_position(scopes, NULL) IS NULL),
            created_at timestamptz NOT NULL,
            revoked_at timestamptz,
            last_used_at timestamptz,
            PRIMARY KEY (club_id, id)
        );
    """)
    one_club_at_a_time("clubs", club="id")
    one_club_at_a_time("api_keys")
    _who_sees_more()
    _authentication()


def _functions() -> None:
    op.execute("""
        CREATE FUNCTION current_club() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
            RETURN nullif(current_setting('ofc.club', true), '')::uuid;

        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '% on % is refused: its records stay as they are, and what supersedes one is put beside it',
                TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
        END $$;

        -- Points of all seats together. A loop, for it is twice as fast as a sum over unnest().
        CREATE FUNCTION points_sum(points bigint[]) RETURNS numeric LANGUAGE plpgsql
            IMMUTABLE STRICT PARALLEL SAFE AS $$
        DECLARE
            total numeric := 0;
            point bigint;
        BEGIN
            FOREACH point IN ARRAY points LOOP
                total := total + point;
            END LOOP;
            RETURN total;
        END $$;
    """)


def _who_sees_more() -> None:
    """
    Add policies that allow the owner to find a club by its name, and a secret to find its key.

    The policies read the owner from the catalogue, so they work after a change of the owner.
    """
    op.execute("""
        CREATE POLICY owner ON clubs
            USING (pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = 'clubs'::regclass), 'MEMBER'));

        CREATE POLICY secret ON api_keys FOR SELECT
            USING (encode(secret_sha256, 'hex') = current_setting('ofc.secret_sha256', true));
    """)


def _authentication() -> None:
    """
    Create the function that finds the key of a secret before the club is known.

    The function has no rights of its own: it names the secret's hash and its club for the transaction, as anybody may,
    and the policies do the rest. The last use is written once a minute at most, for a row that all requests write would
    be what they all wait for.
    """
    op.execute("""
        CREATE FUNCTION authenticate_key(secret bytea)
            RETURNS TABLE (club_id uuid, id uuid, name text, scopes text[]) LANGUAGE plpgsql AS $$
        DECLARE
            opened api_keys;
        BEGIN
            PERFORM set_config('ofc.secret_sha256', encode(secret, 'hex'), true);
            SELECT * INTO opened FROM api_keys AS key WHERE key.secret_sha256 = secret AND key.revoked_at IS NULL;
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
