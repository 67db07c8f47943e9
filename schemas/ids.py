"""Whole ids, which are found by their ends."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from schemas.base import Dumped, WireSchema
from schemas.fields import Choice, Text, UuidField
from schemas.pages import QuerySchema

SHORTEST: Final = 6
"""The fewest characters of the end of an id. The beginning of an id is a time, which many ids share."""
LONGEST_DESCRIPTION: Final = 400


class IdKind(StrEnum):
    """What an id is the id of."""

    TABLE = "table"
    ROUND = "round"
    HAND = "hand"
    DISPUTE = "dispute"
    RECOMPUTATION = "recomputation"
    IMPORT = "import"
    CHECKPOINT = "checkpoint"
    WEBHOOK = "webhook"
    DELIVERY = "delivery"
    LINK = "link"
    KEY = "key"
    PAYMENT = "payment"
    CHARGE = "charge"
    PROPOSAL = "proposal"
    PAYMENT_CLAIM = "payment_claim"


@dataclass(frozen=True, slots=True)
class FoundId:
    """An id with what it is the id of, in a few words."""

    kind: IdKind
    id: UUID
    description: str


KINDS: Final = {str(kind): kind for kind in IdKind}


class IdQuerySchema(QuerySchema):
    """The end of an id."""

    ending = Text(
        required=True,
        longest=36,
        pattern=f"^[0-9A-Fa-f-]{{{SHORTEST},36}}$",
        meaning=f"the last {SHORTEST} or more characters of an id",
        metadata={"example": "9c3e51"},
        description=f"The last {SHORTEST} or more characters of the id.",
    )
    kind = Choice(KINDS, description="What it is the id of. Any kind if omitted.")


class FoundIdSchema(WireSchema):
    """An id that ends with the given characters."""

    kind = Choice(KINDS, required=True, description="What it is the id of.")
    id = UuidField(required=True, description="The whole id.")
    description = Text(
        required=True,
        longest=LONGEST_DESCRIPTION,
        metadata={"example": "2026-11-20 20:00, ann, ben, cyd"},
        description="What it is, in a few words for people. They can change.",
    )


def dump_found_id(record: FoundId) -> Dumped:
    """Encode an id that was found."""
    return {"kind": str(record.kind), "id": str(record.id), "description": record.description}
