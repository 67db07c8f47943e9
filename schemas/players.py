"""Display names of players."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from marshmallow import post_load

from schemas.base import Dumped, WireSchema
from schemas.fields import Inner, Listing, Text, Time, show_time
from schemas.game_fields import PlayerField
from schemas.metadata import Metadata, MetadataField
from schemas.pages import PageSchema


class DisplayNameField(Text):
    """The display name of a player."""

    default_description = "Display name of the player."

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=100, **{"metadata": {"example": "Ann Example"}, **options})


@dataclass(frozen=True, slots=True)
class NameRequest:
    """A display name to set, and metadata; None leaves the metadata as they are."""

    display_name: str
    metadata: Metadata | None = None


class DisplayNameRequestSchema(WireSchema):
    """A display name to set. It replaces the player's previous one."""

    display_name = DisplayNameField(required=True, description="The new display name of the player.")
    metadata = MetadataField(
        load_default=None,
        description="All metadata of the player from now on. An empty object removes them; if omitted, they stay as"
        " they are.",
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> NameRequest:
        return NameRequest(**read)


class PlayerPathSchema(WireSchema):
    """The player in a path."""

    player = PlayerField(required=True)


class PlayerSchema(WireSchema):
    """A player with a display name."""

    player = PlayerField(required=True)
    display_name = DisplayNameField(required=True)
    named_at = Time(required=True, description="Time when the display name was set.")


class PlayerWithMetadataSchema(PlayerSchema):
    """A player with a display name and metadata."""

    metadata = MetadataField(required=True)


class PlayerPageSchema(PageSchema):
    """One page of players with a display name, newest first."""

    players = Listing(
        Inner(PlayerSchema), most=100, required=True, description="The players of this page, newest first."
    )


@dataclass(frozen=True, slots=True)
class PlayerView:
    """A player with a display name."""

    player: str
    display_name: str
    named_at: datetime


def dump_player(view: PlayerView) -> Dumped:
    """Encode a player with their display name."""
    return {"player": view.player, "display_name": view.display_name, "named_at": show_time(view.named_at)}


def dump_player_with_metadata(view: PlayerView, metadata: Metadata) -> Dumped:
    """Encode a player with their display name and metadata."""
    return {**dump_player(view), "metadata": dict(metadata)}
