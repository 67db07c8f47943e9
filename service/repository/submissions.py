"""The exact bytes received."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text
from uuid_utils.compat import uuid7

from service.database import Transaction


@dataclass(frozen=True, slots=True)
class Submission:
    """What a client sent, byte for byte, and what kind of thing it is: `hand`, `document`."""

    kind: str
    content: bytes
    id: UUID = field(default_factory=uuid7)

    @property
    def told(self) -> dict[str, str]:
        """What the audit trail says of it, so that other bytes in its place can be told from it."""
        return {"id": str(self.id), "sha256": sha256(self.content).hexdigest()}


INSERT_SUBMISSION: Final = """
    INSERT INTO submissions (club_id, id, kind, content, sha256, received_at)
    VALUES (:club_id, :submission_id, :submission_kind, :submission_content, :submission_sha256, :now)
"""
"""For statements that keep a submission beside what it held; `submission_parameters` says what goes into it."""

_INSERT_SUBMISSION: Final = text(INSERT_SUBMISSION)


def add(transaction: Transaction, submission: Submission) -> None:
    """Keep what was received; several hands of one document point at the same."""
    transaction.execute(_INSERT_SUBMISSION, submission_parameters(transaction, submission))


def submission_parameters(transaction: Transaction, submission: Submission) -> dict[str, Any]:
    """Say what goes into `INSERT_SUBMISSION`."""
    return {
        "club_id": transaction.club_id,
        "submission_id": submission.id,
        "submission_kind": submission.kind,
        "submission_content": submission.content,
        "submission_sha256": sha256(submission.content).digest(),
        "now": transaction.now,
    }
