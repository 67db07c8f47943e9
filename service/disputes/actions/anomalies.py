"""Find anomalies of rounds: one function for each kind, which states its formula."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, Protocol
from uuid import UUID

from schemas.disputes import Ratio, RoundAnomaly
from service.db import Transaction
from service.disputes.queries import figures
from service.disputes.queries.figures import NO_OTHERS, RoundFigures, TableFigures

PLAIN: Final = RoundFigures(Ratio(0, 4), {}, {}, Ratio(0, 3), Ratio(0, 1))
"""A round without anomalies, for examples."""


class Formula(Protocol):
    """A function that compares a round with the other rounds of its table."""

    def __call__(self, round_: RoundFigures, usual: TableFigures) -> Iterator[RoundAnomaly]:
        """List the anomalies of the round."""


def find_unusual(transaction: Transaction, round_ids: Collection[UUID]) -> dict[UUID, Sequence[RoundAnomaly]]:
    """
    Return the anomalies of the newest revision of each round.

    The number of statements does not depend on the number of rounds. Each round is compared with at most fifty others.
    """
    if not round_ids:
        return {}
    ids = set(round_ids)
    others = figures.list_others(transaction, ids)
    return {
        round_id: compare(round_, others.get(round_id, NO_OTHERS))
        for round_id, round_ in figures.list_figures(transaction, ids).items()
    }


def compare(round_: RoundFigures, usual: TableFigures) -> Sequence[RoundAnomaly]:
    """Return the anomalies of a round compared with the other rounds of its table."""
    return tuple(unusual for formula in FORMULAS for unusual in formula(round_, usual))


def exceeds(ratio: Ratio, usual: Ratio, times: int) -> bool:
    """
    Return whether a ratio is more than `times` another. Without other rounds it never is.

    >>> usual = Ratio(10, 50)
    >>> exceeds(Ratio(3, 5), usual, 2), exceeds(Ratio(2, 5), usual, 2), exceeds(Ratio(3, 5), Ratio(0, 0), 2)
    (True, False, False)
    """
    return ratio.count * usual.of > times * usual.count * ratio.of


def irregular_hands(round_: RoundFigures, usual: TableFigures) -> Iterator[RoundAnomaly]:
    """
    Find hands that were accepted as played although they do not follow the hands before them.

    >>> from dataclasses import replace
    >>> [each.found for each in irregular_hands(replace(PLAIN, irregular=Ratio(1, 5)), NO_OTHERS)]
    [Ratio(count=1, of=5)]
    """
    if round_.irregular.count:
        formula = "irregular hands of the round, out of its hands: more than none"
        yield RoundAnomaly("irregular-hands", (), round_.irregular, usual.irregular, formula)


def foul_rate(round_: RoundFigures, usual: TableFigures) -> Iterator[RoundAnomaly]:
    """
    Find players who foul more often than usual at the table, and at least twice.

    >>> from dataclasses import replace
    >>> others = replace(NO_OTHERS, fouls=Ratio(10, 50))
    >>> round_ = replace(PLAIN, fouls={1: Ratio(1, 4), 2: Ratio(2, 4)})
    >>> [each.seats for each in foul_rate(round_, others)]
    [(2,)]
    """
    for seat, fouls in round_.fouls.items():
        if fouls.count >= 2 and exceeds(fouls, usual.fouls, 2):
            formula = (
                "foul boards of the player in the round, out of their boards: 2 or more, and more than twice the ratio"
                " of foul boards in the table's last 50 other rounds that have ended"
            )
            yield RoundAnomaly("foul-rate", (seat,), fouls, usual.fouls, formula)


def points_lost_to_caps(round_: RoundFigures, usual: TableFigures) -> Iterator[RoundAnomaly]:
    """
    Find pairs of players who lost more points to caps than is usual at the table.

    >>> from dataclasses import replace
    >>> others = replace(NO_OTHERS, lost=Ratio(30, 10))
    >>> round_ = replace(PLAIN, lost={(1, 2): 7, (1, 3): 6})
    >>> [each.seats for each in points_lost_to_caps(round_, others)]
    [(1, 2)]
    """
    for pair, points in round_.lost.items():
        lost = Ratio(points, 1)
        if exceeds(lost, usual.lost, 2):
            formula = (
                "points due and not paid between the two players in the round: more than twice the mean per pair and"
                " round in the table's last 50 other rounds that have ended"
            )
            yield RoundAnomaly("points-lost-to-caps", pair, lost, usual.lost, formula)


def unconfirmed(round_: RoundFigures, usual: TableFigures) -> Iterator[RoundAnomaly]:
    """
    Find rounds that fewer players confirmed than is usual at the table.

    >>> from dataclasses import replace
    >>> others = replace(NO_OTHERS, unconfirmed=Ratio(10, 60))
    >>> [each.found for each in unconfirmed(replace(PLAIN, unconfirmed=Ratio(2, 3)), others)]
    [Ratio(count=2, of=3)]
    """
    if exceeds(round_.unconfirmed, usual.unconfirmed, 2):
        formula = (
            "players who have not confirmed the settlement in force, out of the round's players: more than twice the"
            " ratio in the table's last 50 other rounds that have ended"
        )
        yield RoundAnomaly("unconfirmed", (), round_.unconfirmed, usual.unconfirmed, formula)


def corrected_after_final(round_: RoundFigures, usual: TableFigures) -> Iterator[RoundAnomaly]:
    """
    Find rounds that were corrected after their settlement was final.

    >>> from dataclasses import replace
    >>> [each.found for each in corrected_after_final(replace(PLAIN, after_final=Ratio(1, 2)), NO_OTHERS)]
    [Ratio(count=1, of=2)]
    """
    if round_.after_final.count:
        formula = "revisions made after the settlement was final, out of the round's revisions: more than none"
        yield RoundAnomaly("corrected-after-final", (), round_.after_final, usual.after_final, formula)


FORMULAS: Final[Sequence[Formula]] = (
    corrected_after_final,
    irregular_hands,
    unconfirmed,
    foul_rate,
    points_lost_to_caps,
)
