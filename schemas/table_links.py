"""Links to one table: what a scorekeeper's phone is given instead of a key, and links that sign in to the console."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from evidence.events import TableLinkKind
from schemas.base import Dumped, Sentence, WireSchema
from schemas.fields import Choice, Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.game_fields import PlayerField
from schemas.pages import PageSchema

SECRET_PREFIX: Final = "ofc_link_"
"""The first characters of the secret of every link."""
SECRET_LENGTH: Final = 43
"""43 letters and digits have more than 255 bits."""

DEFAULT_LIFETIME: Final = timedelta(hours=24)
MIN_LIFETIME: Final = timedelta(minutes=1)
MAX_LIFETIME: Final = timedelta(days=366)
_LONGEST_LABEL: Final = 100
_LONGEST_URL: Final = 500
_KINDS: Final = {kind.value: kind for kind in TableLinkKind}


@dataclass(frozen=True, slots=True)
class TableLink:
    """
    A link to a table, without its secret.

    Attributes:
        table_id: the only table that it is for.
        key_id: the key with which it was issued, and ends.
        revoked_at: None if it is not revoked.
        last_used_at: rounded to minutes; None if it was never used.
        player: the operator's ID of the player of a personal link; None for other links.
    """

    id: UUID
    table_id: UUID
    key_id: UUID
    kind: TableLinkKind
    label: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    player: str | None = None


@dataclass(frozen=True, slots=True)
class TableLinkRequest:
    """A link to create; `expires_in` is in seconds. `player` is given for a personal link only."""

    label: str | None
    kind: TableLinkKind
    player: str | None
    expires_in: int


@dataclass(frozen=True, slots=True)
class LinkWarning:
    """Why a new link may not work, or may be read by others."""

    code: str
    detail: str


def _seconds(life: timedelta) -> int:
    return int(life.total_seconds())


class TableLinkRequestSchema(WireSchema):
    """A link to one table. Without fields, it is a viewer's link for 24 hours."""

    label = Text(
        longest=_LONGEST_LABEL,
        load_default=None,
        description="What the link is used for, for example whose phone has it. Default: the kind.",
    )
    kind = Choice(
        _KINDS,
        load_default=TableLinkKind.VIEWER,
        description="`scorekeeper` to record the rounds of the table and to correct those that are not final; `viewer`"
        " to read the table; `player` to read it, and to confirm and dispute settlements for one player.",
    )
    player = PlayerField(
        load_default=None,
        allow_none=True,
        description="The operator's ID of the player whose link it is. Required for the kind `player` only.",
    )
    expires_in = Integer(
        least=_seconds(MIN_LIFETIME),
        most=_seconds(MAX_LIFETIME),
        load_default=_seconds(DEFAULT_LIFETIME),
        description="Seconds until the link expires.",
    )

    @validates_schema(skip_on_field_errors=True)
    def _check_player(self, read: dict[str, Any], **_: Any) -> None:
        is_personal = read["kind"] is TableLinkKind.PLAYER
        if is_personal and read["player"] is None:
            detail = "is required for the kind 'player'; expected the ID of a player"
            raise ValidationError(Sentence("field-missing", detail), "player")
        if read["player"] is not None and not is_personal:
            detail = f"is given for the kind {read['kind'].value!r}; expected it with the kind 'player' only"
            raise ValidationError(Sentence("player-unexpected", detail), "player")

    @post_load
    def _build(self, loaded: dict[str, Any], **_: Any) -> TableLinkRequest:
        return TableLinkRequest(**loaded)


class LinkWarningSchema(WireSchema):
    """Why a new link may not work, or may be read by others."""

    code = Text(required=True, longest=40, description="Stable code: `link-loopback` or `link-readable`.")
    detail = Text(required=True, longest=500, description="One sentence with the reason and what to change.")


class TableLinkSchema(WireSchema):
    """A link to one table, without its secret, which is not stored."""

    id = UuidField(required=True, description="ID of the link: the actor of the events that it causes.")
    label = Text(required=True, longest=_LONGEST_LABEL, description="What the link is used for.")
    kind = Choice(_KINDS, required=True, description="What the link is for.")
    player = PlayerField(
        required=True,
        allow_none=True,
        description="The operator's ID of the player whose link it is. Null if it is not a player's link.",
    )
    scopes = Listing(Text(longest=20), most=20, required=True, description="What the link is allowed to do.")
    table = UuidField(required=True, description="ID of the only table that the link is for.")
    key = UuidField(required=True, description="ID of the key that issued the link. The link ends with this key.")
    created_at = Time(required=True, description="Time when the link was created.")
    expires_at = Time(required=True, description="Time when the link expires.")
    revoked_at = Time(
        required=True, allow_none=True, description="Time when the link was revoked. Null if it is not revoked."
    )
    last_used_at = Time(
        required=True,
        allow_none=True,
        description="Time of the last request with the link, to the minute. Null if it was never used.",
    )


class NewTableLinkSchema(TableLinkSchema):
    """A new link to one table. This response is the only one that contains its secret."""

    url = Text(
        required=True,
        longest=_LONGEST_URL,
        description="Address to open on a phone. The secret of a scorekeeper's link is its fragment, after `#`, which a"
        " browser sends to no server; that of other links is the last part of its path.",
    )
    board_url = Text(
        required=True,
        allow_none=True,
        longest=_LONGEST_URL,
        description="Address of the scoreboard, for a TV or a tablet. Null for a scorekeeper's link.",
    )
    warnings = Listing(
        Inner(LinkWarningSchema), most=10, required=True, description="Why the address may not work, or may be read."
    )


class TableLinkPageSchema(PageSchema):
    """One page of links to a table, newest first."""

    links = Listing(
        Inner(TableLinkSchema), most=100, required=True, description="The links of this page, newest first."
    )


class CurrentLinkSchema(WireSchema):
    """The link of a request, with its table."""

    id = UuidField(required=True, description="ID of the link: the actor of the events that it causes.")
    label = Text(required=True, longest=_LONGEST_LABEL, description="What the link is used for.")
    kind = Choice(_KINDS, required=True, description="What the link is for.")
    scopes = Listing(Text(longest=20), most=20, required=True, description="What the link is allowed to do.")
    table = UuidField(required=True, description="ID of the only table that the link is for.")
    table_name = Text(required=True, longest=100, description="Name of the table.")
    expires_at = Time(required=True, description="Time when the link expires.")


def dump_table_link(link: TableLink) -> Dumped:
    """Encode a link, without its secret."""
    return {
        "id": str(link.id),
        "label": link.label,
        "kind": link.kind.value,
        "player": link.player,
        "scopes": list(link.scopes),
        "table": str(link.table_id),
        "key": str(link.key_id),
        "created_at": show_time(link.created_at),
        "expires_at": show_time(link.expires_at),
        "revoked_at": show_time(link.revoked_at),
        "last_used_at": show_time(link.last_used_at),
    }


def dump_new_table_link(link: TableLink, url: str, board_url: str | None, warnings: Sequence[LinkWarning]) -> Dumped:
    """Encode a new link with its address and that of the scoreboard."""
    listed = [{"code": each.code, "detail": each.detail} for each in warnings]
    return {**dump_table_link(link), "url": url, "board_url": board_url, "warnings": listed}


def dump_current_link(link: TableLink, table_name: str) -> Dumped:
    """Encode the link of a request."""
    return {
        "id": str(link.id),
        "label": link.label,
        "kind": link.kind.value,
        "scopes": list(link.scopes),
        "table": str(link.table_id),
        "table_name": table_name,
        "expires_at": show_time(link.expires_at),
    }


class ConsoleLinkSchema(WireSchema):
    """A link that signs in to the console once. This response is the only one that contains its address."""

    id = UuidField(required=True, description="ID of the link.")
    url = Text(
        required=True,
        longest=_LONGEST_URL,
        description="Address to open in a browser. Its page has a button that signs in; only the button uses the link.",
    )
    expires_at = Time(required=True, description="Time when the link expires, or earlier if its key ends before.")
    warnings = Listing(
        Inner(LinkWarningSchema), most=10, required=True, description="Why the address may not work, or may be read."
    )


def dump_console_link(link_id: UUID, url: str, expires_at: datetime, warnings: Sequence[LinkWarning]) -> Dumped:
    """Encode a new link with its address."""
    listed = [{"code": each.code, "detail": each.detail} for each in warnings]
    return {"id": str(link_id), "url": url, "expires_at": show_time(expires_at), "warnings": listed}
