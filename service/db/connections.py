"""Connections: checked when they are opened, kept from request to request, and never used again once they are dead."""

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
from service.db.exchanges import PREPARED, Prepared, exchange
from service.db.session import LocalSettings, check_session
from service.db.statements import Statement

TRUSTED_SECONDS: Final = 1.0
"""How long a connection may be idle and is still believed to live."""

_IDLE_SINCE: Final = "idle_since"
_BEGIN: Final = Statement(text("BEGIN"))
_COMMIT: Final = Statement(text("COMMIT"))


def create_engine(url: URL, local: LocalSettings, pool_size: int) -> Engine:
    """Make the pool of a process; connections are opened when they are needed."""
    engine = sqlalchemy.create_engine(
        url,
        connect_args=connect_arguments(url, local.role, local.settings),
        # Every transaction says itself how it begins.
        isolation_level="AUTOCOMMIT",
        # An error says what went wrong and not with what: a name in a log could never be erased.
        hide_parameters=True,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=10,
        # Nearly always there is nothing to roll back, and the driver takes long to see that.
        pool_reset_on_return=None,
    )
    event.listen(engine, "connect", partial(_check, url=url, local=local))
    event.listen(engine, "reset", _roll_back)
    event.listen(engine, "checkin", _note_idle)
    event.listen(engine, "checkout", _refuse_dead)
    return engine


def close_connections(engine: Engine) -> None:
    """Close the engine's connections; one that is in use is closed when it is returned. The engine can go on."""
    replaced = engine.pool
    engine.dispose()
    event.listen(replaced, "checkin", _close)
    # A connection may have been returned before anything listened.
    replaced.dispose()


def _close(driver: psycopg.Connection[Any] | None, _entry: ConnectionPoolEntry) -> None:
    if driver is not None:
        driver.close()


def _check(driver: psycopg.Connection[Any], entry: ConnectionPoolEntry, *, url: URL, local: LocalSettings) -> None:
    """
    Check that a new connection becomes in a transaction what the service needs, or close it.

    Raises:
        psycopg.Error: a setting cannot be set, for instance the role.
        DatabaseError: as `check_session` says.
    """
    prepared = Prepared(by_name=False)
    try:
        exchange(driver, prepared, [(_BEGIN, {}), (local.statement, local.parameters())])
        backend = check_session(lambda statement, values: exchange(driver, prepared, [(statement, values)]), url, local)
        exchange(driver, prepared, [(_COMMIT, {})])
    except BaseException:
        driver.close()
        raise
    # A connection pooler makes up the number of the process that a client could cancel.
    entry.info[PREPARED] = Prepared(by_name=backend == driver.info.backend_pid)


def _note_idle(_driver: Any, entry: ConnectionPoolEntry) -> None:
    entry.info[_IDLE_SINCE] = monotonic()


def _roll_back(driver: Any, _entry: ConnectionPoolEntry, _state: PoolResetState) -> None:
    """End a transaction that was not committed, before anybody else has the connection."""
    if driver.pgconn.transaction_status != TransactionStatus.IDLE:
        driver.rollback()


def _refuse_dead(driver: psycopg.Connection, entry: ConnectionPoolEntry, _proxy: Any) -> None:
    """
    Let the pool open another connection in place of one that was cut while nobody used it.

    A server that ends says goodbye, so a connection on which nothing has come is alive; one idle for longer is asked,
    for what lies between may have forgotten it.
    """
    now = monotonic()
    is_trusted = now - entry.info.get(_IDLE_SINCE, now) < TRUSTED_SECONDS
    if is_trusted and not _has_come(driver):
        return
    try:
        driver.execute("")
    except psycopg.Error as error:
        raise DisconnectionError from error


def _has_come(driver: psycopg.Connection) -> bool:
    """Whether PostgreSQL has said something unasked; mostly that it ends."""
    waiting = poll()
    waiting.register(driver.fileno(), POLLIN)
    return bool(waiting.poll(0))
