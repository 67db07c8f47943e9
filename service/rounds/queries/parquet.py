"""Hands, their results and transfers as Parquet files, one row each, with the names of the contract."""

from typing import IO, Final

from service.db import Transaction
from service.db.arrays import read_arrays
from service.db.parquet import write_stream
from service.rounds.queries.round_filter import RoundFilter, filter_parameters, list_conditions

_IN_FORCE: Final = """
    FROM rounds AS round
    JOIN round_heads AS head ON (head.club_id, head.round_id) = (round.club_id, round.id)
    JOIN hand_scores AS score
        ON (score.club_id, score.round_id, score.revision) = (head.club_id, head.round_id, head.revision)
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
"""
_QUERIES: Final = {
    "hands": f"""
        SELECT hand.id::text, round.id::text AS round, score.number, round.table_id::text AS table,
            score.ruleset_name || '@' || score.ruleset_version AS ruleset, score.revision, hand.button,
            round.opened_at, hand.played_at, hand.recorded_at, score.irregular IS NOT NULL AS irregular
        {_IN_FORCE} {{where}} ORDER BY round.id, score.number
    """,
    "results": f"""
        SELECT round.id::text AS round, score.number AS hand, seat,
            head.players[array_position(head.seats, seat)] AS player,
            ARRAY(SELECT jsonb_array_elements_text(played -> 'top')) AS top,
            ARRAY(SELECT jsonb_array_elements_text(played -> 'middle')) AS middle,
            ARRAY(SELECT jsonb_array_elements_text(played -> 'bottom')) AS bottom,
            hand.fantasyland[place] > 0 AS in_fantasyland, score.fouls[place] AS foul,
            score.royalties[place] AS royalties, score.points[place] AS points, score.earned[place] AS fantasyland,
            score.stacks[array_position(head.seats, seat)] AS stack
        {_IN_FORCE}
        CROSS JOIN unnest(hand.seats) WITH ORDINALITY AS dealt (seat, place)
        CROSS JOIN jsonb_path_query_first(
            hand.content, '$.players[*] ? (@.seat == $seat)', jsonb_build_object('seat', seat)
        ) AS played
        {{where}} ORDER BY round.id, score.number, seat
    """,
    "transfers": f"""
        SELECT round.id::text AS round, score.number AS hand, transfer.late, transfer.position AS order, payer, payee,
            due, paid, limited_by, payer_stack, payee_stack
        {_IN_FORCE}
        JOIN transfers AS transfer ON (transfer.club_id, transfer.round_id, transfer.revision, transfer.number)
            = (score.club_id, score.round_id, score.revision, score.number)
        {{where}} ORDER BY round.id, score.number, transfer.late, transfer.position
    """,
}


def write_parquet(transaction: Transaction, records: str, filter_: RoundFilter, file: IO[bytes]) -> None:
    """
    Write the records of the hands in force, in the order of rounds and numbers, in constant memory.

    Args:
        transaction: of the club.
        records: `hands`, `results` or `transfers`.
        filter_: which rounds.
        file: what to write to.

    Raises:
        ImportError: the service is installed without the extra `parquet`.
    """
    conditions = list_conditions(filter_, head="head", round_="round", table="round", place="%({})s")
    where = " AND ".join(("WHERE round.club_id = %(club)s", *conditions))
    query = _QUERIES[records].replace("{where}", where)
    parameters = {"club": transaction.club_id, **filter_parameters(transaction, filter_)}
    with read_arrays(transaction) as arrays, arrays.stream(query, parameters) as stream:
        write_stream(stream, file)
