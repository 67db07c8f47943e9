"""Links to a table, a round or the club, which people open instead of using a key, and links that sign in once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from evidence.events import LinkKind
from schemas.base import Dumped, Sentence, WireSchema
from schemas.fields import Choice, Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.game_fields import PlayerField
from schemas.pages import PageQuerySchema, PageSchema

SECRET_PREFIX: Final = "ofc_link_"
"""The first characters of the secret of every link."""
SECRET_LENGTH: Final = 43
"""43 letters and digits have more than 255 bits."""

TABLE_LIFETIME: Final = timedelta(hours=24)
ROUND_LIFETIME: Final = timedelta(days=7)
"""How long links are valid by default: those to a table for an evening, those to a round until it is settled up."""
CLUB_LIFETIME: Final = timedelta(days=30)
"""How long a phone stays a scorekeeper of the club."""
MIN_LIFETIME: Final = timedelta(minutes=1)
MAX_LIFETIME: Final = timedelta(days=366)
_LONGEST_LABEL: Final = 100
_LONGEST_URL: Final = 500
_KINDS: Final = {kind.value: kind for kind in LinkKind}
_ISSUED_KINDS: Final = {name: kind for name, kind in _KINDS.items() if kind is not LinkKind.CLUB}
"""A link to the club is what a link that signs a phone in becomes."""
PHONE_PREFIX: Final = "ofc_phone_"
"""The first characters of the code of every link that signs a phone in."""


@dataclass(frozen=True, slots=True)
class Link:
    """
    A link to a table, to a round or to the club, without its secret.

    Attributes:
        table_id: the only table that it is for, or that of its round; None for a link to the club.
        key_id: the key with which it was issued, and ends.
        revoked_at: None if it is not revoked.
        last_used_at: rounded to minutes; None if it was never used.
        player: the operator's ID of the player of a personal link; None for other links.
        round_id: the only round that it shows; None if it shows the table.
    """

    id: UUID
    table_id: UUID | None
    key_id: UUID
    kind: LinkKind
    label: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    player: str | None = None
    round_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """
    A link to create.

    Attributes:
        table_id: the table that it is for; None for a link to a round.
        round_id: the round that it is for; None for a link to a table.
        player: None unless the link is personal.
        expires_in: in seconds.
    """

    table_id: UUID | None
    round_id: UUID | None
    kind: LinkKind
    expires_in: int
    label: str | None = None
    player: str | None = None


@dataclass(frozen=True, slots=True)
class LinkWarning:
    """Why a new link may not work, or may be read by others."""

    code: str
    detail: str


def _seconds(life: timedelta) -> int:
    return int(life.total_seconds())


class LinkRequestSchema(WireSchema):
    """A link to a table or to a round. Without a kind, it is a viewer's."""

    table = UuidField(load_default=None, description="ID of the table that the link is for. Required without `round`.")
    round = UuidField(
        load_default=None,
        description="ID of the only round that the link is for. Not for the kind `scorekeeper`, and not with `table`.",
    )
    label = Text(
        longest=_LONGEST_LABEL,
        load_default=None,
        description="What the link is used for, for example whose phone has it. Default: the player or the kind.",
    )
    kind = Choice(
        _ISSUED_KINDS,
        load_default=LinkKind.VIEWER,
        description="`scorekeeper` to record the rounds of the table and to correct those that are not final; `viewer`"
        " to read; `player` to read, and to confirm and dispute settlements for one player.",
    )
    player = PlayerField(
        load_default=None,
        allow_none=True,
        description="The operator's ID of the player whose link it is. Required for the kind `player` only.",
    )
    expires_in = Integer(
        least=_seconds(MIN_LIFETIME),
        most=_seconds(MAX_LIFETIME),
        load_default=None,
        description="Seconds until the link expires. Default: 24 hours for a table, 7 days for a round.",
    )

    @validates_schema(skip_on_field_errors=True)
    def _check_place(self, read: dict[str, Any], **_: Any) -> None:
        if read["table"] is None and read["round"] is None:
            detail = "is required without `round`; expected the ID of a table or of a round"
            raise ValidationError(Sentence("field-missing", detail), "table")
        if read["round"] is not None and read["table"] is not None:
            detail = "is given with `table`; expected one of them"
            raise ValidationError(Sentence("round-unexpected", detail), "round")
        if read["round"] is not None and read["kind"] is LinkKind.SCOREKEEPER:
            detail = "is given for the kind 'scorekeeper'; expected `table`"
            raise ValidationError(Sentence("round-unexpected", detail), "round")

    @validates_schema(skip_on_field_errors=True)
    def _check_player(self, read: dict[str, Any], **_: Any) -> None:
        is_personal = read["kind"] is LinkKind.PLAYER
        if is_personal and read["player"] is None:
            detail = "is required for the kind 'player'; expected the ID of a player"
            raise ValidationError(Sentence("field-missing", detail), "player")
        if read["player"] is not None and not is_personal:
            detail = f"is given for the kind {read['kind'].value!r}; expected it with the kind 'player' only"
            raise ValidationError(Sentence("player-unexpected", detail), "player")

    @post_load
    def _build(self, loaded: dict[str, Any], **_: Any) -> LinkRequest:
        table_id, round_id = loaded.pop("table"), loaded.pop("round")
        if loaded["expires_in"] is None:
            loaded["expires_in"] = _seconds(TABLE_LIFETIME if round_id is None else ROUND_LIFETIME)
        return LinkRequest(table_id, round_id, **loaded)


class LinkQuerySchema(PageQuerySchema):
    """Which links to list."""

    table = UuidField(description="Only links to this table and to its rounds.")
    round = UuidField(description="Only links to this round.")
    kind = Choice(_KINDS, description="Only links of this kind.")
    state = Choice(
        {"valid": True, "ended": False},
        description="`valid` for links that can be used; `ended` for those that are expired or revoked, or whose key"
        " has ended.",
    )


class LinkWarningSchema(WireSchema):
    """Why a new link may not work, or may be read by others."""

    code = Text(required=True, longest=40, description="Stable code: `link-loopback` or `link-readable`.")
    detail = Text(required=True, longest=500, description="One sentence with the reason and what to change.")


class LinkSchema(WireSchema):
    """A link to a table, to a round or to the club, without its secret, which is not stored."""

    id = UuidField(required=True, description="ID of the link: the actor of the events that it causes.")
    label = Text(required=True, longest=_LONGEST_LABEL, description="What the link is used for.")
    kind = Choice(_KINDS, required=True, description="What the link is for.")
    player = PlayerField(
        required=True,
        allow_none=True,
        description="The operator's ID of the player whose link it is. Null if it is not a player's link.",
    )
    scopes = Listing(Text(longest=20), most=20, required=True, description="What the link is allowed to do.")
    table = UuidField(
        required=True,
        allow_none=True,
        description="ID of the only table that the link is for, or that of its round. Null for a link to the club.",
    )
    round = UuidField(
        required=True,
        allow_none=True,
        description="ID of the only round that the link shows. Null if it shows the table or the club.",
    )
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


class NewLinkSchema(LinkSchema):
    """A new link. This response is the only one that contains its secret."""

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
        description="Address of the scoreboard of the table, for a TV or a tablet. Null for a scorekeeper's link and"
        " for a link to a round.",
    )
    warnings = Listing(
        Inner(LinkWarningSchema), most=10, required=True, description="Why the address may not work, or may be read."
    )


class LinkPageSchema(PageSchema):
    """One page of links, newest first."""

    links = Listing(Inner(LinkSchema), most=100, required=True, description="The links of this page, newest first.")


class CurrentLinkSchema(WireSchema):
    """The link of a request, with the name of its table."""

    id = UuidField(required=True, description="ID of the link: the actor of the events that it causes.")
    label = Text(required=True, longest=_LONGEST_LABEL, description="What the link is used for.")
    kind = Choice(_KINDS, required=True, description="What the link is for.")
    scopes = Listing(Text(longest=20), most=20, required=True, description="What the link is allowed to do.")
    table = UuidField(
        required=True,
        allow_none=True,
        description="ID of the only table that the link is for, or that of its round. Null for a link to the club.",
    )
    round = UuidField(
        required=True,
        allow_none=True,
        description="ID of the only round that the link shows. Null if it shows the table or the club.",
    )
    table_name = Text(
        required=True, allow_none=True, longest=100, description="Name of the table. Null for a link to the club."
    )
    expires_at = Time(required=True, description="Time when the link expires.")


def dump_link(link: Link) -> Dumped:
    """Encode a link, without its secret."""
    return {
        "id": str(link.id),
        "label": link.label,
        "kind": link.kind.value,
        "player": link.player,
        "scopes": list(link.scopes),
        "table": None if link.table_id is None else str(link.table_id),
        "round": None if link.round_id is None else str(link.round_id),
        "key": str(link.key_id),
        "created_at": show_time(link.created_at),
        "expires_at": show_time(link.expires_at),
        "revoked_at": show_time(link.revoked_at),
        "last_used_at": show_time(link.last_used_at),
    }


def dump_new_link(link: Link, url: str, board_url: str | None, warnings: Sequence[LinkWarning]) -> Dumped:
    """Encode a new link with its address and that of the scoreboard."""
    listed = [{"code": each.code, "detail": each.detail} for each in warnings]
    return {**dump_link(link), "url": url, "board_url": board_url, "warnings": listed}


def dump_current_link(link: Link, table_name: str | None) -> Dumped:
    """Encode the link of a request with the name of its table; None for a link to the club."""
    return {
        "id": str(link.id),
        "label": link.label,
        "kind": link.kind.value,
        "scopes": list(link.scopes),
        "table": None if link.table_id is None else str(link.table_id),
        "round": None if link.round_id is None else str(link.round_id),
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


class PhoneLinkSchema(ConsoleLinkSchema):
    """A link that signs a phone in once. This response is the only one that contains its address."""

    url = Text(
        required=True,
        longest=_LONGEST_URL,
        description="Address to open on the phone, for example as a QR code. Its fragment, after `#`, is the code that"
        " signs in; a browser sends it to no server.",
    )


class PhoneSignInSchema(WireSchema):
    """What a phone sends to become a scorekeeper of the club."""

    code = Text(required=True, longest=100, description="The code of the link: the fragment of its address.")
    secret = Text(
        required=True,
        longest=len(SECRET_PREFIX) + SECRET_LENGTH,
        pattern=f"^{SECRET_PREFIX}[0-9A-Za-z]{{{SECRET_LENGTH}}}$",
        meaning=f"{SECRET_PREFIX} and {SECRET_LENGTH} letters and digits",
        description="The secret of the new link, drawn at random by the phone, so that the request can be sent again"
        " when its response was lost.",
    )
    label = Text(
        longest=_LONGEST_LABEL, load_default=None, description="What lists show, for example whose phone it is."
    )


def dump_sign_in_link(link_id: UUID, url: str, expires_at: datetime, warnings: Sequence[LinkWarning]) -> Dumped:
    """Encode a new link that signs in once, with its address."""
    listed = [{"code": each.code, "detail": each.detail} for each in warnings]
    return {"id": str(link_id), "url": url, "expires_at": show_time(expires_at), "warnings": listed}
