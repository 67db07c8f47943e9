"""The results of each player in a round, and the sources of their points, beside the statistics of the round."""

from alembic import op

revision = "020"
down_revision = "019"


def upgrade() -> None:
    """
    Add what statements and plots sum up, and rows for players without hands, because a statement lists them.

    All rounds are measured again: until a worker has done so, statistics are computed for some changed rounds only, and
    say that they are not complete. Statements and plots read the other rounds from their records.
    """
    op.execute("""
        TRUNCATE round_statistics, round_opponents, unmeasured_rounds;
        ALTER TABLE round_statistics
            DROP CONSTRAINT round_statistics_hands_check,
            ADD CONSTRAINT round_statistics_hands_check CHECK (hands >= 0),
            -- The place among the players of the round. Rounds are counted by their first players.
            ADD COLUMN place smallint NOT NULL CHECK (place >= 1),
            ADD COLUMN point_value bigint,
            ADD COLUMN currency text,
            ADD COLUMN top_ups bigint NOT NULL,
            ADD COLUMN received bigint NOT NULL,
            ADD COLUMN paid bigint NOT NULL,
            ADD COLUMN from_rows bigint NOT NULL,
            ADD COLUMN from_bonuses bigint NOT NULL,
            ADD COLUMN from_royalties bigint NOT NULL,
            ADD COLUMN from_fouls bigint NOT NULL,
            ADD COLUMN points_by_hand bigint[] NOT NULL,
            ADD CONSTRAINT round_statistics_every_hand_check CHECK (cardinality(points_by_hand) = hands);
    """)
    _indexes()
    _changes()
    _tables()
    _measure_again()


def _indexes() -> None:
    """
    Create the indexes from which the figures of a player, and the results of a period, are read alone.

    The points of each hand are in no index, because an entry of an index has a greatest size.
    """
    op.execute("""
        DROP INDEX round_statistics_of_player;
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


def _changes() -> None:
    """
    Measure rounds without hands too, and those whose payout changes no stack.

    The players of a round can pay each other in a circle.
    """
    op.execute("""
        DROP TRIGGER unmeasured_when_inserted ON round_heads;
        DROP TRIGGER unmeasured_when_changed ON round_heads;
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


def _tables() -> None:
    """Show a link to one table the figures of its rounds, because its statements are sums of them."""
    op.execute("""
        ALTER POLICY one_table ON round_statistics
            USING (CASE WHEN (SELECT current_table()) IS NULL THEN true ELSE table_id = (SELECT current_table()) END);
    """)


def _measure_again() -> None:
    """Add every round of every club to those to measure."""
    op.execute("""
        DO $$
        DECLARE
            clubs_there uuid[];
            club uuid;
        BEGIN
            PERFORM set_config('ofc.list_clubs', 'on', true);
            SELECT array_agg(id ORDER BY id) INTO clubs_there FROM clubs;
            PERFORM set_config('ofc.list_clubs', '', true);
            FOREACH club IN ARRAY coalesce(clubs_there, '{}') LOOP
                PERFORM set_config('ofc.club', club::text, true);
                INSERT INTO unmeasured_rounds (club_id, round_id) SELECT club_id, round_id FROM round_heads;
            END LOOP;
            PERFORM set_config('ofc.club', '', true);
        END $$;
    """)
