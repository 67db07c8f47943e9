"""A reason that is erased while its recomputation runs is not inserted again."""

from dataclasses import dataclass
from uuid import UUID

from scoring.presets import PRESETS
from service.db import Transaction
from service.jobs.queries.chunks import Chunk, Done
from service.jobs.queries.jobs import StoredJob
from service.recomputations.job import RecomputationKind
from service.worker import KINDS
from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.search_tables import tables_that_hold
from tests.support.import_lines import club_of, database_of
from tests.support.process_jobs import plan_job, work_on_job
from tests.support.sample_rounds import complete_round

ERASED = "Erasable while it runs"


@dataclass
class ErasedBeforeWork(RecomputationKind):
    """A recomputation whose reason is erased after its job was read, and before a chunk is processed."""

    api: Api

    def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done:
        assert self.api.delete(f"/v1/texts/{job.id}").status == 204
        return super().work(transaction, job, chunk)


def test_a_reason_erased_while_its_recomputation_runs_is_not_inserted_again(house: House, api: Api) -> None:
    scope, ruleset = {"rounds": [complete_round(api)]}, str(PRESETS["pineapple-2-4-us-none"])
    asked = {"mode": "apply", "scope": scope, "ruleset": ruleset, "reason": ERASED}
    job = str(api.post("/v1/recomputations", asked)["id"])
    club, kinds = club_of(house, api), {**KINDS, "recomputation": ErasedBeforeWork(api)}
    plan_job(database_of(house), club, UUID(job))
    work_on_job(database_of(house), club, UUID(job), kinds)
    assert api.get(f"/v1/recomputations/{job}")["summary"]["applied"] == 1
    assert tables_that_hold(house, ERASED) == set()
    assert verify(house, api) == []
