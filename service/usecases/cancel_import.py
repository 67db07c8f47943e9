from uuid import UUID

from schemas.jobs import JobView
from service.database import Transaction
from service.usecases.get_import import KIND, view_import
from service.usecases.job_states import cancel_job


def cancel_import(transaction: Transaction, import_id: UUID) -> JobView:
    """
    Stop an import: what is stored stays, the chunks at work end, and nothing more is begun.

    Whoever cancels what has ended changes nothing.

    Raises:
        NotFound: the club has none with this id.
    """
    return view_import(transaction, cancel_job(transaction, import_id, KIND))
