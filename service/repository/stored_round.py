"""A round with all that is kept of it, as queries find it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import and_, bindparam, select

from scoring.round_state import Round
from service.database import Transaction
from service.metrics.counters import check_balance
from service.models import RoundHeadRecord, RoundRecord, RulesetRecord
from service.repository import rulesets
from service.repository.round_state import load_round

_HEAD: Final = RoundHeadRecord
_HEAD_COLUMNS: Final = [
    column for column in _HEAD.__table__.columns if column.name not in RoundRecord.__table__.columns
]

# The join to the rules is an outer one for those who lock a round: one that changes its rules while it is waited for
# would not be found by an inner one.
ROUNDS: Final = (
    select(RoundRecord.__table__, *_HEAD_COLUMNS, rulesets.CONTENT)
    .join(_HEAD, and_(_HEAD.club_id == RoundRecord.club_id, _HEAD.round_id == RoundRecord.id))
    .outerjoin(
        RulesetRecord,
        and_(
            RulesetRecord.club_id == _HEAD.club_id,
            RulesetRecord.name == _HEAD.ruleset_name,
            RulesetRecord.version == _HEAD.ruleset_version,
        ),
    )
    .where(RoundRecord.club_id == bindparam("club_id"))
)
"""All rounds of the club given as `club_id`, for `load_stored_round`."""


@dataclass(frozen=True, slots=True)
class StoredRound:
    """
    A round as it stands, and what is kept beside the game.

    Attributes:
        digest: of the content that it was opened with; the same content and reference is the same round.
        version: raised by one with every change.
        revision: the settlement in force.
    """

    id: UUID
    table_id: UUID
    reference: str | None
    digest: bytes
    point_value: int | None
    currency: str | None
    opened_at: datetime
    version: int
    revision: int
    round: Round


def load_stored_round(transaction: Transaction, found: Mapping[str, Any]) -> StoredRound:
    """Make a round again from its records."""
    if found["ruleset_content"] is None:
        ruleset = rulesets.get(transaction, found["ruleset_name"], found["ruleset_version"])
    else:
        ruleset = rulesets.parse_ruleset(found["ruleset_content"])
    round_ = load_round(found, ruleset)
    check_balance(found["id"], round_)
    return StoredRound(
        id=found["id"],
        table_id=found["table_id"],
        reference=found["reference"],
        digest=found["digest"],
        point_value=found["point_value"],
        currency=found["currency"],
        opened_at=found["opened_at"],
        version=found["version"],
        revision=found["revision"],
        round=round_,
    )
