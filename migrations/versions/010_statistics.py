"""Sums of rounds: of each player, and of each player against each opponent."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "010"
down_revision = "009"


def upgrade() -> None:
    _statistics()
    _opponents()
    _changes()
    one_club_at_a_time("round_statistics", "round_opponents", "unmeasured_rounds")
    _clubs()


def _statistics() -> None:
    """
    Create the figures of each player in each round, which workers compute from the records.

    Players without hands have a row too, because a statement lists them. The figures of a player, and the results of a
    period, are read from the indexes alone. The points of each hand are in no index, because an entry of an index has a
    greatest size.
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
            hands integer NOT NULL CHECK (hands >= 0),
            points bigint NOT NULL,
            squares numeric NOT NULL,
            fouls integer NOT NULL,
            fantasyland_hands integer NOT NULL,
            fantasyland_entered integer NOT NULL,
            fantasyland_stayed integer NOT NULL,
            royalties_top bigint NOT NULL,
            royalties_middle bigint NOT NULL,
            royalties_bottom bigint NOT NULL,
            scoops integer NOT NULL,
            not_received bigint NOT NULL,
            not_paid bigint NOT NULL,
            best bigint NOT NULL,
            worst bigint NOT NULL,
            -- The place among the players of the round. Rounds are counted by their first players.
            place smallint NOT NULL CHECK (place >= 1),
            point_value bigint,
            currency text,
            top_ups bigint NOT NULL,
            received bigint NOT NULL,
            paid bigint NOT NULL,
            from_rows bigint NOT NULL,
            from_bonuses bigint NOT NULL,
            from_royalties bigint NOT NULL,
            from_fouls bigint NOT NULL,
            points_by_hand bigint[] NOT NULL,
            PRIMARY KEY (club_id, round_id, player),
            CONSTRAINT round_statistics_fantasyland_hands_check CHECK (fantasyland_hands BETWEEN 0 AND hands),
            CONSTRAINT round_statistics_best_is_not_worst CHECK (best >= worst),
            CONSTRAINT round_statistics_every_hand_check CHECK (cardinality(points_by_hand) = hands)
        );
        CREATE INDEX round_statistics_of_player ON round_statistics (club_id, player, opened_at) INCLUDE (
            round_id, table_id, ruleset_name, ruleset_version, hands, points, squares, fouls, fantasyland_hands,
            fantasyland_entered, fantasyland_stayed, royalties_top, royalties_middle, royalties_bottom, scoops,
            not_received, not_paid, best, worst, point_value, currency, top_ups, received, paid, from_rows,
            from_bonuses, from_royalties, from_fouls
        );
        CREATE INDEX round_statistics_of_period ON round_statistics (club_id, opened_at) INCLUDE (
            round_id, table_id, player, place, point_value, currency, top_ups, received, paid
        );
    """)


def _opponents() -> None:
    """Create the figures of each player against each opponent in each round."""
    op.execute("""
        CREATE TABLE round_opponents (
            club_id uuid NOT NULL REFERENCES clubs,
            round_id uuid NOT NULL,
            player text NOT NULL,
            opponent text NOT NULL CHECK (opponent <> player),
            table_id uuid NOT NULL,
            ruleset_name text NOT NULL,
            ruleset_version integer NOT NULL,
            opened_at timestamptz NOT NULL,
            hands integer NOT NULL CHECK (hands > 0),
            points bigint NOT NULL,
            squares numeric NOT NULL,
            scoops integer NOT NULL,
            scooped integer NOT NULL,
            paid bigint NOT NULL,
            PRIMARY KEY (club_id, round_id, player, opponent)
        );
        CREATE INDEX round_opponents_of_player ON round_opponents (club_id, player, opened_at) INCLUDE (
            opponent, round_id, table_id, ruleset_name, ruleset_version, hands, points, squares, scoops, scooped, paid
        );
    """)


def _changes() -> None:
    """
    Create the list of rounds to measure. Each change adds a row, so that no transaction waits for another.

    A payout can change no stack, because the players of a round can pay each other in a circle.
    """
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
            FOR EACH ROW EXECUTE FUNCTION note_unmeasured_round();
        CREATE TRIGGER unmeasured_when_changed AFTER UPDATE ON round_heads
            FOR EACH ROW
            WHEN (
                OLD.revision <> NEW.revision OR OLD.hands <> NEW.hands OR OLD.stacks <> NEW.stacks
                OR OLD.top_ups <> NEW.top_ups OR OLD.status <> NEW.status
            )
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
