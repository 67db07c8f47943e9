"""Statistics of players: sums of their results in rounds."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row

from schemas.statistics.player_statistics import (
    NotedHand,
    OpponentFigures,
    PlayerDetails,
    PlayerFigures,
    StatisticsView,
)
from service.db import Transaction
from service.errors import NotFound
from service.players.queries.aliases import read_aliases
from service.statistics.queries.sums import (
    FIGURES,
    OPPONENT_FIGURES,
    StatisticsFilter,
    count_summed,
    has_played,
    list_first_sums,
    list_noted_hands,
    list_noted_rounds,
    list_opponents,
    list_sums,
    list_totals,
)

MOST_NOTED: Final = 5
"""The number of best hands and of worst hands of a player."""


def list_statistics(transaction: Transaction, filter_: StatisticsFilter) -> StatisticsView:
    """Return the statistics of players over the rounds of a filter, in the revisions in force."""
    players = _players(list_sums(transaction, filter_))
    return StatisticsView(
        players=players,
        opened_from=filter_.opened_from,
        opened_before=filter_.opened_before,
        aliases=read_aliases(transaction).among(each.player for each in players),
    )


@dataclass(frozen=True, slots=True)
class PlayerFiguresPage:
    """A part of the players' figures, and the player after whom the next part begins."""

    players: list[PlayerFigures]
    next_after: str | None


def list_players_by_id(
    transaction: Transaction, filter_: StatisticsFilter, *, after: str | None, limit: int
) -> PlayerFiguresPage:
    """List the statistics of the first players after `after`, in the order of their IDs."""
    players = _players(list_first_sums(transaction, filter_, after=after, limit=limit + 1))
    return PlayerFiguresPage(players[:limit], players[limit - 1].player if len(players) > limit else None)


def list_players_by_figure(
    transaction: Transaction, filter_: StatisticsFilter, figure: str, *, after: tuple[int, str] | None, limit: int
) -> PlayerFiguresPage:
    """
    List the statistics of the first players after a place in the order of a figure, most first, then by their IDs.

    Args:
        transaction: a transaction of the club.
        filter_: the filter.
        figure: the name of the figure.
        after: the place: the figure of a player, with the opposite sign, and their ID.
        limit: the number of players.
    """
    places = sorted((-int(each.total), each.player) for each in list_totals(transaction, filter_, figure))
    following = [player for value, player in places if after is None or (value, player) > after]
    shown = following[:limit]
    figures = {each.player: each for each in _players(list_sums(transaction, filter_, players=shown))}
    return PlayerFiguresPage([figures[player] for player in shown], shown[-1] if len(following) > limit else None)


def count_players(transaction: Transaction, filter_: StatisticsFilter, limit: int) -> int:
    """Count the players of the statistics of a filter, up to a limit."""
    return count_summed(transaction, filter_, limit)


def get_player_details(transaction: Transaction, filter_: StatisticsFilter) -> PlayerDetails:
    """
    Return the statistics of one player, those against each opponent, most hands first, and the best and worst hands.

    Raises:
        NotFound: the player has played no round of the club.
    """
    player = filter_.player
    assert player is not None, "the player of the page"
    [figures] = get_player_statistics(transaction, filter_).players
    hands = list_noted_hands(transaction, player, list_noted_rounds(transaction, filter_, MOST_NOTED))
    opponents = [
        OpponentFigures(summed.opponent, **_figures(summed, OPPONENT_FIGURES))
        for summed in list_opponents(transaction, filter_)
    ]
    return PlayerDetails(
        figures=figures,
        opponents=sorted(opponents, key=lambda each: (-each.hands, each.opponent)),
        best=sorted(hands, key=lambda hand: (-hand.points, *_place(hand)))[:MOST_NOTED],
        worst=sorted(hands, key=lambda hand: (hand.points, *_place(hand)))[:MOST_NOTED],
    )


def _place(hand: NotedHand) -> tuple[datetime, UUID, int]:
    return hand.opened_at, hand.round_id, hand.number


def get_player_statistics(transaction: Transaction, filter_: StatisticsFilter) -> StatisticsView:
    """
    Return the statistics of one player, as `list_statistics` does; all figures are 0 if no round matches.

    Raises:
        NotFound: the player has played no round of the club.
    """
    player = filter_.player
    assert player is not None, "the player of the path"
    view = list_statistics(transaction, filter_)
    if view.players:
        return view
    if not has_played(transaction, player):
        raise NotFound(f"the player {player!r} has played no round")
    aliases = read_aliases(transaction)
    shown = aliases.player_of(player)
    return replace(view, players=[PlayerFigures(player=shown)], aliases=aliases.among([shown]))


def _players(sums: Iterable[Row[Any]]) -> list[PlayerFigures]:
    return [PlayerFigures(summed.player, **_figures(summed, FIGURES)) for summed in sums]


def _figures(summed: Row[Any], names: tuple[str, ...]) -> dict[str, int]:
    return {name: int(getattr(summed, name)) for name in ("rounds", *names)}
