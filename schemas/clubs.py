"""A club: its time zone, its evenings, and its API keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from marshmallow import ValidationError, validates_schema

from schemas.base import Dumped, Sentence, WireSchema
from schemas.fields import DateField, Inner, Listing, Text, Time, UuidField
from schemas.pages import OfRounds, OpenedInPeriod, PageSchema

_TIME_OF_DAY: Final = "^([01][0-9]|2[0-3]):[0-5][0-9]$"
_DAY: Final = timedelta(days=1)


class InPeriodOrEvening(OpenedInPeriod):
    """A period from `from` to `to`, or one evening of the club."""

    evening = DateField(
        description="Only rounds opened on this evening of the club, which ends when the next one begins. Not with"
        " `from` or `to`."
    )

    @validates_schema(skip_on_field_errors=False)
    def _check_evening(self, read: dict[str, Any], **_: Any) -> None:
        if read.get("evening") is not None and (read.get("opened_from") or read.get("opened_before")):
            detail = "is given beside a period; expected either `evening`, or `from` and `to`"
            raise ValidationError(Sentence("period-ambiguous", detail), "evening")


class OfRoundsOrEvening(InPeriodOrEvening, OfRounds):
    """A filter by the table of rounds, and by a period or an evening."""


@dataclass(frozen=True, slots=True)
class ClubView:
    """A club, and when its evenings begin."""

    name: str
    time_zone: str
    evening_begins: time

    def evening(self, day: date) -> tuple[datetime, datetime]:
        """
        Return when an evening begins and ends.

        >>> club = ClubView("riverside", "Europe/Berlin", time(6))
        >>> [f"{moment:%d %H:%M}" for moment in club.evening(date(2026, 10, 24))]
        ['24 04:00', '25 05:00']
        """
        return self._begin(day), self._begin(day + _DAY)

    def evening_of(self, moment: datetime) -> date:
        """
        Return the evening that a moment belongs to.

        >>> club = ClubView("riverside", "Europe/Berlin", time(6))
        >>> club.evening_of(datetime(2026, 10, 25, 4, 59, tzinfo=UTC)).isoformat()
        '2026-10-24'
        """
        day = moment.astimezone(ZoneInfo(self.time_zone)).date()
        return day if self._begin(day) <= moment else day - _DAY

    def _begin(self, day: date) -> datetime:
        return datetime.combine(day, self.evening_begins, ZoneInfo(self.time_zone)).astimezone(UTC)

    def period(self, query: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a query with its evening as a period."""
        other = {name: value for name, value in query.items() if name != "evening"}
        if query["evening"] is None:
            return other
        begin, end = self.evening(query["evening"])
        return other | {"opened_from": begin, "opened_before": end}


class ClubSchema(WireSchema):
    """The club of the key."""

    name = Text(longest=100, required=True, description="Name of the club.")
    time_zone = Text(
        longest=100,
        required=True,
        metadata={"example": "Europe/Berlin"},
        description="Time zone of the club, of the IANA time zone database.",
    )
    evening_begins = Text(
        longest=5,
        pattern=_TIME_OF_DAY,
        meaning="a time of day, for example 06:00",
        required=True,
        metadata={"example": "06:00", "minLength": 5},
        description="Time of day at which an evening begins there. It ends when the next one begins.",
    )


def dump_club(club: ClubView) -> Dumped:
    """Encode a club."""
    return {
        "name": club.name,
        "time_zone": club.time_zone,
        "evening_begins": f"{club.evening_begins:%H:%M}",
    }


class ScopeField(Text):
    """The name of a scope. New scopes can be added, so it is a text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=20, **options)


class ApiKeySchema(WireSchema):
    """An API key of the club, without its secret, which is not stored."""

    id = UuidField(required=True, description="ID of the key.")
    prefix = Text(
        required=True, longest=12, description="First characters of the key, which identify it in lists and logs."
    )
    name = Text(required=True, longest=100, description="What the key is used for, as its creator named it.")
    scopes = Listing(ScopeField(), most=20, required=True, description="What the key is allowed to do.")
    created_at = Time(required=True, description="Time when the key was created.")
    expires_at = Time(
        required=True, allow_none=True, description="Time when the key expires. Null if it does not expire."
    )
    revoked_at = Time(
        required=True,
        allow_none=True,
        description="Time from which the key is revoked, which can be in the future. Null if it is not revoked.",
    )
    last_used_at = Time(
        required=True,
        allow_none=True,
        description="Time of the last request with the key, to the minute. Null if it was never used.",
    )


class ApiKeyPageSchema(PageSchema):
    """One page of API keys, newest first."""

    keys = Listing(Inner(ApiKeySchema), most=100, required=True, description="The keys of this page, newest first.")
