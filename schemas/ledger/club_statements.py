"""Statements over several tables: the results of each player, in total and at each table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from schemas.base import Dumped, WireField, WireSchema
from schemas.clubs import InPeriodOrEvening
from schemas.fields import (
    UUID_PATTERN,
    Dictionary,
    Inner,
    Integer,
    Listing,
    UuidField,
    show_time,
)
from schemas.game_fields import AliasesField, PlayerField, TableNameField, dump_aliases
from schemas.ledger.csv_rows import dump_rows, raw_field, text_cell
from schemas.ledger.settling import Settled, Worth, money_of
from schemas.ledger.statements import (
    CHARGES,
    MOST_LISTED,
    SETTLE_UP,
    SettledSchema,
    SettleUpField,
    dump_digits,
    dump_money,
    dump_settled,
    list_amounts,
)
from schemas.ledger.units import table_of
from schemas.money import Unit
from schemas.pages import QuerySchema
from scoring.ruleset import Points

_MOST_TABLES: Final = 100
_MOST_CHARACTERS: Final = 37 * _MOST_TABLES - 1
_TABLES_PATTERN: Final = f"^{UUID_PATTERN[1:-1]}(?:,{UUID_PATTERN[1:-1]}){{0,{_MOST_TABLES - 1}}}$"


class TablesField(WireField):
    """IDs of tables, separated by commas."""

    def __init__(self, **options: Any) -> None:
        described = {"minLength": 36, "maxLength": _MOST_CHARACTERS, "pattern": _TABLES_PATTERN}
        super().__init__(described=described, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[UUID, ...]:
        listed = value.split(",")
        if len(listed) > _MOST_TABLES:
            raise self.refuse("list-length", f"has {len(listed)} ids; expected at most {_MOST_TABLES}")
        field = UuidField()
        return tuple(field.deserialize(each) for each in listed)


class ClubStatementQuerySchema(InPeriodOrEvening, QuerySchema):
    """The rounds of a statement, and how it is settled up."""

    tables = TablesField(description="Only rounds at these tables: their IDs, separated by commas.")
    player = PlayerField(description="Only rounds that this player played.")
    settle_up = SettleUpField(description=SETTLE_UP)
    raw = raw_field()


class PlayerResultSchema(WireSchema):
    """What a player won or lost in several rounds."""

    rounds = Integer(least=1, required=True, description="Number of rounds that the player played.")
    top_ups = Integer(least=0, required=True, description="Points added during rounds.")
    net = Integer(
        required=True,
        description="Points won or, below zero, lost, whatever they are worth. `payments` add only those of one worth.",
    )
    money = Dictionary(Integer(), required=True, description="Money won or, below zero, lost, in minor units, by unit.")
    charges = CHARGES


class PlayerAtTableSchema(PlayerResultSchema):
    """What a player won or lost at a table."""

    table = UuidField(required=True, description="ID of the table.")
    table_name = TableNameField(required=True)


class PlayerInClubSchema(PlayerResultSchema):
    """What a player won or lost, in total and at each table."""

    player = PlayerField(required=True)
    tables = Listing(
        Inner(PlayerAtTableSchema),
        most=MOST_LISTED,
        required=True,
        description="The player's results at each table, in the order of their names.",
    )


class ClubStatementSchema(SettledSchema):
    """The players' results over several tables, and the payments that settle them up."""

    players = Listing(
        Inner(PlayerInClubSchema),
        most=MOST_LISTED,
        required=True,
        description="The players' results, highest net points first.",
    )
    aliases = AliasesField()


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """What a player won or lost, as points of each unit, and what the house charged for it, by unit."""

    rounds: int
    top_ups: Points
    nets: Mapping[Worth, Points]
    charges: Mapping[Unit, int] = field(default_factory=dict)

    @property
    def net(self) -> Points:
        """The number of all these points, whatever they are worth."""
        return sum(self.nets.values())

    @property
    def money(self) -> dict[Unit, int]:
        """The money that they are worth, in minor units, by unit."""
        return money_of(self.nets)


@dataclass(frozen=True, slots=True)
class PlayerAtTable:
    """What a player won or lost at a table."""

    table: str
    table_name: str
    result: PlayerResult


@dataclass(frozen=True, slots=True)
class PlayerInClub:
    """What a player won or lost, in total and at each table."""

    player: str
    result: PlayerResult
    tables: Sequence[PlayerAtTable]


@dataclass(frozen=True, slots=True)
class ClubStatementView:
    """The players' results over several tables, and the payments."""

    opened_from: datetime | None
    opened_before: datetime | None
    rounds: int
    open_rounds: int
    players: Sequence[PlayerInClub]
    settled: Settled
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def units(self) -> list[Unit]:
        """The units of the money of the rounds."""
        return sorted({unit for each in self.players for unit in each.result.money})

    @property
    def charged_units(self) -> set[Unit]:
        """The units in which the house has charged players."""
        return {unit for each in self.players for unit in each.result.charges if table_of(unit.code) is None}

    @property
    def has_charges(self) -> bool:
        """Whether the house has charged a player for the rounds."""
        return any(each.result.charges for each in self.players)

    @property
    def in_order(self) -> list[PlayerInClub]:
        """The players, highest net points first."""
        return sorted(self.players, key=lambda each: (-each.result.net, each.player))


def dump_club_statement(view: ClubStatementView) -> Dumped:
    """Encode a statement."""
    return {
        "from": show_time(view.opened_from),
        "to": show_time(view.opened_before),
        "rounds": view.rounds,
        "open_rounds": view.open_rounds,
        "unit_digits": dump_digits((*view.units, *view.charged_units)),
        "players": [
            {
                "player": each.player,
                **_dump_result(each.result),
                "tables": [
                    {"table": at.table, "table_name": at.table_name, **_dump_result(at.result)}
                    for at in sorted(each.tables, key=lambda at: at.table_name)
                ],
            }
            for each in view.in_order
        ],
        **dump_aliases(view.aliases),
        **dump_settled(view.settled),
    }


def _dump_result(result: PlayerResult) -> Dumped:
    return {
        "rounds": result.rounds,
        "top_ups": result.top_ups,
        "net": result.net,
        "money": dump_money(result.money),
        "charges": dump_money(result.charges),
    }


STATEMENT_COLUMNS: Final = ("player", "table", "rounds", "top_ups", "net", "amount", "charge", "unit")


def dump_statement_rows(view: ClubStatementView, *, raw: bool | None = False) -> bytes:
    """
    Encode a statement as CSV: one row for each player, table and unit; texts may be raw.

    The points of a player at a table are in the first of their rows, so that a column adds up.
    """
    rows: list[tuple[str | int | None, ...]] = [STATEMENT_COLUMNS]
    for each in view.in_order:
        for at in sorted(each.tables, key=lambda at: at.table_name):
            names = text_cell(each.player, raw=raw), text_cell(at.table_name, raw=raw)
            points: tuple[int | None, ...] = (at.result.rounds, at.result.top_ups, at.result.net)
            for amounts in list_amounts(at.result.money, at.result.charges):
                rows.append((*names, *points, *amounts))
                points = (None, None, None)
    return dump_rows(rows)
