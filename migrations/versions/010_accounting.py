"""The time zone of a club, when its evenings begin, and statistics of players."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "010"
down_revision = "009"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE clubs
            ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC' CHECK (time_zone <> ''),
            ADD COLUMN evening_begins time NOT NULL DEFAULT '06:00';
    """)
    _statistics()
    _changes()
    one_club_at_a_time("round_statistics", "unmeasured_rounds")
    _clubs()


def _statistics() -> None:
    """
    Create the figures of each player in each round, which workers compute from the records.

    The index contains every figure, so that those of a player are read from it alone.
    """
    op.execute("""
        CREATE TABLE round_statistics (
            club_id uuid NOT NULL REFERENCES clubs,
            round_id uuid NOT NULL,
            player text NOT NULL,
            table_id uuid NOT NULL,
            ruleset_name text NOT NULL,
            ruleset_version integer NOT NULL,
            opened_at timestamptz NOT NULL,
            hands integer NOT NULL CHECK (hands > 0),
            points bigint NOT NULL,
            squares numeric NOT NULL,
            fouls integer NOT NULL,
            fantasyland_entered integer NOT NULL,
            fantasyland_stayed integer NOT NULL,
            royalties_top bigint NOT NULL,
            royalties_middle bigint NOT NULL,
            royalties_bottom bigint NOT NULL,
            scoops integer NOT NULL,
            not_received bigint NOT NULL,
            not_paid bigint NOT NULL,
            PRIMARY KEY (club_id, round_id, player)
        );
        CREATE INDEX round_statistics_of_player ON round_statistics (club_id, player, opened_at) INCLUDE (
            round_id, table_id, ruleset_name, ruleset_version, hands, points, squares, fouls, fantasyland_entered,
            fantasyland_stayed, royalties_top, royalties_middle, royalties_bottom, scoops, not_received, not_paid
        );
    """)


def _changes() -> None:
    """Create the list of rounds to measure. Each change adds a row, so that no transaction waits for another."""
    op.execute("""
        CREATE TABLE unmeasured_rounds (
            club_id uuid NOT NULL REFERENCES clubs,
            id uuid NOT NULL DEFAULT gen_random_uuid(),
            round_id uuid NOT NULL,
            PRIMARY KEY (club_id, id)
        );
        CREATE INDEX unmeasured_rounds_of_round ON unmeasured_rounds (club_id, round_id);

        CREATE FUNCTION note_unmeasured_round() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO unmeasured_rounds (club_id, round_id) VALUES (NEW.club_id, NEW.round_id);
            RETURN NULL;
        END $$;

        CREATE TRIGGER unmeasured_when_inserted AFTER INSERT ON round_heads
            FOR EACH ROW WHEN (NEW.hands > 0) EXECUTE FUNCTION note_unmeasured_round();
        CREATE TRIGGER unmeasured_when_changed AFTER UPDATE ON round_heads
            FOR EACH ROW
            WHEN (OLD.revision <> NEW.revision OR OLD.hands <> NEW.hands OR OLD.stacks <> NEW.stacks)
            EXECUTE FUNCTION note_unmeasured_round();
    """)


def _clubs() -> None:
    """Create the function that finds clubs with rounds to measure."""
    op.execute("""
        CREATE FUNCTION clubs_with_unmeasured_rounds() RETURNS SETOF uuid LANGUAGE plpgsql AS $$
        DECLARE
            clubs_there uuid[];
            club uuid;
        BEGIN
            PERFORM set_config('ofc.list_clubs', 'on', true);
            SELECT array_agg(id ORDER BY id) INTO clubs_there FROM clubs;
            PERFORM set_config('ofc.list_clubs', '', true);
            FOREACH club IN ARRAY coalesce(clubs_there, '{}') LOOP
                PERFORM set_config('ofc.club', club::text, true);
                IF EXISTS (SELECT FROM unmeasured_rounds WHERE club_id = club) THEN
                    RETURN NEXT club;
                END IF;
            END LOOP;
            PERFORM set_config('ofc.club', '', true);
        END $$;
    """)
