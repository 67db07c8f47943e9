"""
The records, as SQLAlchemy needs to know them.

Only what a query touches is said here, and `alembic check` sees that it agrees with the tables. What keeps records
true, the checks, triggers, policies and privileges, is said once, in `migrations/`.
"""

from service.models.base import Base
from service.models.clubs import ApiKeyRecord, ClubRecord
from service.models.differences import DifferenceRecord
from service.models.disputes import DisputeEntryRecord, DisputeHeadRecord, DisputeRecord
from service.models.endings import ClosingRecord, DepartureRecord
from service.models.events import EventRecord, WaitingEventRecord
from service.models.hands import HandRecord, SubmissionRecord
from service.models.imports import ImportPieceRecord, ImportResultRecord
from service.models.jobs import ChunkRecord, JobRecord, WakeUpRecord
from service.models.kept_answers import KeptAnswerRecord
from service.models.link_secrets import LinkSecretRecord
from service.models.players import PlayerRecord
from service.models.revoked_links import RevokedLinkRecord
from service.models.rounds import ConfirmationRecord, RoundHeadRecord, RoundRecord, RoundSeatRecord
from service.models.rulesets import RulesetRecord
from service.models.settlements import (
    AdjustmentRecord,
    CorrectionRecord,
    HandScoreRecord,
    PayoutRecord,
    SettlementRecord,
    TransferRecord,
)
from service.models.tables import TableRecord
from service.models.trees import CheckpointRecord, TreeHeadRecord, TreeNodeRecord

__all__ = [
    "AdjustmentRecord",
    "ApiKeyRecord",
    "Base",
    "CheckpointRecord",
    "ChunkRecord",
    "ClosingRecord",
    "ClubRecord",
    "ConfirmationRecord",
    "CorrectionRecord",
    "DepartureRecord",
    "DifferenceRecord",
    "DisputeEntryRecord",
    "DisputeHeadRecord",
    "DisputeRecord",
    "EventRecord",
    "HandRecord",
    "HandScoreRecord",
    "ImportPieceRecord",
    "ImportResultRecord",
    "JobRecord",
    "KeptAnswerRecord",
    "LinkSecretRecord",
    "PayoutRecord",
    "PlayerRecord",
    "RevokedLinkRecord",
    "RoundHeadRecord",
    "RoundRecord",
    "RoundSeatRecord",
    "RulesetRecord",
    "SettlementRecord",
    "SubmissionRecord",
    "TableRecord",
    "TransferRecord",
    "TreeHeadRecord",
    "TreeNodeRecord",
    "WaitingEventRecord",
    "WakeUpRecord",
]
