"""The figures of each player against each opponent, and their best and worst hands."""

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "018"
down_revision = "017"


def upgrade() -> None:
    """
    Create the figures of pairs, and add figures of players.

    All rounds are measured again: until a worker has done so, statistics are computed for some changed rounds only, and
    say that they are not complete.
    """
    op.execute("""
        TRUNCATE round_statistics, unmeasured_rounds;
        ALTER TABLE round_statistics
            ADD COLUMN fantasyland_hands integer NOT NULL CHECK (fantasyland_hands BETWEEN 0 AND hands),
            ADD COLUMN best bigint NOT NULL,
            ADD COLUMN worst bigint NOT NULL,
            ADD CONSTRAINT round_statistics_best_is_not_worst CHECK (best >= worst);
        DROP INDEX round_statistics_of_player;
        CREATE INDEX round_statistics_of_player ON round_statistics (club_id, player, opened_at) INCLUDE (
            round_id, table_id, ruleset_name, ruleset_version, hands, points, squares, fouls, fantasyland_hands,
            fantasyland_entered, fantasyland_stayed, royalties_top, royalties_middle, royalties_bottom, scoops,
            not_received, not_paid, best, worst
        );

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
    one_club_at_a_time("round_opponents")
    op.execute("""
        CREATE POLICY one_table ON round_opponents AS RESTRICTIVE FOR SELECT USING ((SELECT current_table()) IS NULL);
    """)
    _measure_again()


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
                INSERT INTO unmeasured_rounds (club_id, round_id)
                    SELECT club_id, round_id FROM round_heads WHERE hands > 0;
            END LOOP;
            PERFORM set_config('ofc.club', '', true);
        END $$;
    """)
