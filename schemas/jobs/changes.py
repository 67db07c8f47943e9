"""What new revisions of rounds change: the net points of players, and the payments that settle them up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from schemas.base import Dumped, WireSchema
from schemas.fields import Dictionary, Inner, Integer, Listing
from schemas.game_fields import PlayerField
from schemas.ledger.settling import Settled, Worth, dump_worth, money_of, settle_fewest
from schemas.ledger.statements import MOST_LISTED, OfWorth, dump_digits, dump_money, dump_settled
from schemas.money import Unit
from scoring.ruleset import Points


class PointChangeSchema(OfWorth, WireSchema):
    """The change of a player's net points of one worth."""

    net = Integer(required=True, description="Points that the player gains or, below zero, loses.")


class PlayerChangeSchema(WireSchema):
    """What a player gains or loses by new revisions of rounds."""

    player = PlayerField(required=True)
    points = Listing(
        Inner(PointChangeSchema),
        most=MOST_LISTED,
        required=True,
        description="Change of the player's net points: those with a value by value and unit, then those without a"
        " value by table.",
    )
    money = Dictionary(
        Integer(), required=True, description="Money gained or, below zero, lost, in minor units, by unit."
    )


@dataclass(slots=True)
class Changes:
    """
    What new revisions of rounds change: the net points of players, added only where they are worth the same.

    >>> euro, attic = Worth(10, Unit("EUR", 2), None), Worth(None, None, "attic")
    >>> changes = Changes()
    >>> changes.add_round(euro, {"kim": 5, "uma": -5})
    >>> changes.add_round(attic, {"kim": -3, "sam": 3})
    >>> changes.rounds, changes.nets, changes.units
    (2, {'kim': 2, 'sam': 3, 'uma': -5}, [Unit(code='EUR', digits=2)])
    >>> changes.settled.in_money[Unit("EUR", 2)].payments
    (Payment(payer='uma', payee='kim', amount=50),)

    A player whose points come back in another round is still one of those whom the rounds concern:

    >>> changes.add_round(attic, {"kim": 3, "sam": -3})
    >>> changes.nets, [player for player, _ in changes.in_order]
    ({'kim': 5, 'uma': -5}, ['kim', 'sam', 'uma'])

    Attributes:
        rounds: the number of rounds.
        moved: by what points are worth, the change of each player's net.
    """

    rounds: int = 0
    moved: dict[Worth, dict[str, Points]] = field(default_factory=dict)

    @classmethod
    def sum(cls, *parts: "Changes") -> "Changes":
        """Return what the rounds of all parts change."""
        changes = cls()
        for each in parts:
            changes.add(each)
        return changes

    def add_round(self, worth: Worth, moved: Mapping[str, Points]) -> None:
        """Add a round, whose points are of one worth, with the change of each player's net."""
        self.add(Changes(1, {worth: dict(moved)}))

    def add(self, other: "Changes") -> None:
        """Add what other rounds change."""
        self.rounds += other.rounds
        for worth, moved in other.moved.items():
            if moved:
                sums = self.moved.setdefault(worth, {})
                for player, points in moved.items():
                    sums[player] = sums.get(player, 0) + points

    def by(self, player_of: Callable[[str], str]) -> "Changes":
        """
        Return the changes by the players of the IDs that rounds have.

        >>> changes = Changes(2, {Worth(None, None, "attic"): {"bob": 3, "bobby": -1, "kim": -2}})
        >>> changes.by(lambda known_as: "bob" if known_as == "bobby" else known_as).nets
        {'bob': 2, 'kim': -2}
        """
        changes = Changes(self.rounds)
        for unit, moved in self.moved.items():
            for known_as, points in moved.items():
                changes.add(Changes(0, {unit: {player_of(known_as): points}}))
        return changes

    @property
    def by_player(self) -> dict[str, dict[Worth, Points]]:
        """The change of each player's net of each worth, for all players whose net changes in some round."""
        nets: dict[str, dict[Worth, Points]] = {}
        for worth in sorted(self.moved, key=lambda worth: worth.order):
            for player, points in self.moved[worth].items():
                nets.setdefault(player, {})[worth] = points
        return nets

    @property
    def in_order(self) -> list[tuple[str, dict[Worth, Points]]]:
        """The same, the largest gain of points first, whatever they are worth."""
        return sorted(self.by_player.items(), key=lambda each: (-sum(each[1].values()), each[0]))

    @property
    def nets(self) -> dict[str, Points]:
        """The change of each player's net, whatever the points are worth, without zeros."""
        sums = {player: sum(nets.values()) for player, nets in self.by_player.items()}
        return {player: sums[player] for player in sorted(sums) if sums[player]}

    @property
    def units(self) -> list[Unit]:
        """The units of the money."""
        return sorted({worth.unit for worth in self.moved if worth.unit is not None})

    @property
    def unbalanced(self) -> list[Worth]:
        """The points that would be created or lost, because stored stacks were damaged."""
        return [worth for worth, moved in self.moved.items() if sum(moved.values())]

    @property
    def settled(self) -> Settled:
        """
        The fewest payments that settle the changes up.

        Points that do not add up to zero cannot be settled up, and have no payments.

        >>> euro = Worth(10, Unit("EUR", 2), None)
        >>> damaged = Changes(1, {euro: {"kim": 5, "uma": -4}})
        >>> damaged.settled.in_points, damaged.unbalanced == [euro]
        ({}, True)
        """
        unbalanced = self.unbalanced
        balanced = {
            player: {worth: points for worth, points in nets.items() if worth not in unbalanced}
            for player, nets in self.by_player.items()
        }
        return settle_fewest(balanced)


def dump_changes(changes: Changes) -> Dumped:
    """Encode what each player gains or loses, the largest gain of points first, and the payments."""
    return {
        "players": len(changes.by_player),
        "net_moved": changes.nets,
        "moved": [
            {
                "player": player,
                "points": [{**dump_worth(worth), "net": points} for worth, points in nets.items()],
                "money": dump_money(money_of(nets)),
            }
            for player, nets in changes.in_order
        ],
        "unit_digits": dump_digits(changes.units),
        **dump_settled(changes.settled),
    }
