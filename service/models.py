"""
The SQLAlchemy models of all tables.

`alembic check` compares them with the tables. Checks, triggers, policies and privileges are only in `migrations/`.
"""

from service.clubs.models import ApiKeyRecord, ClubRecord
from service.db.base import Base
from service.disputes.models import DisputeEntryRecord, DisputeHeadRecord, DisputeRecord
from service.http.models import IdempotentResponseRecord
from service.imports.models import ImportPieceRecord, ImportResultRecord
from service.jobs.models import ChunkRecord, JobMessageRecord, JobRecord
from service.ledger.models import (
    CheckpointRecord,
    EventRecord,
    RoundMapTileRecord,
    TreeHeadRecord,
    TreeNodeRecord,
    WaitingEventRecord,
)
from service.links.models import LinkSecretRecord, RevokedLinkRecord
from service.players.models import PlayerRecord
from service.recomputations.models import DifferenceRecord
from service.rounds.models import (
    AdjustmentRecord,
    ClosingRecord,
    ConfirmationRecord,
    CorrectionRecord,
    DepartureRecord,
    HandRecord,
    HandScoreRecord,
    PayoutRecord,
    RoundHeadRecord,
    RoundRecord,
    RoundSeatRecord,
    SettlementRecord,
    SubmissionRecord,
    TransferRecord,
)
from service.rulesets.models import RulesetRecord
from service.statistics.models import RoundStatisticsRecord, UnmeasuredRoundRecord
from service.table_links.models import TableLinkRecord
from service.tables.models import TableRecord
from service.webhooks.models import DeliveryRecord, WebhookRecord

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
    "DeliveryRecord",
    "DepartureRecord",
    "DifferenceRecord",
    "DisputeEntryRecord",
    "DisputeHeadRecord",
    "DisputeRecord",
    "EventRecord",
    "HandRecord",
    "HandScoreRecord",
    "IdempotentResponseRecord",
    "ImportPieceRecord",
    "ImportResultRecord",
    "JobMessageRecord",
    "JobRecord",
    "LinkSecretRecord",
    "PayoutRecord",
    "PlayerRecord",
    "RevokedLinkRecord",
    "RoundHeadRecord",
    "RoundMapTileRecord",
    "RoundRecord",
    "RoundSeatRecord",
    "RoundStatisticsRecord",
    "RulesetRecord",
    "SettlementRecord",
    "SubmissionRecord",
    "TableLinkRecord",
    "TableRecord",
    "TransferRecord",
    "TreeHeadRecord",
    "TreeNodeRecord",
    "UnmeasuredRoundRecord",
    "WaitingEventRecord",
    "WebhookRecord",
]
