"""A round with all that is kept of it, as queries find it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import and_, bindparam, select

from scoring.round_state import Round
from service.database import Transaction
from service.metrics.counters import check_balance
from service.models import RoundHeadRecord, RoundRecord, RulesetRecord
from service.repository import rulesets
from service.repository.firmness import Firmness, load_firmness
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
        correction_window_minutes: how long settlements are provisional, as the table said when the round was opened.
        firmness: how firm the settlement in force is.
        last_event: the hash of its last event, which the next one names; nothing before its first.
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
    correction_window_minutes: int
    firmness: Firmness = field(default_factory=Firmness)
    last_event: bytes = field(default=b"", compare=False)

    def changed(
        self,
        now: datetime,
        round_: Round | None = None,
        *,
        revision: int | None = None,
        firmness: Firmness | None = None,
        keeps_window: bool = False,
    ) -> "StoredRound":
        """
        Give it after a change: one version on, and as firm as it then is.

        Args:
            now: the moment of the change, from which it is provisional, where it is.
            round_: where it stands after it; where it stood unless given.
            revision: in force after it; the one before unless given.
            firmness: what changed of it.
            keeps_window: whether a provisional settlement is so for no longer than before.
        """
        round_, revision = round_ or self.round, revision or self.revision
        until = now + timedelta(minutes=self.correction_window_minutes)
        if keeps_window:
            until = self.firmness.provisional_until or until
        firm = (firmness or self.firmness).after(revision, until, is_open=round_.is_open)
        return replace(self, version=self.version + 1, revision=revision, round=round_, firmness=firm)


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
        correction_window_minutes=found["correction_window_minutes"],
        firmness=load_firmness(found),
        last_event=found["last_event"],
    )
