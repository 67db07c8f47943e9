"""The filters of pages about tables, payments and players. Their periods are in evenings of the club."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Sentence
from schemas.clubs import ClubView
from schemas.fields import Choice, DateField, Text
from schemas.game_fields import PlayerField
from schemas.ledger.club_statements import TablesField
from schemas.ledger.statements import SettleUpField
from schemas.pages import CursorField, QueryInteger, QuerySchema

_MOST_PAGES: Final = 1_000_000
LONGEST_TRAIL: Final = 2000
"""The number of characters of an address that lead back to the pages before."""
_FORMS = {form: form for form in ("csv", "json", "print")}


@dataclass(frozen=True, slots=True)
class Evenings:
    """A period in evenings of a club, the last one included; None is no limit."""

    first: date | None = None
    last: date | None = None

    def times(self, club: ClubView) -> dict[str, Any]:
        """
        Return when the first evening begins and the last one ends.

        >>> from datetime import time
        >>> evenings = Evenings(date(2026, 11, 20), date(2026, 11, 21))
        >>> [f"{moment:%d %H:%M}" for moment in evenings.times(ClubView("riverside", "UTC", time(6))).values()]
        ['20 06:00', '22 06:00']
        """
        return {
            "opened_from": None if self.first is None else club.evening(self.first)[0],
            "opened_before": None if self.last is None else club.evening(self.last)[1],
        }


class EveningsQuerySchema(QuerySchema):
    """A period in evenings: one `evening`, or the first and the last; and the form of a page."""

    evening = DateField()
    first = DateField(data_key="from")
    last = DateField(data_key="to")
    form = Choice(_FORMS, data_key="format")

    @validates_schema(skip_on_field_errors=False)
    def _check_evenings(self, read: dict[str, Any], **_: Any) -> None:
        first, last = read.get("first"), read.get("last")
        if read.get("evening") is not None and (first or last):
            detail = "is given beside a period; expected either `evening`, or `from` and `to`"
            raise ValidationError(Sentence("period-ambiguous", detail), "evening")
        if first is not None and last is not None and first > last:
            detail = f"is {first}, after the last evening {last}; expected an evening not after it"
            raise ValidationError(Sentence("out-of-range", detail), "from")

    @post_load
    def _make_evenings(self, read: dict[str, Any], **_: Any) -> dict[str, Any]:
        evening = read.pop("evening", None)
        read["evenings"] = Evenings(read.pop("first", None) or evening, read.pop("last", None) or evening)
        return read


class PageNumber(QueryInteger):
    """The number of a page of a list."""

    def __init__(self) -> None:
        super().__init__(least=1, most=_MOST_PAGES)


class Trail(Text):
    """The cursors of the pages before a page of a list."""

    def __init__(self) -> None:
        super().__init__(longest=LONGEST_TRAIL)


class _Paged(QuerySchema):
    cursor = CursorField()
    page = PageNumber()
    back = Trail()


class _OneTable(EveningsQuerySchema):
    table = Text(longest=100)


class TablePageQuerySchema(EveningsQuerySchema, _Paged):
    """The rounds of the statement of a table, and which list of it is a file."""

    part = Choice({part: part for part in ("payments",)})
    settle_up = SettleUpField()


class StatementPageQuerySchema(TablePageQuerySchema):
    """The rounds of a statement over several tables: without a period, those of the last evening."""

    tables = TablesField(data_key="table")
    period = Choice({"all": "all"})
    player = Text(longest=100)


class PlayerPageQuerySchema(_OneTable, _Paged):
    """The rounds of a player's statistics, and which list of them is a file."""

    ruleset = Text(longest=100)
    player = PlayerField(data_key="id")
    part = Choice({part: part for part in ("figures", "opponents", "hands")})


def join_repeated(sent: Mapping[str, list[str]]) -> dict[str, str]:
    """
    Return the fields of a form that are not empty; those that are sent several times, separated by commas.

    >>> join_repeated({"table": ["a", "b"], "from": [""], "to": ["2026-11-20"]})
    {'table': 'a,b', 'to': '2026-11-20'}
    """
    return {name: text for name, values in sent.items() if (text := ",".join(filter(None, values)))}
