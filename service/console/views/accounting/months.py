"""The months of a statement over a long period."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from babel.dates import format_date

from schemas.clubs import ClubView
from schemas.ledger.club_statements import PlayerResult
from schemas.ledger.page_queries import Evenings
from schemas.money import Unit
from service.console.views.session import current_club
from service.db import Transaction
from service.ledger.actions.statements import sum_months
from service.rounds.actions.reading import list_rounds
from service.rounds.queries.round_filter import RoundFilter

_MOST_MONTHS: Final = 24
_MOST_PLAYERS: Final = 10
"""How many months of a period are shown, the newest ones, and of how many players."""


@dataclass(frozen=True, slots=True)
class Month:
    """
    A month of a statement, in evenings of the club.

    Attributes:
        evenings: those of the month within the period.
        rounds: the number of rounds.
        results: the players who won or lost most, the highest net points first.
        has_more: whether others played too.
    """

    evenings: Evenings
    rounds: int
    results: Sequence[tuple[str, PlayerResult]]
    has_more: bool

    @property
    def units(self) -> list[Unit]:
        """The units of the money of the results."""
        return sorted({unit for _, result in self.results for unit in result.money})

    @property
    def title(self) -> str:
        """The month in words."""
        return str(format_date(self.evenings.last, "LLLL y", locale="en_GB"))


def list_months(transaction: Transaction, filter_: RoundFilter, evenings: Evenings) -> list[Month]:
    """List the months of a statement with their results, the newest first; a period within one month has none."""
    club = current_club()
    bounds = _find_bounds(transaction, filter_, evenings, club)
    if bounds is None or bounds[0].replace(day=1) == bounds[1].replace(day=1):
        return []
    months = _split(*bounds)
    begins = [club.evening(each.first)[0] for each in months if each.first is not None]
    summed = sum_months(transaction, replace(filter_, opened_from=begins[0]), begins, most=_MOST_PLAYERS + 1)
    listed = []
    for number, month in reversed([*enumerate(months, 1)]):
        of_month = summed.get(number)
        if of_month is not None:
            shown = sorted(of_month.results[:_MOST_PLAYERS], key=lambda each: (-each[1].net, each[0]))
            listed.append(Month(month, of_month.rounds, shown, len(of_month.results) > _MOST_PLAYERS))
    return listed


def players_of_months(months: Iterable[Month]) -> set[str]:
    """Return the players whose results months show."""
    return {player for month in months for player, _ in month.results}


def _find_bounds(
    transaction: Transaction, filter_: RoundFilter, evenings: Evenings, club: ClubView
) -> tuple[date, date] | None:
    """Return the first and the last evening of a period that has none: those of its first and its last round."""
    ends: list[date] = []
    for end, oldest_first in ((evenings.first, True), (evenings.last, False)):
        if end is None:
            page = list_rounds(transaction, filter_, after=None, limit=1, oldest_first=oldest_first)
            if not page.items:
                return None
            end = club.evening_of(page.items[0].opened_at)
        ends.append(end)
    return ends[0], ends[1]


def _split(first_evening: date, last_evening: date) -> list[Evenings]:
    """
    Return the parts of a period that are in one month each, of its last months.

    >>> parts = _split(date(2026, 11, 20), date(2027, 1, 3))
    >>> [(f"{part.first:%d %b}", f"{part.last:%d %b}") for part in parts]
    [('20 Nov', '30 Nov'), ('01 Dec', '31 Dec'), ('01 Jan', '03 Jan')]
    """
    parts: list[Evenings] = []
    last = last_evening
    while last >= first_evening and len(parts) < _MOST_MONTHS:
        first = max(last.replace(day=1), first_evening)
        parts.append(Evenings(first, last))
        last = first - timedelta(days=1)
    return parts[::-1]
