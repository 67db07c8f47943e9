"""What a server of PostgreSQL must be for the service to start: it takes writes, and a crash loses none of them."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import URL, Connection, text

from service.db.address import place_of
from service.errors import DatabaseError, DatabaseReadOnly

# The transaction sets `synchronous_commit` for itself; `reset_val` is what the server, the role or the database say.
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
    How a server stores what is committed.

    Attributes:
        fsync: whether it waits until a write has reached the disk.
        full_page_writes: whether a page that was half written when the power failed can be restored.
        synchronous_commit: what a commit of the service waits for.
        default_synchronous_commit: what other commits wait for.
        is_standby: whether it replays what another server writes.
        is_read_only: whether transactions can write nothing.
    """

    fsync: str
    full_page_writes: str
    synchronous_commit: str
    default_synchronous_commit: str
    is_standby: bool
    is_read_only: bool

    @property
    def unsafe(self) -> tuple[str, ...]:
        """The settings without which a crash can lose committed records."""
        given = {"fsync": self.fsync, "full_page_writes": self.full_page_writes}
        return tuple(name for name, setting in given.items() if setting == _OFF)


def read_server(connection: Connection) -> ServerState:
    """Read the state of the server, in a transaction as the service begins them."""
    return ServerState(**connection.execute(_LOOK).one()._mapping)


def refuse_read_only(state: ServerState, url: URL) -> None:
    """
    Refuse a server that cannot write.

    Raises:
        DatabaseReadOnly: it is a standby, or its transactions are read-only.
    """
    if state.is_standby:
        raise DatabaseReadOnly(
            f"The database {place_of(url)} is a standby, which is read-only: connect to the primary, or promote it."
        )
    if state.is_read_only:
        raise DatabaseReadOnly(
            f"The database {place_of(url)} is read-only: an administrator can change `default_transaction_read_only`."
        )


def refuse_unsafe(state: ServerState, url: URL) -> None:
    """
    Refuse a server on which a crash can lose or damage what was committed.

    Raises:
        DatabaseError: `fsync` or `full_page_writes` is off.
    """
    if state.unsafe:
        raise DatabaseError(
            f"The database {place_of(url)} runs with {' and '.join(f'{name} = off' for name in state.unsafe)}, so that "
            "a crash can lose committed records; switch it on, or set OFC_ALLOW_DATA_LOSS=1 for a database of tests."
        )
