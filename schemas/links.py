"""Viewer links on the wire: a round shown to whoever has the address."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from schemas.base import Dumped, WireSchema
from schemas.fields import Inner, Integer, Text, Time, show_time
from schemas.rounds import RoundSchema, RoundView, dump_round
from schemas.settlements import SettlementSchema, SettlementView, dump_settlement_view

USUAL_LIFE: Final = timedelta(days=7)
SHORTEST_LIFE: Final = timedelta(minutes=1)
LONGEST_LIFE: Final = timedelta(days=366)


def _seconds(life: timedelta) -> int:
    return int(life.total_seconds())


class LinkRequestSchema(WireSchema):
    """How long a link to a round is wanted for; a week where nothing is said."""

    expires_in = Integer(
        least=_seconds(SHORTEST_LIFE),
        most=_seconds(LONGEST_LIFE),
        load_default=_seconds(USUAL_LIFE),
        metadata={"description": "Seconds."},
    )


class LinkSchema(WireSchema):
    """An address at which a round can be read without a key. It is shown this once, and known to nobody else."""

    url = Text(required=True, longest=200, metadata={"description": "Where, at this service."})
    expires_at = Time(required=True)


class LinkedRoundSchema(WireSchema):
    """A round as it stands, and who paid whom in it, for whoever has the link."""

    expires_at = Time(required=True)
    round = Inner(RoundSchema, required=True)
    settlement = Inner(SettlementSchema, required=True)


@dataclass(frozen=True, slots=True)
class IssuedLink:
    """A link as whoever asked for it gets it: its token, and when it ends."""

    token: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class LinkedRoundView:
    """A round and its settlement, shown by a link until it ends."""

    expires_at: datetime
    round: RoundView
    settlement: SettlementView


def dump_link(issued: IssuedLink) -> Dumped:
    """Write where a round can be read now."""
    return {"url": f"/v1/links/{issued.token}", "expires_at": show_time(issued.expires_at)}


def dump_linked_round(view: LinkedRoundView) -> Dumped:
    """Write a round and its settlement."""
    return {
        "expires_at": show_time(view.expires_at),
        "round": dump_round(view.round),
        "settlement": dump_settlement_view(view.settlement),
    }
