"""Checks of the PostgreSQL server: it accepts writes, and a crash does not lose them."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import URL, Connection, text

from service.database_errors import DatabaseError, DatabaseReadOnly
from service.db.address import describe

# The transaction sets `synchronous_commit` itself; `reset_val` is the setting of the server, role or database.
_LOOK: Final = text("""
    SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
        current_setting('synchronous_commit') AS synchronous_commit,
        (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS default_synchronous_commit,
        pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS is_read_only
""")
_OFF: Final = "off"


@dataclass(frozen=True, slots=True)
class ServerState:
    """
    The durability settings of a server.

    Attributes:
        fsync: whether the server waits until a write is on the disk.
        full_page_writes: whether a half-written page can be restored after a power failure.
        synchronous_commit: the setting in transactions of the service.
        default_synchronous_commit: the setting in other transactions.
        is_standby: whether the server replicates another one.
        is_read_only: whether transactions are read-only.
    """

    fsync: str
    full_page_writes: str
    synchronous_commit: str
    default_synchronous_commit: str
    is_standby: bool
    is_read_only: bool

    @property
    def unsafe(self) -> tuple[str, ...]:
        """The settings that are off and can lose committed records in a crash."""
        settings = {"fsync": self.fsync, "full_page_writes": self.full_page_writes}
        return tuple(name for name, setting in settings.items() if setting == _OFF)


def read_server(connection: Connection) -> ServerState:
    """Read the settings of the server in a transaction of the service."""
    return ServerState(**connection.execute(_LOOK).one()._mapping)


def refuse_read_only(state: ServerState, url: URL) -> None:
    """
    Raise an error if the server does not accept writes.

    Raises:
        DatabaseReadOnly: the server is a standby, or its transactions are read-only.
    """
    if state.is_standby:
        raise DatabaseReadOnly(
            f"The database {describe(url)} is a standby, which is read-only: connect to the primary, or promote it."
        )
    if state.is_read_only:
        raise DatabaseReadOnly(
            f"The database {describe(url)} is read-only: an administrator can change `default_transaction_read_only`."
        )


def refuse_unsafe(state: ServerState, url: URL) -> None:
    """
    Raise an error if a crash of the server can lose or damage committed records.

    Raises:
        DatabaseError: `fsync` or `full_page_writes` is off.
    """
    if state.unsafe:
        raise DatabaseError(
            f"The database {describe(url)} runs with {' and '.join(f'{name} = off' for name in state.unsafe)}, "
            "so a crash can lose committed records; expected on, or OFC_ALLOW_DATA_LOSS=1 for a test database."
        )
