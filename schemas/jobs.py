"""Jobs on the wire: imports."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from schemas.base import Dumped, WireSchema
from schemas.fields import MOST_INTEGER, Choice, Inner, Integer, Time, UuidField, show_time
from schemas.pages import QuerySchema
from schemas.settlement_states import ARRIVING

STATES: Final = ("queued", "running", "paused", "cancelling", "cancelled", "succeeded", "failed")


class CountField(Integer):
    """How many there are of something."""

    def __init__(self, **options: Any) -> None:
        super().__init__(least=0, most=MOST_INTEGER, required=True, **options)


class ProgressSchema(WireSchema):
    """How much of a job is done; the total is null until it is known."""

    done = CountField()
    total = CountField(allow_none=True)


class ImportSummarySchema(WireSchema):
    """What an import came to so far: rounds and hands stored, lines that were there before, lines refused."""

    rounds = CountField()
    replayed = CountField()
    refused = CountField()
    hands = CountField()


class JobSchema(WireSchema):
    """A job as it stands, whatever it does."""

    id = UuidField(required=True)
    state = Choice({state: state for state in STATES}, required=True)
    progress = Inner(ProgressSchema, required=True)
    created_at = Time(required=True)
    started_at = Time(required=True, allow_none=True)
    ended_at = Time(required=True, allow_none=True)


class ImportSchema(JobSchema):
    """An import: a job that stores rounds, line by line. Progress counts the lines that are not blank."""

    summary = Inner(ImportSummarySchema, required=True)


class ImportQuerySchema(QuerySchema):
    """How firm the settlements of imported rounds are."""

    state = Choice({state: state for state in ARRIVING}, load_default=ARRIVING[0])


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as it stands."""

    id: UUID
    state: str
    done: int
    total: int | None
    summary: Mapping[str, Any]
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


def dump_job(view: JobView) -> Dumped:
    """Write a job."""
    return {
        "id": str(view.id),
        "state": view.state,
        "progress": {"done": view.done, "total": view.total},
        "summary": dict(view.summary),
        "created_at": show_time(view.created_at),
        "started_at": show_time(view.started_at),
        "ended_at": show_time(view.ended_at),
    }
