"""Processes jobs step by step in the test process, without a worker."""

from dataclasses import dataclass
from uuid import UUID

from service.jobs.work import Worker
from service.worker import KINDS
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import SIXES, THREE, Document, document_of, hand
from tests.support.worker_process import ENDED


@dataclass(frozen=True)
class Club:
    """A service without workers, and a client of one of its clubs, whose jobs the test does itself."""

    house: House
    api: Api

    def plan(self, job: str) -> None:
        """Plan a job, and process none of its chunks."""
        self._worker(is_stopping=True).work_on(club_of(self.house, self.api), UUID(self.api.get(job)["id"]))

    def work_once(self, job: str) -> ApiResponse:
        """Process what can be processed now, and show the job."""
        self._worker().work_on(club_of(self.house, self.api), UUID(self.api.get(job)["id"]))
        return self.api.get(job)

    def hasten(self, job: str) -> None:
        """End every pause before the next attempt."""
        over = "UPDATE job_chunks SET claimable_from = now() - interval '1 hour' WHERE state = 'open' AND job_id = %s"
        self.house.change(over, self.api.get(job)["id"])

    def work_on(self, job: str) -> ApiResponse:
        while (found := self.api.get(job))["state"] not in ENDED:
            self._worker().work_on(club_of(self.house, self.api), UUID(found["id"]))
        return found

    def _worker(self, *, is_stopping: bool = False) -> Worker:
        database = database_of(self.house)
        return Worker("one", database, KINDS, announce=lambda _club: None, is_stopping=lambda: is_stopping)


def rounds_to_import(count: int, table: str = "kitchen") -> list[Document]:
    """Rounds of one hand each."""
    end = {"after_hand": 1, "reason": "late"}
    return [
        document_of(sitting=SIXES, hands=[hand(1, 1, THREE)], closed=end, table=table, reference=f"{table}/{number}")
        for number in range(count)
    ]
