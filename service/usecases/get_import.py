from collections import Counter
from typing import Final
from uuid import UUID

from schemas.jobs import JobView
from service.database import Transaction
from service.repository import jobs
from service.repository.jobs import StoredJob

KIND: Final = "import"
COUNTED: Final = ("rounds", "replayed", "refused", "hands")


def get_import(transaction: Transaction, import_id: UUID) -> JobView:
    """
    Show an import as it stands.

    Raises:
        NotFound: the club has none with this id.
    """
    return view_import(transaction, jobs.get(transaction, import_id, KIND))


def view_import(transaction: Transaction, job: StoredJob) -> JobView:
    """Add up what an import came to so far: rounds and hands stored, lines that were there before, lines refused."""
    progress = jobs.get_progress(transaction, job.id)
    counted: Counter[str] = Counter()
    for result in progress.results:
        counted.update(result)
    return JobView(
        job.id,
        job.state.value,
        progress.done,
        job.total,
        {name: counted[name] for name in COUNTED},
        job.created_at,
        job.started_at,
        job.ended_at,
    )
