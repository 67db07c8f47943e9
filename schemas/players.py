"""Players' display names on the wire."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from marshmallow import post_load

from schemas.base import Dumped, WireSchema
from schemas.fields import Inner, Listing, Text, Time, show_time
from schemas.hands import PlayerField


class DisplayNameField(Text):
    """What a player is called."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=100, **{"metadata": {"example": "Ann Example"}, **options})


@dataclass(frozen=True, slots=True)
class NameRequest:
    """What a player is to be called."""

    display_name: str


class NameRequestSchema(WireSchema):
    """What a player is to be called, in place of what he may have been called before."""

    display_name = DisplayNameField(required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> NameRequest:
        return NameRequest(**read)


class PlayerPathSchema(WireSchema):
    """Whose name the address speaks of."""

    player = PlayerField(required=True)


class PlayerSchema(WireSchema):
    """A player who has a display name, and since when he has it."""

    player = PlayerField(required=True)
    display_name = DisplayNameField(required=True)
    named_at = Time(required=True)


class PlayerPageSchema(WireSchema):
    """Players who have a display name, the newest first. The header `Link` leads to the next page."""

    players = Listing(Inner(PlayerSchema), most=100, required=True)


@dataclass(frozen=True, slots=True)
class PlayerView:
    """A player who has a display name."""

    player: str
    display_name: str
    named_at: datetime


def dump_player(view: PlayerView) -> Dumped:
    """Write a player and his display name."""
    return {"player": view.player, "display_name": view.display_name, "named_at": show_time(view.named_at)}
