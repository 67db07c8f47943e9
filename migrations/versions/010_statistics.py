"""Results of each player in each round, and against each opponent: views over the records, stored for ended rounds."""

from typing import Final

from alembic import op

from migrations.safety import one_club_at_a_time

revision = "010"
down_revision = "009"

_COLUMNS: Final = {
    "club_id": "uuid",
    "round_id": "uuid",
    "player": "text",
    "table_id": "uuid",
    "ruleset_name": "text",
    "ruleset_version": "integer",
    "opened_at": "timestamptz",
    "point_value": "bigint",
    "unit": "text",
    "unit_digits": "smallint",
    # The place among the players of the round. Rounds are counted by their first players.
    "place": "smallint",
    "top_ups": "bigint",
    # Points received and paid after caps, and those that were due and, because of caps, not paid.
    "received": "bigint",
    "not_received": "bigint",
    "paid": "bigint",
    "not_paid": "bigint",
    "hands": "integer",
    "points": "bigint",
    "squares": "numeric",
    "best": "bigint",
    "worst": "bigint",
    "points_by_hand": "bigint[]",
    "fouls": "integer",
    "scoops": "integer",
    "fantasyland_hands": "integer",
    "fantasyland_entered": "integer",
    "fantasyland_stayed": "integer",
    "royalties_top": "bigint",
    "royalties_middle": "bigint",
    "royalties_bottom": "bigint",
    # The points by what they are for; the other points are those of hands in Fantasyland.
    "from_rows": "bigint",
    "from_bonuses": "bigint",
    "from_royalties": "bigint",
    "from_fouls": "bigint",
    # The next columns have a value for each opponent with whom the player was dealt in.
    "opponents": "text[]",
    "hands_against": "integer[]",
    "points_against": "bigint[]",
    "squares_against": "numeric[]",
    "scoops_against": "integer[]",
    "scooped_against": "integer[]",
    "paid_against": "bigint[]",
}
"""The columns of a player's results in a round, and their types."""


def upgrade() -> None:
    _compute()
    _store()
    one_club_at_a_time("round_statistics")
    _read()


def _compute() -> None:
    """
    Create the view that computes the results of each player in each round from the records of the newest revision.

    Sums are numeric here: no changed record can make them too large for their type. Players without hands have a row
    too, because a statement lists them.
    """
    op.execute(f"""
        CREATE VIEW computed_statistics WITH (security_invoker) AS
            SELECT head.status, head.club_id, head.round_id, head.table_id, head.ruleset_name, head.ruleset_version,
                round.opened_at, round.point_value, round.unit, round.unit_digits,
                of_player.*
            FROM round_heads AS head
            JOIN rounds AS round ON (round.club_id, round.id) = (head.club_id, head.round_id)
            CROSS JOIN LATERAL (
                WITH seats AS (
                    SELECT * FROM unnest(head.seats, head.players, head.top_ups) WITH ORDINALITY
                        AS seated (seat, player, top_ups, place)
                ), dealt AS ({_DEALT}), played AS ({_PLAYED}), payments AS ({_PAYMENTS}), paid AS (
                    SELECT seat, sum(received) AS received, sum(not_received) AS not_received, sum(paid) AS paid,
                        sum(not_paid) AS not_paid
                    FROM payments GROUP BY seat
                ), pairs AS ({_PAIRS}), against AS ({_AGAINST})
                SELECT seats.player, seats.place::smallint, seats.top_ups, coalesce(paid.received, 0) AS received,
                    coalesce(paid.not_received, 0) AS not_received, coalesce(paid.paid, 0) AS paid,
                    coalesce(paid.not_paid, 0) AS not_paid, {", ".join(map(_or_none, _OF_HANDS))},
                    {", ".join(map(_or_none, _OF_OPPONENTS))}
                FROM seats
                LEFT JOIN paid ON paid.seat = seats.seat
                LEFT JOIN played ON played.seat = seats.seat
                LEFT JOIN against ON against.seat = seats.seat
            ) AS of_player;
    """)


# The turn of a player is the place in paying order, in which the values of pairs are stored: first come the seats after
# the button, then those up to it. The seats of a hand are stored in ascending order.
_DEALT: Final = """
    SELECT score.number, score.exchanges, score.scoops, cardinality(hand.seats) AS players, board.*,
        CASE WHEN board.place > last.turns THEN board.place - last.turns
            ELSE board.place - last.turns + cardinality(hand.seats) END AS turn
    FROM hand_scores AS score
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
    CROSS JOIN LATERAL (
        SELECT count(*) AS turns FROM unnest(hand.seats) AS seated (seat) WHERE seated.seat <= hand.button
    ) AS last
    CROSS JOIN LATERAL unnest(
        hand.seats, hand.fantasyland, score.points, score.fouls, score.earned, score.royalties, score.royalties_top,
        score.royalties_middle, score.from_rows, score.from_bonuses, score.from_fouls
    ) WITH ORDINALITY AS board (
        seat, fantasyland, points, is_foul, earned, royalties, royalties_top, royalties_middle, from_rows, from_bonuses,
        from_fouls, place
    )
    WHERE (score.club_id, score.round_id, score.revision) = (head.club_id, head.round_id, head.revision)
"""
_PLAYED: Final = """
    SELECT each.*, outside - from_rows - from_bonuses - from_fouls AS from_royalties FROM (
        SELECT seat, count(*) AS hands, sum(points) AS points, sum(points::numeric * points) AS squares,
            max(points) AS best, min(points) AS worst, array_agg(points ORDER BY number) AS points_by_hand,
            count(*) FILTER (WHERE is_foul) AS fouls,
            count(*) FILTER (WHERE fantasyland > 0) AS fantasyland_hands,
            count(*) FILTER (WHERE fantasyland = 0 AND earned > 0) AS fantasyland_entered,
            count(*) FILTER (WHERE fantasyland > 0 AND earned > 0) AS fantasyland_stayed,
            sum(royalties_top) AS royalties_top, sum(royalties_middle) AS royalties_middle,
            sum(royalties) - sum(royalties_top) - sum(royalties_middle) AS royalties_bottom,
            coalesce(sum(points) FILTER (WHERE fantasyland = 0), 0) AS outside,
            coalesce(sum(from_rows) FILTER (WHERE fantasyland = 0), 0) AS from_rows,
            coalesce(sum(from_bonuses) FILTER (WHERE fantasyland = 0), 0) AS from_bonuses,
            coalesce(sum(from_fouls) FILTER (WHERE fantasyland = 0), 0) AS from_fouls
        FROM dealt GROUP BY seat
    ) AS each
"""
# Sums of bigint are numeric, and cost less than the numeric values of each row.
_PAYMENTS: Final = """
    SELECT side.seat, side.other, sum(side.received) AS received, sum(side.due) - sum(side.received) AS not_received,
        sum(side.paid) AS paid, sum(side.owed) - sum(side.paid) AS not_paid
    FROM transfers AS transfer
    CROSS JOIN LATERAL (VALUES
        (transfer.payee, transfer.payer, transfer.paid, transfer.due, 0, 0),
        (transfer.payer, transfer.payee, 0, 0, transfer.paid, transfer.due)
    ) AS side (seat, other, received, due, paid, owed)
    WHERE (transfer.club_id, transfer.round_id, transfer.revision) = (head.club_id, head.round_id, head.revision)
    GROUP BY side.seat, side.other
"""
# The pairs of three players in paying order are 1 and 2, 1 and 3, 2 and 3; points are those of the first. A pair is
# summed up once, as that of the lower seat, and then has the result of each side.
_PAIRS: Final = """
    SELECT side.seat, side.other, pair.hands, side.points, pair.squares, side.scoops, side.scooped
    FROM (
        SELECT lower, higher, count(*)::integer AS hands,
            coalesce(sum(points) FILTER (WHERE sign > 0), 0) - coalesce(sum(points) FILTER (WHERE sign < 0), 0)
                AS points,
            sum(points::numeric * points) AS squares,
            (count(*) FILTER (WHERE sign * scoop > 0))::integer AS scoops,
            (count(*) FILTER (WHERE sign * scoop < 0))::integer AS scooped
        FROM (
            SELECT least(one.seat, other.seat) AS lower, greatest(one.seat, other.seat) AS higher,
                CASE WHEN one.seat < other.seat THEN 1 ELSE -1 END AS sign,
                one.exchanges[pair.place] AS points, one.scoops[pair.place]::integer AS scoop
            FROM dealt AS one
            JOIN dealt AS other ON other.number = one.number AND other.turn > one.turn
            CROSS JOIN LATERAL (
                SELECT (one.turn - 1) * one.players - one.turn * (one.turn - 1) / 2 + other.turn - one.turn AS place
            ) AS pair
        ) AS exchange
        GROUP BY lower, higher
    ) AS pair
    CROSS JOIN LATERAL (VALUES
        (pair.lower, pair.higher, pair.points, pair.scoops, pair.scooped),
        (pair.higher, pair.lower, -pair.points, pair.scooped, pair.scoops)
    ) AS side (seat, other, points, scoops, scooped)
"""
_AGAINST: Final = """
    SELECT pairs.seat, sum(pairs.scoops) AS scoops, array_agg(seats.player ORDER BY seats.place) AS opponents,
        array_agg(pairs.hands ORDER BY seats.place) AS hands_against,
        array_agg(pairs.points ORDER BY seats.place) AS points_against,
        array_agg(pairs.squares ORDER BY seats.place) AS squares_against,
        array_agg(pairs.scoops ORDER BY seats.place) AS scoops_against,
        array_agg(pairs.scooped ORDER BY seats.place) AS scooped_against,
        array_agg(coalesce(payments.received - payments.paid, 0) ORDER BY seats.place) AS paid_against
    FROM pairs
    JOIN seats ON seats.seat = pairs.other
    LEFT JOIN payments ON (payments.seat, payments.other) = (pairs.seat, pairs.other)
    GROUP BY pairs.seat
"""
_OF_HANDS: Final = (
    *("played.hands", "played.points", "played.squares", "played.best", "played.worst", "played.points_by_hand"),
    *("played.fouls", "against.scoops", "played.fantasyland_hands", "played.fantasyland_entered"),
    *("played.fantasyland_stayed", "played.royalties_top", "played.royalties_middle", "played.royalties_bottom"),
    *("played.from_rows", "played.from_bonuses", "played.from_royalties", "played.from_fouls"),
)
_OF_OPPONENTS: Final = (
    *("against.opponents", "against.hands_against", "against.points_against", "against.squares_against"),
    *("against.scoops_against", "against.scooped_against", "against.paid_against"),
)


def _or_none(column: str) -> str:
    """Return the column of a player's results, which are 0 or an empty list without hands."""
    name = column.partition(".")[2]
    kind = "numeric[]" if name in ("points_against", "paid_against") else _COLUMNS[name]
    none = f"CAST('{{}}' AS {kind})" if kind.endswith("[]") else "0"
    return f"coalesce({column}, {none}) AS {name}"


def _store() -> None:
    """
    Create the stored results of ended rounds, which are written in the transaction that ends or corrects the round.

    The results of a player, and those of a period, are read from the indexes alone. The points of each hand and the
    results against opponents are in no index, because an entry of an index has a greatest size.
    """
    nullable = {"point_value", "unit", "unit_digits"}
    columns = ", ".join(f"{name} {kind}{'' if name in nullable else ' NOT NULL'}" for name, kind in _COLUMNS.items())
    op.execute(f"""
        CREATE TABLE round_statistics (
            {columns},
            PRIMARY KEY (club_id, round_id, player),
            FOREIGN KEY (club_id, round_id) REFERENCES rounds,
            CONSTRAINT round_statistics_place_check CHECK (place >= 1),
            CONSTRAINT round_statistics_fantasyland_hands_check CHECK (fantasyland_hands BETWEEN 0 AND hands),
            CONSTRAINT round_statistics_best_is_not_worst CHECK (best >= worst),
            CONSTRAINT round_statistics_every_hand_check CHECK (cardinality(points_by_hand) = hands),
            CONSTRAINT round_statistics_every_opponent_check CHECK (
                cardinality(hands_against) = cardinality(opponents)
                AND cardinality(points_against) = cardinality(opponents)
                AND cardinality(squares_against) = cardinality(opponents)
                AND cardinality(scoops_against) = cardinality(opponents)
                AND cardinality(scooped_against) = cardinality(opponents)
                AND cardinality(paid_against) = cardinality(opponents)
            )
        );
        CREATE INDEX round_statistics_of_player ON round_statistics (club_id, player, opened_at) INCLUDE (
            round_id, table_id, ruleset_name, ruleset_version, hands, points, squares, fouls, fantasyland_hands,
            fantasyland_entered, fantasyland_stayed, royalties_top, royalties_middle, royalties_bottom, scoops,
            not_received, not_paid, best, worst, point_value, unit, unit_digits, top_ups, received, paid,
            from_rows, from_bonuses, from_royalties, from_fouls
        );
        CREATE INDEX round_statistics_of_period ON round_statistics (club_id, opened_at) INCLUDE (
            round_id, table_id, player, place, point_value, unit, unit_digits, top_ups, received, paid
        );
    """)


def _read() -> None:
    """
    Create the views that statistics, statements and plots sum up: the results of each player, and head-to-heads.

    Open rounds are few, at most one at a table, and their results are computed when they are read.
    """
    computed = ", ".join(f"{name}::{kind}" for name, kind in _COLUMNS.items())
    op.execute(f"""
        CREATE VIEW player_rounds WITH (security_invoker) AS
            SELECT {", ".join(_COLUMNS)} FROM round_statistics
            UNION ALL
            SELECT {computed} FROM computed_statistics WHERE status = 'open';

        CREATE VIEW player_opponents WITH (security_invoker) AS
            SELECT result.club_id, result.round_id, result.player, against.opponent, result.table_id,
                result.ruleset_name, result.ruleset_version, result.opened_at, against.hands, against.points,
                against.squares, against.scoops, against.scooped, against.paid
            FROM player_rounds AS result
            CROSS JOIN LATERAL unnest(
                result.opponents, result.hands_against, result.points_against, result.squares_against,
                result.scoops_against, result.scooped_against, result.paid_against
            ) AS against (opponent, hands, points, squares, scoops, scooped, paid);
    """)
