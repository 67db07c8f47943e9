"""Codes and details of problems, for HTTP responses and for the results of jobs."""

from evidence import EvidenceError
from schemas.base import WireError
from schemas.problems import Refusal, refuse
from scoring.errors import ScoringError
from service.errors import ServiceError


def refusal_of(error: EvidenceError | WireError | ScoringError | ServiceError) -> Refusal:
    """Return the refusal for an exception."""
    return Refusal(error.code, str(error), error.mistakes) if isinstance(error, ServiceError) else refuse(error)
