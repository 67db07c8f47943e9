from uuid import UUID

from schemas.jobs import JobView
from service.database import Transaction
from service.usecases.get_import import KIND, view_import
from service.usecases.job_states import pause_job


def pause_import(transaction: Transaction, import_id: UUID) -> JobView:
    """
    Let an import rest until it is resumed: the chunks at work end, and nothing more is begun.

    Raises:
        NotFound: the club has none with this id.
        JobEnded: it has ended, or is about to.
    """
    return view_import(transaction, pause_job(transaction, import_id, KIND))
