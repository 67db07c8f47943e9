"""Display names and aliases of players."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from marshmallow import post_load

from schemas.base import Dumped, WireSchema
from schemas.fields import Inner, Listing, Text, Time, show_time
from schemas.game_fields import PlayerField
from schemas.metadata import Metadata, MetadataField
from schemas.pages import PageSchema

MOST_ALIASES: Final = 100
"""The largest number of aliases of a player."""


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


@dataclass(frozen=True, slots=True)
class AliasRequest:
    """An ID to join to a player, or to part from one."""

    alias: str


class AliasRequestSchema(WireSchema):
    """Another ID of a player."""

    alias = PlayerField(required=True, description="The other ID, as records have it.")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> AliasRequest:
        return AliasRequest(**read)


class AliasSchema(WireSchema):
    """Another ID of a player, whose figures are those of the player."""

    alias = PlayerField(required=True, description="The other ID, as records have it.")
    joined_at = Time(required=True, description="Time when it was joined to the player.")


class PlayerSchema(WireSchema):
    """A player with a display name, with aliases, or with both."""

    player = PlayerField(required=True)
    display_name = DisplayNameField(
        required=True,
        allow_none=True,
        description="Display name of the player, or else of the first alias that has one. Null if there is none.",
    )
    named_at = Time(
        required=True, allow_none=True, description="Time when the display name was set. Null without a display name."
    )
    aliases = Listing(
        Inner(AliasSchema),
        most=MOST_ALIASES,
        required=True,
        description="Other IDs of the player, in the order in which they were joined.",
    )


class PlayerWithMetadataSchema(PlayerSchema):
    """A player with a display name and metadata."""

    metadata = MetadataField(required=True)


class PlayerPageSchema(PageSchema):
    """One page of players with a display name or aliases, newest first."""

    players = Listing(
        Inner(PlayerSchema), most=100, required=True, description="The players of this page, newest first."
    )


@dataclass(frozen=True, slots=True)
class AliasView:
    """Another ID of a player, and when it was joined."""

    alias: str
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerView:
    """A player with a display name, with aliases, or with both."""

    player: str
    display_name: str | None
    named_at: datetime | None
    aliases: Sequence[AliasView]


def dump_player(view: PlayerView) -> Dumped:
    """Encode a player with their display name and aliases."""
    return {
        "player": view.player,
        "display_name": view.display_name,
        "named_at": show_time(view.named_at),
        "aliases": [{"alias": each.alias, "joined_at": show_time(each.joined_at)} for each in view.aliases],
    }


def dump_player_with_metadata(view: PlayerView, metadata: Metadata) -> Dumped:
    """Encode a player with their display name and metadata."""
    return {**dump_player(view), "metadata": dict(metadata)}
