"""Jobs: their states and their progress."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from schemas.base import Dumped, WireSchema
from schemas.fields import MOST_INTEGER, Choice, Inner, Integer, Text, Time, UuidField, show_time
from schemas.pages import PageQuerySchema

STATES: Final = ("queued", "running", "paused", "cancelling", "cancelled", "succeeded", "failed")
LONGEST_FAILURE: Final = 1000


class CountField(Integer):
    """A number of items."""

    def __init__(self, **options: Any) -> None:
        super().__init__(least=0, most=MOST_INTEGER, required=True, **options)


class JobProgressSchema(WireSchema):
    """The progress of a job."""

    done = CountField(description="Number of items that are done.")
    total = CountField(allow_none=True, description="Number of items in total. Null until it is known.")


class JobSchema(WireSchema):
    """A job as it is now."""

    id = UuidField(required=True, description="ID of the job.")
    state = Choice(
        {state: state for state in STATES},
        required=True,
        description="State of the job. `cancelled`, `succeeded` and `failed` are final.",
    )
    progress = Inner(JobProgressSchema, required=True, description="How much of the job is done.")
    created_at = Time(required=True, description="Time when the job was created.")
    started_at = Time(
        required=True, allow_none=True, description="Time when a worker started the job. Null if none has."
    )
    ended_at = Time(required=True, allow_none=True, description="Time when the job ended. Null if it has not.")
    failure = Text(
        required=True, allow_none=True, longest=LONGEST_FAILURE, description="Why the job failed. Null if it did not."
    )


class JobQuerySchema(PageQuerySchema):
    """The page of a list of jobs, and a filter."""

    state = Choice({state: state for state in STATES}, description="List only jobs in this state.")


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as it is now."""

    id: UUID
    state: str
    done: int
    total: int | None
    summary: Mapping[str, Any]
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    failure: str | None = None


def dump_job(view: JobView) -> Dumped:
    """Encode a job."""
    return {
        "id": str(view.id),
        "state": view.state,
        "progress": {"done": view.done, "total": view.total},
        "summary": dict(view.summary),
        "created_at": show_time(view.created_at),
        "started_at": show_time(view.started_at),
        "ended_at": show_time(view.ended_at),
        "failure": view.failure,
    }
