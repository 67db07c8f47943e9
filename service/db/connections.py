"""The connection pool: the checks and settings of new connections, and those of each transaction."""

from collections.abc import Callable, Mapping
from functools import partial
from select import POLLIN, poll
from time import monotonic
from typing import Any, Final

import psycopg
import sqlalchemy
from psycopg.pq import TransactionStatus
from sqlalchemy import URL, Connection, Engine, TextClause, event, text
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry, PoolResetState

from migrations.privileges import SERVICE_PRIVILEGES
from service.database_errors import DatabaseDenied
from service.db.address import connect_arguments, describe
from service.db.failures import WRONG_ROLE
from service.db.pipeline import Parameters, Row, Statement, run_together

NO_ROLE: Final = "none"
"""PostgreSQL's name for the role of the login."""

# The order matters: the role is checked after it was set.
_ROLE: Final = (
    "set_config('role', :role, true), set_config('ofc.club', :club, true), set_config('ofc.table', :table, true),"
    " set_config('ofc.round', :round, true), set_config('ofc.player', :player, true)"
)
# A commit that was confirmed must survive a crash of the server and its loss, whatever its default setting is.
_DURABLE: Final = """
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
        THEN set_config('synchronous_commit', 'on', true) END
"""
# The cast fails for every text that is not a boolean, with an error that contains the text.
_CHECK: Final = f"""
    CASE WHEN current_user = CASE :role WHEN '{NO_ROLE}' THEN session_user ELSE :role END THEN true
    ELSE CAST('{WRONG_ROLE} ' || current_user AS boolean) END
"""


ENTER_CLUB: Final = (
    "set_config('ofc.club', CAST(key.club_id AS text), true),"
    " set_config('ofc.table', coalesce(CAST(key.table_id AS text), ''), true),"
    " set_config('ofc.round', coalesce(CAST(key.round_id AS text), ''), true),"
    " set_config('ofc.player', coalesce(key.player, ''), true)"
)
"""SQL expressions that set the club, the table, the round and the player of a transaction to those of a row `key`."""


class LocalSettings:
    """
    A statement that sets a role and settings for one transaction, and fails if the transaction has another role.

    >>> settings = LocalSettings("ofc_service", {"lock_timeout": "10s"})
    >>> settings.parameters()
    {'role': 'ofc_service', 'club': '', 'table': '', 'round': '', 'player': '', 'setting_0': '10s'}
    """

    def __init__(self, role: str | None, settings: Mapping[str, str]) -> None:
        """
        Build the statement.

        Args:
            role: the role of transactions; None is the login itself.
            settings: from `settings_of`.
        """
        self.role = role
        self.settings = dict(settings)
        # Names come from the operator's URL, and consist of letters, digits, `_`, `.` and `-` only.
        sets = [f"set_config('{name}', :setting_{place}, true)" for place, name in enumerate(settings)]
        # _DURABLE comes after the settings, because `synchronous_commit` can be one of them.
        self.text: TextClause = text(f"SELECT {', '.join([_ROLE, *sets, _DURABLE, _CHECK])}")
        self.statement = Statement(self.text)
        self._parameters = {"role": role or NO_ROLE, "club": "", "table": "", "round": "", "player": ""} | {
            f"setting_{place}": setting for place, setting in enumerate(settings.values())
        }

    def parameters(self, club: str = "", table: str = "", round_: str = "", player: str = "") -> Parameters:
        """
        Return the parameters of the statement.

        Args:
            club: the ID of the club; without one, no records of clubs are visible.
            table: the ID of the only table whose records are visible; without one, those of all tables are.
            round_: the ID of the only round whose records are visible; without one, those of all rounds are.
            player: the player whose own payments are visible beside those of the table.
        """
        return {**self._parameters, "club": club, "table": table, "round": round_, "player": player}

    def apply(self, connection: Connection) -> None:
        """Run the statement as the first one of a SQLAlchemy transaction."""
        connection.execute(self.text, self.parameters())


RunQuery = Callable[[Statement, Parameters], list[Row]]
"""A function that runs a statement in the transaction to check."""

# `current_setting` first: `set_config` returns the setting as PostgreSQL writes it, for instance '1min' for '60s'.
_READ_SESSION: Final = Statement(
    text("""
    SELECT pg_backend_pid() AS backend, CAST(current_user AS text) AS role, rolsuper, rolbypassrls,
        EXISTS (SELECT FROM unnest(CAST(:tables AS text[])) AS named (name)
            JOIN pg_class ON oid = to_regclass(name) WHERE pg_has_role(current_user, relowner, 'MEMBER')) AS owns,
        (SELECT string_agg(name, ', ')
            FROM unnest(CAST(:names AS text[]), CAST(:settings AS text[])) AS given (name, setting)
            WHERE current_setting(name) <> set_config(name, setting, true)) AS lost
    FROM pg_roles WHERE rolname = current_user
    """)
)


def check_session(run: RunQuery, url: URL, local: LocalSettings) -> int:
    """
    Check the role and the settings of the current transaction.

    Returns:
        The number of the PostgreSQL process of the connection.

    Raises:
        DatabaseDenied: the role is a superuser, bypasses row-level security or owns the tables, or settings have no
            effect.
    """
    # The service overrides an unsafe `synchronous_commit` of the operator.
    settings = {name: setting for name, setting in local.settings.items() if name != "synchronous_commit"}
    parameters = {"tables": [*SERVICE_PRIVILEGES], "names": [*settings], "settings": [*settings.values()]}
    [row] = run(_READ_SESSION, parameters)
    if local.role is not None:
        _check_role(row, url)
    if row["lost"] is not None:
        raise DatabaseDenied(
            f"In the database {describe(url)} these settings do not last for a transaction: {row['lost']}; "
            "expected a connection pooler in transaction or session mode."
        )
    backend: int = row["backend"]
    return backend


def _check_role(row: Row, url: URL) -> None:
    """Raise an error if the role has more rights than the service: every key could read the records of every club."""
    role, database = row["role"], describe(url)
    if row["rolsuper"] or row["rolbypassrls"]:
        raise DatabaseDenied(
            f"The role {role} is a superuser or bypasses row-level security in the database {database}; "
            f"an administrator can change that: ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS."
        )
    if row["owns"]:
        raise DatabaseDenied(
            f"The role {role} owns tables of the database {database}, or is a member of their owner; "
            "expected tables of a role of which it is not a member."
        )


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
    try:
        run_together(driver, [(_BEGIN, {}), (local.statement, local.parameters())])
        backend = check_session(lambda *query: run_together(driver, [query])[0], url, local)
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
    longer is tested with a statement, because a firewall can have dropped it. It is also replaced if its server is a
    standby: that of a new connection can be the primary.

    Raises:
        DisconnectionError: the connection is broken, or to a standby.
    """
    now = monotonic()
    is_trusted = now - entry.info.get(_IDLE_SINCE, now) < TRUSTED_SECONDS
    if is_trusted and not _has_pending_data(driver):
        return
    try:
        [is_standby] = driver.execute("SELECT pg_is_in_recovery()").fetchone() or (False,)
    except psycopg.Error as error:
        raise DisconnectionError from error
    if is_standby:
        raise DisconnectionError


def _has_pending_data(driver: psycopg.Connection) -> bool:
    """Return whether PostgreSQL has sent data without a request, usually a notice of its shutdown."""
    waiting = poll()
    waiting.register(driver.fileno(), POLLIN)
    return bool(waiting.poll(0))
