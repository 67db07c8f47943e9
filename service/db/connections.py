"""The connection pool: connections are checked when they are opened, and replaced when they are broken."""

from functools import partial
from select import POLLIN, poll
from time import monotonic
from typing import Any, Final

import psycopg
import sqlalchemy
from psycopg.pq import TransactionStatus
from sqlalchemy import URL, Engine, event, text
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry, PoolResetState

from service.db.address import connect_arguments
from service.db.pipeline import Encoded, EncodedDumper, Statement, run_together
from service.db.session import LocalSettings, check_session

TRUSTED_SECONDS: Final = 1.0
"""Idle time after which a connection is tested before it is used."""

_IDLE_SINCE: Final = "idle_since"
ONLY_READS: Final = "only_reads"
"""The name under which a connection in the pool has whether its newest transaction only reads."""
_PREPARE_AFTER: Final = 5
"""So often is a statement run on a connection before psycopg prepares it."""
_BEGIN: Final = Statement(text("BEGIN"))
_COMMIT: Final = Statement(text("COMMIT"))


def create_engine(url: URL, local: LocalSettings, pool_size: int) -> Engine:
    """Create the engine of a process; connections are opened on demand."""
    engine = sqlalchemy.create_engine(
        url,
        connect_args=connect_arguments(url, local.role, local.settings),
        # Every transaction sends its own BEGIN.
        isolation_level="AUTOCOMMIT",
        # Parameters must not get into a log: a player's name could not be erased there.
        hide_parameters=True,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=10,
        # The listener for `reset` rolls back only if a transaction is open, which is faster.
        pool_reset_on_return=None,
    )
    event.listen(engine, "connect", partial(_check, url=url, local=local))
    event.listen(engine, "reset", _end_transaction)
    event.listen(engine, "checkin", _record_idle)
    event.listen(engine, "checkout", _check_alive)
    return engine


def close_connections(engine: Engine) -> None:
    """Close all connections, those in use when they are returned. The engine can open new ones."""
    replaced = engine.pool
    engine.dispose()
    event.listen(replaced, "checkin", _close)
    # A connection can have been returned before the listener was added.
    replaced.dispose()


def _close(driver: psycopg.Connection[Any] | None, _entry: ConnectionPoolEntry) -> None:
    if driver is not None:
        driver.close()


def _check(driver: psycopg.Connection[Any], _entry: ConnectionPoolEntry, *, url: URL, local: LocalSettings) -> None:
    """
    Check the role and the settings of a transaction on a new connection; close the connection if the check fails.

    Raises:
        psycopg.Error: a setting, for example the role, cannot be set.
        DatabaseError: as `check_session`.
    """
    driver.adapters.register_dumper(Encoded, EncodedDumper)
    try:
        run_together(driver, [(_BEGIN, {}), (local.statement, local.parameters())])
        backend = check_session(lambda statement, values: run_together(driver, [(statement, values)]), url, local)
        run_together(driver, [(_COMMIT, {})])
    except BaseException:
        driver.close()
        raise
    # Behind a connection pooler, which reports an invented process number, nothing is prepared, because the next
    # transaction can run on another connection to PostgreSQL.
    if backend == driver.info.backend_pid:
        driver.prepare_threshold = _PREPARE_AFTER


def _record_idle(_driver: Any, entry: ConnectionPoolEntry) -> None:
    entry.info[_IDLE_SINCE] = monotonic()


def _end_transaction(driver: Any, entry: ConnectionPoolEntry, _state: PoolResetState) -> None:
    """
    End a transaction that is not committed, before the connection is reused.

    One that only reads is committed, because psycopg forgets its prepared statements at a rollback.
    """
    status = driver.pgconn.transaction_status
    if status == TransactionStatus.INTRANS and entry.info.get(ONLY_READS):
        driver.commit()
    elif status != TransactionStatus.IDLE:
        driver.rollback()


def _check_alive(driver: psycopg.Connection, entry: ConnectionPoolEntry, _proxy: Any) -> None:
    """
    Check that a pooled connection is alive; the pool replaces it if not.

    A server that shuts down sends a message, so a connection without pending data is alive. One that was idle for
    longer is tested with an empty statement, because a firewall can have dropped it.

    Raises:
        DisconnectionError: the connection is broken.
    """
    now = monotonic()
    is_trusted = now - entry.info.get(_IDLE_SINCE, now) < TRUSTED_SECONDS
    if is_trusted and not _has_pending_data(driver):
        return
    try:
        driver.execute("")
    except psycopg.Error as error:
        raise DisconnectionError from error


def _has_pending_data(driver: psycopg.Connection) -> bool:
    """Return whether PostgreSQL has sent data without a request, usually a notice of its shutdown."""
    waiting = poll()
    waiting.register(driver.fileno(), POLLIN)
    return bool(waiting.poll(0))
