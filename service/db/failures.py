"""What goes wrong between the service and PostgreSQL, as sentences."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, TimeoutError

from service.db.address import SERVICE_ROLE, place_of
from service.db.session import WRONG_ROLE
from service.errors import Busy, DatabaseBehind, DatabaseDenied, DatabaseReadOnly, DatabaseUnreachable, ServiceError

# https://www.postgresql.org/docs/15/errcodes-appendix.html
_NO_SUCH_TABLE: Final = ("42P01", "42883")  # or function: finding a key is one
_IN_EACH_OTHERS_WAY: Final = ("40001", "40P01", "55P03", "57014")
_GONE: Final = ("08", "53", "57P")
_ROLE_REFUSED: Final = ("22023", "42501")
_PREPARED_LOST: Final = ("26000", "42P05")
_READ_ONLY: Final = "25006"
_NO_BOOLEAN: Final = "22P02"


@contextmanager
def plain_failures(url: URL) -> Iterator[None]:
    """
    Turn what an operator or a retry can put right into a sentence; anything else is a fault of ours and stays.

    Raises:
        DatabaseError, Busy: as `service.errors` says.
    """
    try:
        yield
    except TimeoutError as error:
        raise DatabaseUnreachable(f"All connections to the database {place_of(url)} are in use.") from error
    except DBAPIError as error:
        explained = _explain(error, url)
        if explained is None:
            raise
        raise explained from error


@contextmanager
def refused_writes(url: URL) -> Iterator[None]:
    """
    Explain why a transaction, which did not ask to be read-only, can write nothing.

    Raises:
        DatabaseReadOnly: the database is a standby, or read-only.
    """
    try:
        yield
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != _READ_ONLY:
            raise
        raise DatabaseReadOnly(
            f"The database {place_of(url)} is read-only, for instance a standby: {_reason(error)}."
        ) from error


def conflict_of(error: IntegrityError, by_constraint: Mapping[str, ServiceError]) -> ServiceError | None:
    """Say what the violation of a constraint means, where it was foreseen."""
    diagnosis = getattr(error.orig, "diag", None)
    return by_constraint.get(diagnosis.constraint_name) if diagnosis else None


def _explain(error: DBAPIError, url: URL) -> ServiceError | None:
    state = getattr(error.orig, "sqlstate", None)
    if state is None and isinstance(error, OperationalError):
        return _explain_refusal(_reason(error), url)
    if state in _ROLE_REFUSED and (refusal := _explain_role(_reason(error), url)) is not None:
        return refusal
    if state == _NO_BOOLEAN and WRONG_ROLE in _reason(error):
        return DatabaseDenied(f"The database {place_of(url)} refuses to change roles: {_reason(error)}.")
    if state in _PREPARED_LOST:
        return DatabaseDenied(
            f"A connection pooler before the database {place_of(url)} loses prepared statements; "
            "its session mode is needed."
        )
    if error.connection_invalidated or (state or "").startswith(_GONE):
        return DatabaseUnreachable(f"The database {place_of(url)} stopped answering: {_reason(error)}.")
    if state in _IN_EACH_OTHERS_WAY:
        return Busy("Another request is changing the same record, and waiting for it timed out; retry the request.")
    if state in _NO_SUCH_TABLE:
        return DatabaseBehind(f"The database {place_of(url)} awaits its migrations: run `ofc-server migrate`.")
    return None


def _explain_refusal(reason: str, url: URL) -> ServiceError:
    """Say why no connection was made; psycopg gives no code for it, only PostgreSQL's words."""
    if "unsupported startup parameter" in reason:
        return DatabaseDenied(
            f"The connection pooler before the database {place_of(url)} refuses the startup parameter `options`; "
            "PgBouncer accepts it with the setting `ignore_startup_parameters = options`."
        )
    return _explain_role(reason, url) or DatabaseUnreachable(f"The database {place_of(url)} does not answer: {reason}.")


def _explain_role(reason: str, url: URL) -> ServiceError | None:
    """Explain why a session could not take on the service's role; None where the reason is another."""
    if f'role "{SERVICE_ROLE}" does not exist' in reason:
        return DatabaseBehind(
            f"The database {place_of(url)} has no role {SERVICE_ROLE} yet: run `ofc-server migrate` first."
        )
    if "permission denied to set role" in reason:
        return DatabaseDenied(
            f"The login {url.username} may not work as {SERVICE_ROLE}; "
            f"an administrator can allow it: GRANT {SERVICE_ROLE} TO {url.username}."
        )
    return None


def _reason(error: DBAPIError) -> str:
    """Take PostgreSQL's first line without its decoration."""
    line = str(error.orig).strip().splitlines()[0]
    for decoration in ("connection failed: ", "FATAL:  ", "ERROR:  "):
        line = line.rpartition(decoration)[2]
    return line.strip().rstrip(".")
