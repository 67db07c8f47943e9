"""Hands that stand though they could not have followed, and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from marshmallow import post_load

from schemas.base import Dumped, WireSchema
from schemas.fields import Inner, Integer, Listing
from schemas.hands import MOST_HANDS
from schemas.problems import MistakeSchema, dump_mistakes
from scoring.errors import Mistake


class ReasonsField(Listing):
    """Why a hand could not have followed; empty for one that could."""

    def __init__(self, **options: Any) -> None:
        described = {"description": "Why the hand could not have followed, where it stands; empty where it could."}
        super().__init__(Inner(MistakeSchema), most=1000, **{"metadata": described, **options})


@dataclass(frozen=True, slots=True)
class IrregularHand:
    """A hand that stands; who reads one from outside does not take the reasons from there."""

    number: int
    reasons: tuple[Mistake, ...] = ()


class IrregularHandSchema(WireSchema):
    """A hand that counts as it was played though it could not have followed the hands before it."""

    hand = Integer(least=1, most=MOST_HANDS, required=True)
    reasons = Listing(
        Inner(MistakeSchema),
        most=1000,
        load_default=(),
        metadata={"description": "Why, with places in the hand. Said by the rules; not read where it is sent."},
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> IrregularHand:
        return IrregularHand(read["hand"])


def dump_irregular(irregular: Iterable[IrregularHand]) -> list[Dumped]:
    """Write which hands stand, and why."""
    return [{"hand": hand.number, "reasons": dump_mistakes(hand.reasons)} for hand in irregular]
