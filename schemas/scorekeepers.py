"""Scorekeepers: who is entering which hand at a table."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from marshmallow import post_load

from schemas.base import Dumped, WireSchema
from schemas.fields import Inner, Integer, Listing, Text, UuidField
from schemas.game_fields import MOST_HANDS

LIFETIME: Final = timedelta(seconds=10)
"""How long an entry is shown after it was last sent."""
MOST_SCOREKEEPERS: Final = 20
"""How many devices are shown at a table."""


@dataclass(frozen=True, slots=True)
class Scorekeeper:
    """A device on which a hand is being entered; `label` is that of its link, or the name of its key."""

    device: UUID
    label: str
    hand: int


class ScorekeeperRequestSchema(WireSchema):
    """The hand that is being entered on a device."""

    hand = Integer(least=1, most=MOST_HANDS, required=True, description="Number of the hand in its round.")

    @post_load
    def _read(self, loaded: dict[str, Any], **_: Any) -> int:
        hand: int = loaded["hand"]
        return hand


class ScorekeeperSchema(WireSchema):
    """A device on which a hand is being entered."""

    device = UuidField(required=True, description="ID that the device has given itself.")
    label = Text(required=True, longest=100, description="Label of the device's link, or the name of its key.")
    hand = Integer(least=1, most=MOST_HANDS, required=True, description="Number of the hand that is being entered.")


class ScorekeeperListSchema(WireSchema):
    """The devices on which hands of a table are being entered now."""

    scorekeepers = Listing(
        Inner(ScorekeeperSchema), most=MOST_SCOREKEEPERS, required=True, description="The devices, in no special order."
    )


def dump_scorekeepers(scorekeepers: Iterable[Scorekeeper]) -> Dumped:
    """Encode the devices on which hands are being entered."""
    shown = [{"device": str(each.device), "label": each.label, "hand": each.hand} for each in scorekeepers]
    return {"scorekeepers": shown}
