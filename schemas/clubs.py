"""A club: its time zone, its evenings, and its API keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo

from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Dumped, Sentence, WireSchema
from schemas.fields import Boolean, Choice, DateField, Inner, Listing, Text, Time, UuidField
from schemas.game_fields import PlayerField
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
    """A club, when its evenings begin, and whether a second auditor confirms what changes a final settlement."""

    name: str
    time_zone: str
    evening_begins: time
    second_auditor: bool = False

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
    second_auditor = Boolean(
        required=True,
        description="True if another key must confirm what changes a final settlement: a correction, or an audit that"
        " is applied.",
    )


def dump_club(club: ClubView) -> Dumped:
    """Encode a club."""
    return {
        "name": club.name,
        "time_zone": club.time_zone,
        "evening_begins": f"{club.evening_begins:%H:%M}",
        "second_auditor": club.second_auditor,
    }


class KeyScope(StrEnum):
    """A group of operations that a key can be used for."""

    READ = "read"
    SCORE = "score"
    WRITE = "write"
    TABLES = "tables"
    IMPORTS = "imports"
    RECOMPUTE = "recompute"
    DISPUTES = "disputes"
    CORRECT = "correct"
    CORRECT_FINAL = "correct-final"
    AUDIT = "audit"
    WEBHOOKS = "webhooks"
    ADMIN = "admin"


EVERY_SCOPE: Final = "*"
"""All scopes, including those of later releases."""


class KeyPreset(StrEnum):
    """The scopes of a key, by what it is for."""

    ROOM = "room"
    SCOREKEEPER = "scorekeeper"
    AUDITOR = "auditor"
    MANAGER = "manager"


_SCOPES: Final = {EVERY_SCOPE: EVERY_SCOPE, **{scope.value: scope.value for scope in KeyScope}}
_PRESETS: Final = {preset.value: preset for preset in KeyPreset}
_LONGEST_NAME: Final = 100
_SECRET_LENGTH: Final = 56


@dataclass(frozen=True, slots=True)
class KeyRequest:
    """
    A key to create.

    Attributes:
        preset: the preset that names its scopes; None if they are listed.
        scopes: its scopes; None if a preset names them.
        expires_at: when it expires; None if it does not.
        player: the operator's ID of the player who uses it; None if it is no player's.
    """

    name: str
    preset: KeyPreset | None = None
    scopes: tuple[str, ...] | None = None
    expires_at: datetime | None = None
    player: str | None = None


class ApiKeyRequestSchema(WireSchema):
    """An API key to create, with the scopes of a preset or with single scopes."""

    name = Text(
        longest=_LONGEST_NAME,
        required=True,
        metadata={"example": "table tablet"},
        description="What the key is used for, for example which device has it.",
    )
    preset = Choice(
        _PRESETS,
        load_default=None,
        allow_none=True,
        description="What the key is for: `room` for the software of a card room, `scorekeeper` for those who record"
        " rounds, `auditor` for those who decide disputes and correct rounds, `manager` for every scope by its name."
        " The description of the security scheme lists the scopes of each. Required without `scopes`.",
    )
    scopes = Listing(
        Choice(_SCOPES),
        least=1,
        most=len(_SCOPES),
        load_default=None,
        allow_none=True,
        description="What the key is allowed to do. Required without `preset`, and not with it. The key of the request"
        " must have each of them; only one with `*` creates keys with `*`.",
    )
    expires_at = Time(
        load_default=None,
        allow_none=True,
        description="Time when the key expires, no later than the key of the request. Null if it does not expire, which"
        " only a key without an end creates.",
    )
    player = PlayerField(
        load_default=None,
        allow_none=True,
        description="The operator's ID of the player who uses the key. With it, the key decides no dispute of a round"
        " that this player sat in. Null if nobody who plays uses it.",
    )

    @validates_schema(skip_on_field_errors=True)
    def _check_scopes(self, read: dict[str, Any], **_: Any) -> None:
        if read["preset"] is not None and read["scopes"] is not None:
            raise ValidationError(
                Sentence("scopes-ambiguous", "is given with `preset`; expected one of them"), "scopes"
            )
        if read["preset"] is None and read["scopes"] is None:
            detail = f"is required without `scopes`; expected one of {', '.join(_PRESETS)}"
            raise ValidationError(Sentence("field-missing", detail), "preset")

    @post_load
    def _build(self, loaded: dict[str, Any], **_: Any) -> KeyRequest:
        scopes = loaded.pop("scopes")
        return KeyRequest(scopes=None if scopes is None else tuple(scopes), **loaded)


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
    name = Text(required=True, longest=_LONGEST_NAME, description="What the key is used for, as its creator named it.")
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
    player = PlayerField(
        required=True,
        allow_none=True,
        description="The operator's ID of the player who uses the key. Null if none was declared.",
    )
    created_by = UuidField(
        required=True, allow_none=True, description="ID of the key that created it. Null if the operator did."
    )


class NewApiKeySchema(ApiKeySchema):
    """A new API key. This response is the only one that contains its secret."""

    secret = Text(
        required=True,
        longest=_SECRET_LENGTH,
        pattern="^ofc_[0-9a-z]{8}_[0-9A-Za-z]{43}$",
        metadata={"minLength": _SECRET_LENGTH},
        description="The key, to be sent as `Authorization: Bearer SECRET`. Only its hash is stored.",
    )


class ApiKeyPageSchema(PageSchema):
    """One page of API keys, newest first."""

    keys = Listing(Inner(ApiKeySchema), most=100, required=True, description="The keys of this page, newest first.")
