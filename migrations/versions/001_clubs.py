"""Clubs and their keys, and the functions that all tables use."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "001"
down_revision = None


def upgrade() -> None:
    _functions()
    _clubs()
    _api_keys()


def _functions() -> None:
    """
    Create the functions of row-level security, of append-only tables, and of checks that add points.

    The schema `shared` is for objects that belong to no club and have no row-level security.
    """
    op.execute("""
        CREATE SCHEMA shared;

        CREATE FUNCTION current_club() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
            RETURN nullif(current_setting('ofc.club', true), '')::uuid;

        CREATE FUNCTION current_table() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
            RETURN nullif(current_setting('ofc.table', true), '')::uuid;

        CREATE FUNCTION current_round() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
            RETURN nullif(current_setting('ofc.round', true), '')::uuid;

        -- The player of a personal link.
        CREATE FUNCTION current_player() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
            RETURN nullif(current_setting('ofc.player', true), '');

        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '% on % is refused: its records are append-only', TG_OP, TG_TABLE_NAME
                USING ERRCODE = 'restrict_violation';
        END $$;

        -- The sum of the points of all seats. A loop is twice as fast as a sum over unnest().
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


def _clubs() -> None:
    """
    Create the clubs: every other record belongs to one.

    The owner of the tables sees all clubs, because commands find a club by its name. The policy reads the owner from
    the catalogue, so it works after a change of the owner. The sweeper lists the clubs with work for it.
    """
    op.execute("""
        CREATE TABLE clubs (
            id uuid PRIMARY KEY,
            name text NOT NULL CONSTRAINT clubs_name_key UNIQUE CHECK (name <> ''),
            created_at timestamptz NOT NULL,
            time_zone text NOT NULL DEFAULT 'UTC' CHECK (time_zone <> ''),
            evening_begins time NOT NULL DEFAULT '06:00',
            -- Whether a second auditor confirms what changes a final settlement.
            second_auditor boolean NOT NULL DEFAULT false
        );
    """)
    one_club_at_a_time("clubs", club="id")
    op.execute("""
        CREATE POLICY owner ON clubs
            USING (pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = 'clubs'::regclass), 'MEMBER'));

        CREATE POLICY list ON clubs FOR SELECT USING (current_setting('ofc.list_clubs', true) = 'on');

        CREATE FUNCTION refuse_change_of_club() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '% on % is refused: clubs are permanent', TG_OP, TG_TABLE_NAME
                USING ERRCODE = 'restrict_violation';
        END $$;

        CREATE TRIGGER permanent BEFORE UPDATE ON clubs FOR EACH ROW
            WHEN (OLD.id <> NEW.id) EXECUTE FUNCTION refuse_change_of_club();
        CREATE TRIGGER permanent_row BEFORE DELETE ON clubs
            FOR EACH ROW EXECUTE FUNCTION refuse_change_of_club();
        CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON clubs
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_club();
    """)


def _api_keys() -> None:
    """
    Create the API keys: the hash of each secret, and never the secret.

    A key is found by the hash of its secret before the club is known, and by the owner of the tables, whose commands
    find it by its prefix. A revocation can be in the future, so that a rotated key is valid until its holders have
    the new one. The clock of the database decides.
    """
    op.execute("""
        CREATE TABLE api_keys (
            club_id uuid NOT NULL REFERENCES clubs,
            id uuid NOT NULL,
            -- An erased name is NULL, with its salt, the key of the digest of the name in the event.
            name text,
            name_salt bytea CHECK (octet_length(name_salt) = 32),
            prefix text NOT NULL,
            secret_sha256 bytea NOT NULL CONSTRAINT api_keys_secret_sha256_key UNIQUE
                CHECK (octet_length(secret_sha256) = 32),
            scopes text[] NOT NULL CHECK (array_position(scopes, NULL) IS NULL),
            created_at timestamptz NOT NULL,
            expires_at timestamptz CONSTRAINT api_keys_expire_later CHECK (expires_at > created_at),
            revoked_at timestamptz,
            last_used_at timestamptz,
            -- The operator's ID of the player who uses the key; they decide no dispute of a round that they sat in.
            player text CHECK (player <> ''),
            -- The key that created it, or that it replaces; the operator's command has neither.
            created_by uuid,
            replaces uuid,
            PRIMARY KEY (club_id, id),
            FOREIGN KEY (club_id, created_by) REFERENCES api_keys,
            FOREIGN KEY (club_id, replaces) REFERENCES api_keys,
            CONSTRAINT api_keys_name_check CHECK ((name IS NULL) = (name_salt IS NULL))
        );
        -- Statistics are samples of the values, so they would contain names that were erased.
        ALTER TABLE api_keys ALTER COLUMN name SET STATISTICS 0;
    """)
    one_club_at_a_time("api_keys")
    op.execute("""
        CREATE TRIGGER name_erased_only BEFORE UPDATE ON api_keys FOR EACH ROW
            WHEN (NEW.name IS NOT NULL AND NEW.name IS DISTINCT FROM OLD.name
                OR NEW.name_salt IS NOT NULL AND NEW.name_salt IS DISTINCT FROM OLD.name_salt)
            EXECUTE FUNCTION refuse_change();

        CREATE POLICY secret ON api_keys FOR SELECT
            USING (encode(secret_sha256, 'hex') = current_setting('ofc.secret_sha256', true));

        CREATE POLICY owner ON api_keys FOR SELECT USING (
            pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = 'api_keys'::regclass), 'MEMBER')
        );
    """)
    _creation()
    _revocation()


def _creation() -> None:
    """
    Create the function with which the service creates a key of its club, as a valid key of it with the scope `admin`.

    The new key has no scope that the other one lacks, and ends no later. The function has the rights of the tables'
    owner, because the service cannot insert keys. Temporary tables are searched last: those of the service could have
    the names of others, and triggers that run with these rights.

    The lock waits for a revocation that is not committed yet, and a later one waits for the transaction. The clock is
    that of the check, because a key can have been revoked since the transaction began. The time of the creation is an
    argument, because it is also that of the event.
    """
    op.execute("""
        CREATE FUNCTION create_key(
            creator_id uuid, key_id uuid, key_name text, key_name_salt bytea, key_prefix text, key_secret_sha256 bytea,
            key_scopes text[], key_created_at timestamptz, key_expires_at timestamptz, key_player text
        ) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
        DECLARE
            creator api_keys;
            refusal text;
        BEGIN
            SELECT * INTO creator FROM api_keys AS key
                WHERE key.club_id = current_club() AND key.id = creator_id FOR SHARE;
            IF NOT FOUND OR least(creator.expires_at, creator.revoked_at) <= clock_timestamp() THEN
                RAISE EXCEPTION 'the key % is not a valid key of the club, so it creates no key', creator_id
                    USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'api_keys_creator_valid';
            ELSIF NOT creator.scopes && ARRAY['admin', '*'] THEN
                refusal := 'it lacks the scope admin';
            ELSIF NOT ('*' = ANY (creator.scopes) OR key_scopes <@ creator.scopes) THEN
                refusal := 'the new key has scopes that it lacks';
            ELSIF coalesce(key_expires_at, 'infinity') > least(creator.expires_at, creator.revoked_at) THEN
                refusal := 'the new key ends later';
            END IF;
            IF refusal IS NOT NULL THEN
                RAISE EXCEPTION 'the key % does not create this key: %', creator_id, refusal
                    USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'api_keys_creator_check';
            END IF;
            INSERT INTO api_keys (
                club_id, id, name, name_salt, prefix, secret_sha256, scopes, created_at, expires_at, player, created_by
            ) VALUES (
                creator.club_id, key_id, key_name, key_name_salt, key_prefix, key_secret_sha256, key_scopes,
                key_created_at, key_expires_at, key_player, creator.id
            );
        END $$;
    """)


def _revocation() -> None:
    """
    Create the function with which the service revokes a key of its club immediately.

    It has the rights of the tables' owner, as `create_key` has, because the service cannot restore revoked keys.
    """
    op.execute("""
        CREATE FUNCTION revoke_key(key_id uuid) RETURNS timestamptz LANGUAGE plpgsql
            SECURITY DEFINER SET search_path = public, pg_temp AS $$
        DECLARE
            ended timestamptz;
        BEGIN
            UPDATE api_keys AS key SET revoked_at = now()
                WHERE key.club_id = current_club() AND key.id = key_id
                    AND (key.revoked_at IS NULL OR key.revoked_at > now())
                RETURNING key.revoked_at INTO ended;
            RETURN ended;
        END $$;
    """)
