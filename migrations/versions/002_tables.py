"""Rulesets, tables and players, with their aliases."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "002"
down_revision = "001"


def upgrade() -> None:
    _rulesets_and_tables()
    _players()
    _aliases()
    _ids_of_player()


def _rulesets_and_tables() -> None:
    """
    Create the rulesets, which never change, and the tables.

    A preset is copied into a club when it is first used there, so that every round is stored with its rules.

    A table has what its next round is opened with; rounds have their own copy. Of the tables that are not archived, one
    has a name.
    """
    op.execute("""
        CREATE TABLE rulesets (
            club_id uuid NOT NULL REFERENCES clubs,
            name text NOT NULL,
            version integer NOT NULL CHECK (version >= 1),
            content jsonb NOT NULL,
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            created_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, name, version)
        );

        CREATE TABLE tables (
            club_id uuid NOT NULL REFERENCES clubs,
            id uuid NOT NULL,
            name text NOT NULL CHECK (name <> ''),
            ruleset_name text NOT NULL,
            ruleset_version integer NOT NULL,
            point_value bigint CHECK (point_value >= 0),
            unit text CHECK (unit ~ '^[A-Za-z][A-Za-z0-9]{1,11}$'),
            unit_digits smallint CHECK (unit_digits BETWEEN 0 AND 8),
            -- What the house charges every player for a hand or a round, in the unit of the points.
            charge_per text CHECK (charge_per IN ('hand', 'round')),
            charge_amount bigint CHECK (charge_amount > 0),
            minimum_stack bigint CHECK (minimum_stack >= 0),
            correction_window_minutes integer NOT NULL CHECK (correction_window_minutes >= 0),
            created_at timestamptz NOT NULL,
            archived_at timestamptz,
            -- The client's own ID.
            reference text CHECK (reference <> ''),
            PRIMARY KEY (club_id, id),
            CONSTRAINT tables_charge_check CHECK ((charge_per IS NULL) = (charge_amount IS NULL)),
            CONSTRAINT tables_unit_has_digits_check CHECK ((unit IS NULL) = (unit_digits IS NULL)),
            FOREIGN KEY (club_id, ruleset_name, ruleset_version) REFERENCES rulesets
        );
        CREATE UNIQUE INDEX tables_name_key ON tables (club_id, name) WHERE archived_at IS NULL;
        CREATE INDEX tables_archived_name ON tables (club_id, name, id) WHERE archived_at IS NOT NULL;
        CREATE UNIQUE INDEX tables_reference_key ON tables (club_id, reference) WHERE reference IS NOT NULL;
    """)
    one_club_at_a_time("rulesets", "tables")
    append_only("rulesets")
    op.execute("""
        CREATE TRIGGER permanent BEFORE DELETE ON tables
            FOR EACH ROW EXECUTE FUNCTION refuse_change();
        CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON tables
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
    """)


def _players() -> None:
    """
    Create the only table of display names, which can be changed and erased.

    No table refers to it: records contain the operator's ids of players, and no names.
    """
    op.execute("""
        CREATE TABLE players (
            club_id uuid NOT NULL REFERENCES clubs,
            player text NOT NULL CHECK (player <> ''),
            -- The order of lists.
            id uuid NOT NULL,
            display_name text NOT NULL CHECK (display_name <> ''),
            -- The key of the digest of the name in its event.
            salt bytea NOT NULL CHECK (length(salt) = 32),
            named_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, player),
            CONSTRAINT players_id_key UNIQUE (club_id, id)
        );
        -- Statistics are samples of the values, so they would contain names that were erased.
        ALTER TABLE players ALTER COLUMN display_name SET STATISTICS 0;
    """)
    one_club_at_a_time("players")


def _aliases() -> None:
    """
    Create the aliases: one row for each ID that is joined to another one, because both are of one person.

    No table refers to it: records contain the IDs that were sent, and a join changes none of them. A player who has
    aliases is no alias, because joins of a club wait for each other. A row has the ID of its event, whose order is that
    of all joins of the club.
    """
    op.execute("""
        CREATE TABLE aliases (
            club_id uuid NOT NULL REFERENCES clubs,
            alias text NOT NULL CHECK (alias <> ''),
            player text NOT NULL CHECK (player <> ''),
            id uuid NOT NULL,
            joined_at timestamptz NOT NULL,
            PRIMARY KEY (club_id, alias),
            CONSTRAINT aliases_id_key UNIQUE (club_id, id),
            CONSTRAINT aliases_other_check CHECK (alias <> player)
        );
        CREATE INDEX aliases_of_player ON aliases (club_id, player);
    """)
    one_club_at_a_time("aliases")


def _ids_of_player() -> None:
    """
    Create the function by which policies and functions find what is recorded under any ID of a player.

    PostgreSQL calls such a function for every row that it compares, unless the filter calls it in a subquery of its
    own, which runs once in a statement.
    """
    op.execute("""
        CREATE FUNCTION ids_of_player(known_as text) RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE RETURN (
            SELECT ARRAY[known.player] || ARRAY(
                SELECT joined.alias FROM aliases AS joined
                WHERE joined.club_id = current_club() AND joined.player = known.player
            )
            FROM (
                SELECT coalesce((
                    SELECT own.player FROM aliases AS own
                    WHERE own.club_id = current_club() AND own.alias = known_as
                ), known_as) AS player
            ) AS known
        );
    """)
