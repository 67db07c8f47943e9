"""Translation of PostgreSQL errors to errors of the service."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, ProgrammingError, TimeoutError

from service.database_errors import (
    DatabaseAltered,
    DatabaseBehind,
    DatabaseDenied,
    DatabaseReadOnly,
    DatabaseUnreachable,
)
from service.db.address import SERVICE_ROLE, describe
from service.errors import Busy, ServiceError, StatementTimeout

# https://www.postgresql.org/docs/15/errcodes-appendix.html
_UNDEFINED: Final = ("42P01", "42883")  # table or function
_COLUMN_UNDEFINED: Final = "42703"
_CONCURRENT: Final = ("40001", "40P01", "55P03")
_CANCELLED: Final = "57014"
_DISCONNECTED: Final = ("08", "53", "57P")
_ROLE_REFUSED: Final = ("22023", "42501")
_PREPARED_LOST: Final = ("26000", "42P05")
READ_ONLY: Final = "25006"
"""The SQLSTATE of a change on a standby, or in a read-only transaction."""
_INVALID_BOOLEAN: Final = "22P02"

WRONG_ROLE: Final = "the transaction works as"
"""Start of the error message of a transaction that has another role than it set."""


@contextmanager
def translate_errors(url: URL) -> Iterator[None]:
    """
    Translate errors that an operator can fix, or a retry; others are bugs and stay unchanged.

    Raises:
        DatabaseError: the operator must act.
        Busy: another transaction changes the same records.
        StatementTimeout: a statement took too long.
    """
    try:
        yield
    except TimeoutError as error:
        raise DatabaseUnreachable(f"All connections to the database {describe(url)} are in use.") from error
    except DBAPIError as error:
        explained = _explain(error, url)
        if explained is None:
            raise
        raise explained from error


@contextmanager
def translate_read_only(url: URL) -> Iterator[None]:
    """
    Translate the error of a write in a read-only database.

    Raises:
        DatabaseReadOnly: the database is a standby, or read-only.
    """
    try:
        yield
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != READ_ONLY:
            raise
        raise DatabaseReadOnly(
            f"The database {describe(url)} is read-only, for instance a standby: {_reason(error)}."
        ) from error


def find_conflict(error: DBAPIError, by_constraint: Mapping[str, ServiceError]) -> ServiceError | None:
    """Return the conflict that the violation of a constraint means, or None if it is not an expected one."""
    diagnosis = getattr(error.orig, "diag", None)
    return by_constraint.get(diagnosis.constraint_name) if diagnosis else None


def _explain(error: DBAPIError, url: URL) -> ServiceError | None:
    state = getattr(error.orig, "sqlstate", None)
    if state is None and isinstance(error, OperationalError) and not error.connection_invalidated:
        return _explain_refusal(_reason(error), url)
    if state in _ROLE_REFUSED and (refusal := _explain_role(_reason(error), url)) is not None:
        return refusal
    if state == _INVALID_BOOLEAN and WRONG_ROLE in _reason(error):
        return DatabaseDenied(f"The database {describe(url)} does not allow to change the role: {_reason(error)}.")
    if state in _PREPARED_LOST:
        return DatabaseDenied(
            f"A connection pooler in front of the database {describe(url)} loses prepared statements; "
            "expected a pooler in session mode."
        )
    if error.connection_invalidated or (state or "").startswith(_DISCONNECTED):
        return DatabaseUnreachable(f"The connection to the database {describe(url)} was lost: {_reason(error)}.")
    if state in _CONCURRENT:
        return Busy("Another request is changing the same record, and waiting for it timed out; retry the request.")
    if state == _CANCELLED:
        return StatementTimeout("The database took too long for a statement; nothing was stored.")
    if state in _UNDEFINED:
        return DatabaseBehind(f"The database {describe(url)} needs migrations: run `ofc-server migrate`.")
    if state == _COLUMN_UNDEFINED:
        return DatabaseAltered(
            f"The schema of the database {describe(url)} differs from that of this release: {_reason(error)}; "
            "`ofc-server verify` lists every difference."
        )
    return None


def _explain_refusal(reason: str, url: URL) -> ServiceError:
    """Return the error of a failed connection, by its message: psycopg gives no code for it."""
    if "unsupported startup parameter" in reason:
        return DatabaseDenied(
            f"The connection pooler in front of the database {describe(url)} rejects the startup parameter `options`; "
            "PgBouncer accepts it with the setting `ignore_startup_parameters = options`."
        )
    return _explain_role(reason, url) or DatabaseUnreachable(
        f"The database {describe(url)} cannot be reached: {reason}."
    )


def _explain_role(reason: str, url: URL) -> ServiceError | None:
    """Return the error of a session that cannot use the role of the service; None if the reason is another."""
    if f'role "{SERVICE_ROLE}" does not exist' in reason:
        return DatabaseBehind(f"The database {describe(url)} has no role {SERVICE_ROLE}: run `ofc-server migrate`.")
    if "permission denied to set role" in reason:
        return DatabaseDenied(
            f"The login {url.username} cannot use the role {SERVICE_ROLE}; "
            f"an administrator can allow it: GRANT {SERVICE_ROLE} TO {url.username}."
        )
    return None


def _reason(error: DBAPIError) -> str:
    """Return the first line of PostgreSQL's message without its prefixes."""
    line = str(error.orig).strip().splitlines()[0]
    for prefix in ("connection failed: ", "FATAL:  ", "ERROR:  "):
        line = line.rpartition(prefix)[2]
    return line.strip().rstrip(".")


@contextmanager
def conflicts(**by_constraint: ServiceError) -> Iterator[None]:
    """
    Raise the given error when a constraint is violated; the transaction can then only be rolled back.

    A function of the database can refuse what it is asked for with the name of a constraint too.

    Raises:
        ServiceError: the error that is given for the name of the constraint.
    """
    try:
        yield
    except (IntegrityError, ProgrammingError) as error:
        conflict = find_conflict(error, by_constraint)
        if conflict is None:
            raise
        raise conflict from error
