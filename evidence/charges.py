"""The standing charge of a table: what the house charges every player of its rounds."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from scoring.hand import Seat


class ChargePer(StrEnum):
    """How often the house charges a player."""

    HAND = "hand"
    """For every hand in which the player was dealt in."""
    ROUND = "round"
    """Once for a round in which the player was dealt in."""


@dataclass(frozen=True, slots=True)
class StandingCharge:
    """What every player owes the house for the hands or for the round that they play, in the unit of the round."""

    per: ChargePer
    amount: int

    def charge(self, hands: Iterable[Iterable[Seat]]) -> dict[Seat, int]:
        """
        Return what the players of some hands owe, by seat.

        >>> hands = [(1, 2, 3), (1, 2)]
        >>> StandingCharge(ChargePer.HAND, 50).charge(hands), StandingCharge(ChargePer.ROUND, 50).charge(hands)
        ({1: 100, 2: 100, 3: 50}, {1: 50, 2: 50, 3: 50})

        Args:
            hands: of each hand of a round, the seats that were dealt in.
        """
        played = Counter(seat for seats in hands for seat in seats)
        if self.per is ChargePer.ROUND:
            return dict.fromkeys(played, self.amount)
        return {seat: self.amount * times for seat, times in played.items()}


def dump_charge(per: ChargePer | None, amount: int | None) -> dict[str, str | int | None]:
    """
    Return the two fields of a standing charge as JSON.

    >>> dump_charge(ChargePer.HAND, 50)
    {'charge_per': 'hand', 'charge_amount': 50}
    """
    return {"charge_per": None if per is None else per.value, "charge_amount": amount}


def charge_of(per: ChargePer | None, amount: int | None) -> StandingCharge | None:
    """Return the standing charge of a table or a round from its two fields; None if it has none."""
    return None if per is None or amount is None else StandingCharge(per, amount)
