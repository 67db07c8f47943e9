"""Sum up the results of players in rounds."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text

from schemas.statistics.player_statistics import NotedHand
from scoring.board import Board
from service.db import Transaction
from service.db.paging import count_rows
from service.players.queries.aliases import add_up, read_aliases
from service.rounds.queries.round_filter import RoundFilter, filter_parameters, list_result_conditions


@dataclass(frozen=True, slots=True)
class PlayerSearch:
    """A search for players: those with a text in their IDs, in small or capital letters, and some by their IDs."""

    text: str
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StatisticsFilter(RoundFilter):
    """A filter for rounds and players; None matches any."""

    search: PlayerSearch | None = None


FIGURES: Final = (
    "hands", "points", "squares", "fouls", "fantasyland_hands", "fantasyland_entered", "fantasyland_stayed",
    "royalties_top", "royalties_middle", "royalties_bottom", "scoops", "not_received", "not_paid",
)  # as a table  # fmt: skip
OPPONENT_FIGURES: Final = ("hands", "points", "squares", "scoops", "scooped", "paid")
_SUMS: Final = ", ".join(f"sum(result.{name}) AS {name}" for name in FIGURES)
_OPPONENT_SUMS: Final = ", ".join(f"sum(result.{name}) AS {name}" for name in OPPONENT_FIGURES)
_COUNTS: Final = ("rounds",)
_SEARCHED: Final = "(position(lower(:search) IN lower(result.player)) > 0 OR result.player = ANY (:named))"


def list_sums(
    transaction: Transaction, filter_: StatisticsFilter, *, players: Sequence[str] | None = None
) -> Sequence[Row[Any]]:
    """List the sums of the results by player; with `players`, only those of these players."""
    ids = None if players is None else read_aliases(transaction).ids_of_all(players)
    return _list_sums(transaction, filter_, ids=ids)


def list_first_sums(
    transaction: Transaction, filter_: StatisticsFilter, *, after: str | None, limit: int
) -> Sequence[Row[Any]]:
    """List the sums of the results of the first players after `after`, in the order of their IDs."""
    follows = "" if after is None else "AND {}.player > :after"
    # A player can have results under aliases only.
    players = f"""
        WITH first AS (
            SELECT result.player FROM player_rounds AS result
            WHERE {_conditions(filter_)} AND result.player <> ALL (:aliases) {follows.format("result")}
            GROUP BY result.player ORDER BY result.player LIMIT :limit
        )
        SELECT player FROM first
        UNION SELECT joined.player FROM aliases AS joined WHERE joined.club_id = :club_id {follows.format("joined")}
            AND ((SELECT count(*) FROM first) < :limit OR joined.player < (SELECT max(player) FROM first))
    """
    aliases = read_aliases(transaction)
    parameters = _parameters(transaction, filter_) | {"aliases": [*aliases.players], "after": after, "limit": limit}
    listed = transaction.execute(text(players), parameters).scalars()
    return _list_sums(transaction, filter_, ids=aliases.ids_of_all(listed), limit=limit)


def count_summed(transaction: Transaction, filter_: StatisticsFilter, limit: int) -> int:
    """Count the players whose results have sums, up to a limit."""
    by_id = f"SELECT result.player FROM player_rounds AS result WHERE {_conditions(filter_)} GROUP BY result.player"
    players = f"SELECT player FROM ({add_up(by_id, counts=(), sums=())}) AS summed"
    return count_rows(transaction, players, limit, _parameters(transaction, filter_))


def _list_sums(
    transaction: Transaction,
    filter_: StatisticsFilter,
    *,
    ids: Sequence[str] | None = None,
    limit: int | None = None,
) -> Sequence[Row[Any]]:
    """List sums by player: of results under some IDs, the first ones in the order of the players' IDs."""
    of_ids = "" if ids is None else " AND result.player = ANY (:ids)"
    by_id = f"""
        SELECT result.player, count(*) AS rounds, {_SUMS}
        FROM player_rounds AS result WHERE {_conditions(filter_)}{of_ids} GROUP BY result.player
    """
    query = add_up(by_id, counts=_COUNTS, sums=FIGURES) + ("" if limit is None else " ORDER BY player LIMIT :limit")
    return transaction.execute(text(query), _parameters(transaction, filter_) | {"ids": ids, "limit": limit}).all()


def list_totals(transaction: Transaction, filter_: StatisticsFilter, figure: str) -> Sequence[Row[Any]]:
    """List the sums of one figure by player, as `list_sums`."""
    by_id = f"""
        SELECT result.player, sum(result.{figure}) AS total
        FROM player_rounds AS result WHERE {_conditions(filter_)} GROUP BY result.player
    """
    query = add_up(by_id, counts=(), sums=["total"])
    return transaction.execute(text(query), _parameters(transaction, filter_)).all()


def list_opponents(transaction: Transaction, filter_: StatisticsFilter) -> Sequence[Row[Any]]:
    """List the sums of a player's statistics by opponent, over all rounds."""
    by_id = f"""
        SELECT result.opponent, count(*) AS rounds, {_OPPONENT_SUMS}
        FROM player_opponents AS result WHERE {_conditions(filter_)} GROUP BY result.opponent
    """
    query = add_up(by_id, players=["opponent"], counts=_COUNTS, sums=OPPONENT_FIGURES)
    return transaction.execute(text(query), _parameters(transaction, filter_)).all()


def list_noted_rounds(transaction: Transaction, filter_: StatisticsFilter, limit: int) -> Sequence[UUID]:
    """
    List the rounds with the best and those with the worst hands of a player.

    These rounds contain the `limit` best and the `limit` worst hands.
    """
    rounds = f"SELECT round_id FROM player_rounds AS result WHERE {_conditions(filter_)}"
    query = f"""
        ({rounds} ORDER BY best DESC, opened_at, round_id LIMIT :limit)
        UNION ({rounds} ORDER BY worst, opened_at, round_id LIMIT :limit)
    """
    return transaction.execute(text(query), {**_parameters(transaction, filter_), "limit": limit}).scalars().all()


def _conditions(filter_: StatisticsFilter) -> str:
    """Return the conditions for the results of a filter."""
    searched = [] if filter_.search is None else [_SEARCHED]
    return " AND ".join(("result.club_id = :club_id", "result.hands > 0", *list_result_conditions(filter_), *searched))


_HAS_PLAYED: Final = text("""
    SELECT EXISTS (SELECT FROM round_seats WHERE club_id = :club_id AND player = ANY (:ids))
""")


def has_played(transaction: Transaction, player: str) -> bool:
    """Return whether a player sat in a round of the club, under any of their IDs."""
    parameters = {"club_id": transaction.club_id, "ids": read_aliases(transaction).ids_of(player)}
    return bool(transaction.execute(_HAS_PLAYED, parameters).scalar_one())


def _parameters(transaction: Transaction, filter_: StatisticsFilter) -> dict[str, Any]:
    search = filter_.search or PlayerSearch("")
    return {
        "club_id": transaction.club_id,
        "search": search.text,
        "named": [*search.named],
        **filter_parameters(transaction, filter_),
    }


_NOTED: Final = text("""
    SELECT head.round_id, score.number, score.points[place.of_hand] AS points, score.fouls[place.of_hand] AS is_foul,
        substring(hand.boards FROM 13 * place.of_hand - 12 FOR 13) AS board, score.ruleset_name, score.ruleset_version,
        round.opened_at, round.table_id, playing_at.name AS table_name
    FROM unnest(CAST(:round_ids AS uuid[])) AS wanted (round_id)
    JOIN round_heads AS head ON (head.club_id, head.round_id) = (CAST(:club_id AS uuid), wanted.round_id)
    JOIN rounds AS round ON (round.club_id, round.id) = (head.club_id, head.round_id)
    JOIN tables AS playing_at ON (playing_at.club_id, playing_at.id) = (round.club_id, round.table_id)
    JOIN hand_scores AS score ON (score.club_id, score.round_id, score.revision)
        = (head.club_id, head.round_id, head.revision)
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
    CROSS JOIN LATERAL (
        SELECT array_position(hand.seats, seated.seat) AS of_hand
        FROM unnest(head.seats, head.players) AS seated (seat, player)
        WHERE seated.player = ANY (:ids)
    ) AS place
    WHERE place.of_hand IS NOT NULL
""")


def list_noted_hands(transaction: Transaction, player: str, round_ids: Collection[UUID]) -> list[NotedHand]:
    """List the hands of a player in rounds, in the revisions in force."""
    ids = read_aliases(transaction).ids_of(player)
    return [
        NotedHand(
            round_id=row.round_id,
            number=row.number,
            points=row.points,
            table_id=row.table_id,
            table_name=row.table_name,
            ruleset=f"{row.ruleset_name}@{row.ruleset_version}",
            opened_at=row.opened_at,
            board=Board.unpacked(row.board),
            is_foul=row.is_foul,
        )
        for row in transaction.execute(_NOTED, {"club_id": transaction.club_id, "round_ids": [*round_ids], "ids": ids})
    ]
