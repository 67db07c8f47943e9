"""Statistics of players."""

from collections import defaultdict
from typing import Final

from schemas.accounting.statistics import PlayerFigures, StatisticsView
from service.db import Transaction
from service.errors import NotFound
from service.statistics.actions.measuring import measure_rounds
from service.statistics.queries.statistics import (
    FIGURES,
    StatisticsFilter,
    has_played,
    list_sums,
    list_unmeasured,
)

_MOST_MEASURED: Final = 200
"""The number of changed rounds that are measured while a client waits; workers measure the rest."""


def list_statistics(transaction: Transaction, wanted: StatisticsFilter) -> StatisticsView:
    """Return the statistics of players over the rounds of a filter, in the revisions in force."""
    changed = list_unmeasured(transaction, wanted, _MOST_MEASURED + 1)
    figures: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(("rounds", *FIGURES), 0))
    for summed in list_sums(transaction, wanted):
        figures[summed.player] = {name: int(getattr(summed, name)) for name in ("rounds", *FIGURES)}
    for measured in measure_rounds(transaction, changed[:_MOST_MEASURED]) if changed else ():
        if wanted.player in (None, measured.player):
            sums = figures[measured.player]
            sums["rounds"] += 1
            for name in FIGURES:
                sums[name] += getattr(measured, name)
    return StatisticsView(
        players=[PlayerFigures(player=player, **sums) for player, sums in figures.items()],
        is_complete=len(changed) <= _MOST_MEASURED,
        opened_from=wanted.opened_from,
        opened_before=wanted.opened_before,
    )


def get_player_statistics(transaction: Transaction, wanted: StatisticsFilter) -> StatisticsView:
    """
    Return the statistics of one player, as `list_statistics` does; all figures are 0 if no round matches.

    Raises:
        NotFound: the player has played no round of the club.
    """
    player = wanted.player
    assert player is not None, "the player of the path"
    view = list_statistics(transaction, wanted)
    if not view.players:
        if not has_played(transaction, player):
            raise NotFound(f"the player {player!r} has played no round")
        view.players.append(PlayerFigures(player=player))
    return view
