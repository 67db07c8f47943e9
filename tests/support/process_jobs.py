"""Processes jobs step by step in the test process, without a worker."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text

from service.db import Database
from service.jobs.kind import Kind
from service.jobs.work import Worker
from service.worker import KINDS
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import SIXES, THREE, Document, document_of, hand
from tests.support.worker_process import ENDED

_LOSE_MESSAGES = text("""
    UPDATE job_chunks SET messages = 0, send_at = clock_timestamp()
    WHERE state = 'open' AND messages > 0 AND job_id = :job_id
""")


def plan_job(database: Database, club_id: UUID, job_id: UUID, kinds: Mapping[str, Kind] = KINDS) -> None:
    """Plan a job; its messages are lost."""
    Worker(database, kinds, send=lambda *_: None).look_at(club_id, job_id)


def work_on_job(database: Database, club_id: UUID, job_id: UUID, kinds: Mapping[str, Kind] = KINDS) -> None:
    """Do what a worker can do now about a job that other workers have left."""
    messages: list[tuple[UUID, UUID, int]] = []
    worker = Worker(database, kinds, send=lambda *message: messages.append(message))
    with database.transaction(club_id) as transaction:
        transaction.execute(_LOSE_MESSAGES, {"job_id": job_id})
    worker.look_at(club_id, job_id)
    while messages:
        worker.work_on(*messages.pop(0))


@dataclass(frozen=True)
class Club:
    """A service without workers, and a client of one of its clubs, whose jobs the test does itself."""

    house: House
    api: Api

    def plan(self, job: str) -> None:
        """Plan a job, and process none of its chunks."""
        plan_job(database_of(self.house), club_of(self.house, self.api), UUID(self.api.get(job)["id"]))

    def work_once(self, job: str) -> ApiResponse:
        """Process what can be processed now, and show the job."""
        work_on_job(database_of(self.house), club_of(self.house, self.api), UUID(self.api.get(job)["id"]))
        return self.api.get(job)

    def hasten(self, job: str) -> None:
        """End every pause before the next attempt."""
        over = "UPDATE job_chunks SET send_at = now() - interval '1 hour' WHERE state = 'open' AND job_id = %s"
        self.house.change(over, self.api.get(job)["id"])

    def work_on(self, job: str) -> ApiResponse:
        while (response := self.api.get(job))["state"] not in ENDED:
            self.work_once(job)
        return response


def rounds_to_import(count: int, table: str = "kitchen") -> list[Document]:
    """Rounds of one hand each."""
    end = {"after_hand": 1, "reason": "late"}
    return [
        document_of(sitting=SIXES, hands=[hand(1, 1, THREE)], closed=end, table=table, reference=f"{table}/{number}")
        for number in range(count)
    ]
