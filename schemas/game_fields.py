"""Field types of poker terms: cards, seats, stacks, players, rulesets, and points in money."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import ValidationError

from evidence.charges import ChargePer
from schemas.base import Sentence, WireField, show
from schemas.fields import MOST_INTEGER, Characters, Choice, Dictionary, Integer, Listing, Text
from schemas.money import MOST_DIGITS
from scoring.cards import BY_NAME, RANKS, SUITS, Card

CARD_PATTERN: Final = f"^[{RANKS}][{SUITS}]$"
_MOST_CARDS: Final = 52
_MOST_ALIASES: Final = 100_000


class CardField(WireField):
    """A card: rank, then suit."""

    def __init__(self, **options: Any) -> None:
        super().__init__(described={"pattern": CARD_PATTERN, "example": "As"}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Card:
        card = BY_NAME.get(value) if isinstance(value, str) else None
        if card is None:
            advice = f"expected a rank of {RANKS} and a suit of {SUITS}, for example 'As' or 'Td'"
            raise self.refuse("card-unknown", f"is {show(value)}; {advice}")
        return card


class _Cards(Listing):
    """An array of cards."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return tuple(super()._deserialize(value, attr, data, **kwargs))


class RowField(_Cards):
    """The cards of one row."""

    def __init__(self, size: int, **options: Any) -> None:
        self.size = size
        super().__init__(CardField(), least=size, most=size, **_each_once(options))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, list) or len(value) == self.size:
            return super()._deserialize(value, attr, data, **kwargs)
        mistakes: dict[Any, Any] = {"_schema": [Sentence("row-size", f"has {len(value)} cards; expected {self.size}")]}
        for index, item in enumerate(value[:_MOST_CARDS]):
            try:
                self.inner.deserialize(item)
            except ValidationError as error:
                mistakes[index] = error.messages
        raise ValidationError(mistakes)


class CardList(_Cards):
    """Cards that are no row: dealt, discarded or placed automatically."""

    def __init__(self, *, most: int, least: int = 0, **options: Any) -> None:
        super().__init__(CardField(), least=least, most=most, **_each_once(options))


def _each_once(options: dict[str, Any]) -> dict[str, Any]:
    """Add to the contract that no card occurs twice. The rules, which know every player's cards, validate it."""
    return {**options, "metadata": {"uniqueItems": True, **options.get("metadata", {})}}


MOST_SEAT: Final = 1000
MOST_PLAYERS: Final = 4
MOST_STREETS: Final = 9
MOST_HANDS: Final = 10_000
MOST_STACK: Final = 1_000_000_000_000
"""Maximum points of one player, so that every JSON parser represents the sums of a round exactly."""
MOST_CHARGE: Final = 1_000_000_000
"""Maximum amount of a standing charge."""


class SeatField(Integer):
    """A seat number."""

    default_description = "Seat number, counted clockwise from 1."

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=MOST_SEAT, **options)


class StackField(Integer):
    """The points that a player has."""

    def __init__(self, *, least: int = 1, most: int = MOST_STACK, **options: Any) -> None:
        super().__init__(least=least, most=most, **options)


class OpeningStackField(StackField):
    """The points that a player starts a round with. The rules refuse 0, together with other mistakes."""

    default_description = (
        "Points that the player starts the round with. The sum over all players, times the point value, is at most"
        " 2⁵³ − 1."
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(least=0, most=MOST_INTEGER, metadata={"minimum": 1}, **options)


class PlayerField(Text):
    """The operator's ID of a player; not a display name."""

    default_description = "The operator's ID of the player; not a display name."

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=100, **{"characters": Characters.ID, "metadata": {"example": "ann"}, **options})


class AliasesField(Dictionary):
    """The aliases of the players of a response."""

    default_description = "Player of each alias whose records are included, by the alias. Omitted if there are none."

    def __init__(self) -> None:
        super().__init__(PlayerField(), most=_MOST_ALIASES)


def dump_aliases(aliases: Mapping[str, str]) -> dict[str, Any]:
    """
    Return the field of aliases, if there are some.

    >>> dump_aliases({"bobby": "bob"}), dump_aliases({})
    ({'aliases': {'bobby': 'bob'}}, {})
    """
    return {"aliases": dict(aliases)} if aliases else {}


REFERENCE_PATTERN: Final = "^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?(?:@[1-9][0-9]{0,8})?$"


class RulesetReference(Text):
    """A ruleset by name (newest version) or as `name@version`."""

    default_description = "Ruleset, as a name (newest version) or `name@version`."

    def __init__(self, **options: Any) -> None:
        meaning = "a ruleset's name, or name@version"
        super().__init__(longest=80, pattern=REFERENCE_PATTERN, meaning=meaning, **options)


class TableNameField(Text):
    """The name of a table, unique among the tables of its club that are not archived."""

    default_description = "Name of the table, unique among the tables of the club that are not archived."

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=100, **{"characters": Characters.ID, "metadata": {"example": "kitchen"}, **options})


class PointValueField(Integer):
    """The value of one point, in minor units."""

    default_description = "Value of one point, in minor units. Null for points only."

    def __init__(self, **options: Any) -> None:
        super().__init__(least=0, most=1_000_000_000, allow_none=True, **options)


UNIT_CODE_PATTERN: Final = "^[A-Za-z][A-Za-z0-9]{1,11}$"


class UnitCodeField(Text):
    """The unit of a point value: the ISO 4217 code of a currency, or the code of a unit of the club."""

    default_description = (
        "Unit of the point value: a currency, as an ISO 4217 code, or a unit of the club, by its code. Null for points"
        " only."
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(
            longest=12,
            pattern=UNIT_CODE_PATTERN,
            meaning="a currency, for example EUR, or the code of a unit of the club: 2 to 12 letters and digits",
            **{"allow_none": True, "metadata": {"example": "EUR", "minLength": 2}, **options},
        )


class UnitDigitsField(Integer):
    """The number of digits after the decimal point of amounts in a unit."""

    default_description = "Number of digits after the decimal point: 2 if 1250 is 12.50. Null without a unit."

    def __init__(self, **options: Any) -> None:
        super().__init__(least=0, most=MOST_DIGITS, **{"allow_none": True, **options})


class ChargePerField(Choice):
    """How often the house charges every player of a table."""

    default_description = (
        "What the standing charge of the house is for: `hand` for every hand in which a player was dealt in, `round`"
        " once for a round. Null without a standing charge."
    )

    def __init__(self, **options: Any) -> None:
        super().__init__({each.value: each for each in ChargePer}, **{"allow_none": True, **options})


class ChargeAmountField(Integer):
    """The amount of a standing charge."""

    default_description = (
        "Amount of the standing charge, which each player owes the house: minor units of the unit, or points where"
        " they have no value. Null without a standing charge."
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=MOST_CHARGE, **{"allow_none": True, **options})


class ReferenceField(Text):
    """The client's own ID of a record: of a round unique at its table, of a table or a hand unique in the club."""

    default_description = "The operator's reference of the round, unique at its table."

    def __init__(self, **options: Any) -> None:
        super().__init__(
            longest=200,
            **{"allow_none": True, "characters": Characters.ID, "metadata": {"example": "2026-11-20/3"}, **options},
        )


class ReasonField(Text):
    """A reason, in one line."""

    default_description = "The reason, in one line."

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=500, **options)
