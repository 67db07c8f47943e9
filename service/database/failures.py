"""What goes wrong between the service and PostgreSQL, as sentences."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, TimeoutError

from service.database.address import SERVICE_ROLE, place_of
from service.errors import Busy, DatabaseBehind, DatabaseDenied, DatabaseUnreachable, ServiceError

# https://www.postgresql.org/docs/15/errcodes-appendix.html
_NO_SUCH_TABLE: Final = ("42P01", "42883")  # or function: finding a key is one
_IN_EACH_OTHERS_WAY: Final = ("40001", "40P01", "55P03", "57014")
_GONE: Final = ("08", "53", "57P")


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


def conflict_of(error: IntegrityError, by_constraint: Mapping[str, ServiceError]) -> ServiceError | None:
    """Say what the violation of a constraint means, where it was foreseen."""
    diagnosis = getattr(error.orig, "diag", None)
    return by_constraint.get(diagnosis.constraint_name) if diagnosis else None


def _explain(error: DBAPIError, url: URL) -> ServiceError | None:
    state = getattr(error.orig, "sqlstate", None)
    if state is None and isinstance(error, OperationalError):
        return _explain_refusal(_reason(error), url)
    if error.connection_invalidated or (state or "").startswith(_GONE):
        return DatabaseUnreachable(f"The database {place_of(url)} stopped answering: {_reason(error)}.")
    if state in _IN_EACH_OTHERS_WAY:
        return Busy("Somebody else is changing the same thing, and it took too long to wait for; ask again.")
    if state in _NO_SUCH_TABLE:
        return DatabaseBehind(f"The database {place_of(url)} awaits its migrations: run `ofc-server migrate`.")
    return None


def _explain_refusal(reason: str, url: URL) -> ServiceError:
    """Say why no connection was made; psycopg gives no code for it, only PostgreSQL's words."""
    if f'role "{SERVICE_ROLE}" does not exist' in reason:
        return DatabaseBehind(
            f"The database {place_of(url)} has no role {SERVICE_ROLE} yet: run `ofc-server migrate` first."
        )
    if "permission denied to set role" in reason:
        return DatabaseDenied(
            f"The login {url.username} may not work as {SERVICE_ROLE}; "
            f"an administrator can allow it: GRANT {SERVICE_ROLE} TO {url.username}."
        )
    return DatabaseUnreachable(f"The database {place_of(url)} does not answer: {reason}.")


def _reason(error: DBAPIError) -> str:
    """Take PostgreSQL's first line without its decoration."""
    line = str(error.orig).strip().splitlines()[0]
    for decoration in ("connection failed: ", "FATAL:  ", "ERROR:  "):
        line = line.rpartition(decoration)[2]
    return line.strip().rstrip(".")
