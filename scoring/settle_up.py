"""Settle up with the fewest payments."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from scoring.errors import Mistake, StakesError

MOST_EXACT: Final = 16
"""So many players are divided in the best way; each one more would take twice as long."""

Net = tuple[str, int]


class Payment(NamedTuple):
    """An amount that one player pays another to settle up: points, or money in minor units."""

    payer: str
    payee: str
    amount: int


@dataclass(frozen=True, slots=True)
class SettleUp:
    """The payments that bring every net to zero, by payer and payee, and whether fewer are impossible."""

    payments: tuple[Payment, ...]
    is_fewest: bool


def find_payments(nets: Mapping[str, int]) -> SettleUp:
    """
    Find the fewest payments that bring every net to zero.

    Players whose nets add up to zero can settle among themselves, with one payment fewer than they are. So the fewest
    payments come from the most such groups:

    >>> settled = find_payments({"ann": 9, "bob": -5, "cyd": -4, "dan": 3, "eve": -3, "fay": 0})
    >>> [(payment.payer, payment.payee, payment.amount) for payment in settled.payments]
    [('bob', 'ann', 5), ('cyd', 'ann', 4), ('eve', 'dan', 3)]

    Two who lost just what the other won always make a group of the best division. Of the others, the most groups are
    found by trying all divisions; where they are more than `MOST_EXACT`, the payments are few but perhaps not the
    fewest.

    Args:
        nets: what everyone has won or, below zero, lost.

    Raises:
        StakesError: the nets do not add up to zero.

    Rule: docs/rules.md#settling-up
    """
    total = sum(nets.values())
    if total:
        raise StakesError([Mistake("nets-unbalanced", (), f"the nets add up to {total}; expected 0")])
    pairs, others = _pair_off((player, nets[player]) for player in sorted(nets) if nets[player])
    is_fewest = len(others) <= MOST_EXACT
    groups = _divide(others) if is_fewest else [others]
    payments = [*pairs, *(payment for group in groups for payment in _settle_group(group))]
    return SettleUp(tuple(sorted(payments)), is_fewest)


def find_adjustment(before: Mapping[str, int], after: Mapping[str, int]) -> SettleUp:
    """
    Find the fewest payments that adjust a settled result to a changed one.

    Ann was paid for the 9 points that they had won; it turns out that they had won 4, and cyd, who was not there, 5:

    >>> find_adjustment({"ann": 9, "bob": -9}, {"ann": 4, "bob": -9, "cyd": 5}).payments
    (Payment(payer='ann', payee='cyd', amount=5),)

    Args:
        before: what everyone had won or, below zero, lost, as it was settled.
        after: what it is now.

    Raises:
        StakesError: the nets do not add up to zero.

    Rule: docs/rules.md#settling-up
    """
    return find_payments({player: after.get(player, 0) - before.get(player, 0) for player in {*before, *after}})


def _pair_off(nets: Iterable[Net]) -> tuple[list[Payment], list[Net]]:
    """Return the payments between players of whom one lost exactly what the other won, and the nets of the others."""
    waiting: dict[int, list[str]] = defaultdict(list)
    pairs = []
    for player, net in nets:
        if not waiting.get(-net):
            waiting[net].append(player)
        elif net < 0:
            pairs.append(Payment(player, waiting[-net].pop(0), -net))
        else:
            pairs.append(Payment(waiting[-net].pop(0), player, net))
    return pairs, sorted((player, net) for net, alike in waiting.items() for player in alike)


def _divide(nets: Sequence[Net]) -> list[list[Net]]:
    """
    Divide players into the most groups of zero.

    A set of players is a bit mask. Taken away one by one in the best order, the players left over come to zero as often
    as there are groups; `most` counts how often that is for every set.
    """
    everyone = (1 << len(nets)) - 1
    sums, most = [0] * (everyone + 1), [0] * (everyone + 1)
    for players in range(1, everyone + 1):
        last = players.bit_length() - 1
        sums[players] = sums[players ^ (1 << last)] + nets[last][1]
        most[players] = max(most[players ^ bit] for bit in _bits(players)) + (not sums[players])
    groups: list[list[Net]] = []
    left = everyone
    while left:
        if not sums[left]:
            groups.append([])
        best = most[left] - (not sums[left])
        taken = next(bit for bit in _bits(left) if most[left ^ bit] == best)
        groups[-1].append(nets[taken.bit_length() - 1])
        left ^= taken
    return groups


def _bits(players: int) -> Iterator[int]:
    """Yield the bits of a set, lowest first."""
    while players:
        lowest = players & -players
        yield lowest
        players ^= lowest


def _settle_group(group: Iterable[Net]) -> Iterator[Payment]:
    """Pay the largest debts first; each payment settles its payer, its payee or, at the end, both."""
    by_size = sorted(group, key=lambda net: (-abs(net[1]), net[0]))
    winners = ((player, won) for player, won in by_size if won > 0)
    payee, due = "", 0
    for payer, net in by_size:
        debt = max(0, -net)
        while debt:
            if not due:
                payee, due = next(winners)
            amount = min(debt, due)
            yield Payment(payer, payee, amount)
            debt -= amount
            due -= amount
