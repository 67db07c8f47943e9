"""Links to one table, one round or the club: their records, and what their transactions see."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "012"
down_revision = "011"


def upgrade() -> None:
    _links()
    _authentication()
    _ended_links()
    _one_table_or_round_at_a_time()


def _links() -> None:
    """
    Create the links: the hash of each secret, and never the secret.

    A link belongs to the key that issued it and, unless it is for the club, to a table. One that shows a round only
    belongs to this round of its table. A revocation is permanent.
    """
    op.execute("""
        CREATE TABLE links (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            table_id uuid,
            round_id uuid,
            key_id uuid NOT NULL,
            kind text NOT NULL CHECK (kind IN ('scorekeeper', 'viewer', 'player', 'club')),
            -- An erased label is NULL, with its salt, the key of the digest of the label in the event.
            label text,
            label_salt bytea CHECK (octet_length(label_salt) = 32),
            secret_sha256 bytea NOT NULL CONSTRAINT links_secret_sha256_key UNIQUE
                CHECK (octet_length(secret_sha256) = 32),
            scopes text[] NOT NULL CHECK (array_position(scopes, NULL) IS NULL),
            created_at timestamptz NOT NULL,
            expires_at timestamptz NOT NULL,
            revoked_at timestamptz,
            last_used_at timestamptz,
            -- The operator's ID of the player of a personal link, as in rounds.
            player text,
            PRIMARY KEY (club_id, id),
            FOREIGN KEY (club_id, table_id) REFERENCES tables,
            FOREIGN KEY (club_id, table_id, round_id) REFERENCES rounds (club_id, table_id, id),
            FOREIGN KEY (club_id, key_id) REFERENCES api_keys,
            CONSTRAINT links_label_check CHECK ((label IS NULL) = (label_salt IS NULL)),
            CONSTRAINT links_player_check CHECK ((kind = 'player') = (player IS NOT NULL)),
            CONSTRAINT links_table_check CHECK ((kind = 'club') = (table_id IS NULL)),
            CONSTRAINT links_scorekeeper_check CHECK (kind NOT IN ('scorekeeper', 'club') OR round_id IS NULL),
            CONSTRAINT links_expire_later CHECK (expires_at > created_at)
        );
        CREATE INDEX links_of_table ON links (club_id, table_id, id);
        -- Statistics are samples of the values, so they would contain labels that were erased.
        ALTER TABLE links ALTER COLUMN label SET STATISTICS 0;
    """)
    one_club_at_a_time("links")
    op.execute("""
        CREATE POLICY secret ON links FOR SELECT
            USING (encode(secret_sha256, 'hex') = current_setting('ofc.secret_sha256', true));

        CREATE TRIGGER revoked_once BEFORE UPDATE ON links FOR EACH ROW
            WHEN (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
            EXECUTE FUNCTION refuse_change();
        CREATE TRIGGER label_erased_only BEFORE UPDATE ON links FOR EACH ROW
            WHEN (NEW.label IS NOT NULL AND NEW.label IS DISTINCT FROM OLD.label
                OR NEW.label_salt IS NOT NULL AND NEW.label_salt IS DISTINCT FROM OLD.label_salt)
            EXECUTE FUNCTION refuse_change();
        CREATE TRIGGER permanent BEFORE DELETE ON links
            FOR EACH ROW EXECUTE FUNCTION refuse_change();
        CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON links
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
    """)


def _authentication() -> None:
    """
    Create the function that finds the key or the link of a secret.

    It has no special rights: it sets the hash for the transaction, and the policies do the rest. Without a valid key it
    leaves no club set. A link is valid as long as the key that issued it, and has only scopes that this key has.
    `table_id` is null for a key and for a link to the club, which `is_link` distinguishes, `round_id` for a link that
    shows its table, and `player` for what is not personal.
    `declared_player` uses the key, or the key that issued the link, or has the personal link.

    It changes nothing, so that a read never waits for a standby. `is_use_due` says that the last use is to be recorded:
    at most once a minute, because all requests of a key change the same row, and not on a read-only server.
    """
    op.execute("""
        CREATE FUNCTION authenticate_key(secret bytea)
            RETURNS TABLE (
                club_id uuid, id uuid, name text, scopes text[], table_id uuid, round_id uuid, player text,
                declared_player text, is_link boolean, is_use_due boolean
            )
            LANGUAGE plpgsql AS $$
        DECLARE
            match api_keys;
            link links;
            is_read_only boolean := pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean;
        BEGIN
            PERFORM set_config('ofc.secret_sha256', encode(secret, 'hex'), true);
            SELECT * INTO match FROM api_keys AS key
                WHERE key.secret_sha256 = secret
                    AND (key.revoked_at IS NULL OR key.revoked_at > now())
                    AND (key.expires_at IS NULL OR key.expires_at > now());
            IF FOUND THEN
                RETURN QUERY SELECT match.club_id, match.id, coalesce(match.name, match.prefix), match.scopes,
                    NULL::uuid, NULL::uuid, NULL::text, match.player, false,
                    coalesce(match.last_used_at < now() - interval '1 minute', true) AND NOT is_read_only;
                RETURN;
            END IF;
            SELECT * INTO link FROM links AS issued
                WHERE issued.secret_sha256 = secret AND issued.revoked_at IS NULL AND issued.expires_at > now();
            IF NOT FOUND THEN
                RETURN;
            END IF;
            PERFORM set_config('ofc.club', link.club_id::text, true);
            SELECT * INTO match FROM api_keys AS key
                WHERE key.club_id = link.club_id AND key.id = link.key_id
                    AND (key.revoked_at IS NULL OR key.revoked_at > now())
                    AND (key.expires_at IS NULL OR key.expires_at > now());
            IF NOT FOUND THEN
                PERFORM set_config('ofc.club', '', true);
                RETURN;
            END IF;
            RETURN QUERY SELECT link.club_id, link.id, coalesce(link.label, link.kind), ARRAY(
                SELECT held.scope FROM unnest(link.scopes) AS held (scope)
                WHERE held.scope = ANY (match.scopes) OR '*' = ANY (match.scopes)
            ), link.table_id, link.round_id, link.player, coalesce(link.player, match.player), true,
                coalesce(link.last_used_at < now() - interval '1 minute', true) AND NOT is_read_only;
        END $$;
    """)


def _ended_links() -> None:
    """
    Create the function that distinguishes a link that has ended from one that never existed.

    The page of an ended link says so to whoever has its secret. As `authenticate_key`, it has no special rights: the
    policy `secret` shows the row of the secret that the setting names.
    """
    op.execute("""
        CREATE FUNCTION is_link_for_pages(secret bytea) RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM set_config('ofc.secret_sha256', encode(secret, 'hex'), true);
            RETURN EXISTS (
                SELECT FROM links AS link WHERE link.secret_sha256 = secret AND link.kind IN ('viewer', 'player')
            );
        END $$;
    """)


_WHOLE_CLUB = "(SELECT current_table()) IS NULL"
_AT_TABLE = f"CASE WHEN {_WHOLE_CLUB} THEN true ELSE {{}} END"
"""PostgreSQL assumes that `current_table() IS NULL OR table_id = current_table()` excludes almost all rows."""
_IN_ROUND = "CASE WHEN (SELECT current_round()) IS NULL THEN true ELSE {} = (SELECT current_round()) END"


def _one_table_or_round_at_a_time() -> None:
    """
    Restrict a transaction to one table, if the setting `ofc.table` names one, and to one round of it by `ofc.round`.

    Other rows of a round are read by way of its head or its table, and what has no table is not needed at a table. The
    subquery reads the setting once in a statement and not for every row. The statements of a table are sums of the
    figures of its rounds. Entries of events have no round: whoever sees one round only sees none of them.
    """
    at_table = "table_id = (SELECT current_table())"
    in_round = f"{at_table} AND {_IN_ROUND.format('round_id')}"
    of_round = f"""EXISTS (
        SELECT FROM round_heads AS head
        WHERE head.club_id = hands.club_id AND head.round_id = hands.round_id
            AND head.table_id = (SELECT current_table()) AND {_IN_ROUND.format("head.round_id")}
    )"""
    changed = {
        "tables": "id = (SELECT current_table())",
        "rounds": f"{at_table} AND {_IN_ROUND.format('id')}",
        **dict.fromkeys(("round_heads", "disputes", "links"), in_round),
    }
    read = {
        "hands": of_round,
        "feed_entries": f"{at_table} AND (SELECT current_round()) IS NULL",
        "round_statistics": in_round,
    }
    for table, condition in changed.items():
        op.execute(f"CREATE POLICY one_table ON {table} AS RESTRICTIVE USING ({_AT_TABLE.format(condition)})")
    for table, condition in read.items():
        op.execute(
            f"CREATE POLICY one_table ON {table} AS RESTRICTIVE FOR SELECT USING ({_AT_TABLE.format(condition)})"
        )
    for table in ("api_keys", "players", "jobs"):
        op.execute(f"CREATE POLICY one_table ON {table} AS RESTRICTIVE FOR SELECT USING ({_WHOLE_CLUB})")
