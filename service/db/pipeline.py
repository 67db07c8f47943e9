"""
The statements of one transaction, in as few ways to the database and back as there can be.

What nobody waits for is not sent at once: it goes with the next statement whose answer is needed, or with the commit.
So a hand is recorded in two ways: one begins, names the club and locks the round, the other writes and commits.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NoReturn

import psycopg
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from service.db.exchanges import PREPARED, Found, Prepared, exchange, hear, start
from service.db.failures import conflict_of
from service.db.statements import Parameters, Statement
from service.errors import ServiceError

_COMMIT: Final = Statement(text("COMMIT"))
_NOTHING: Final[Parameters] = {}
_NO_CONFLICTS: Final[Mapping[str, ServiceError]] = {}


class Pipeline:
    """What is sent on a connection, and what waits to be."""

    __slots__ = ("_conflicts", "_driver", "_is_ahead", "_prepared", "_waiting", "connection")

    def __init__(self, connection: Connection) -> None:
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection), "connections are psycopg's"
        self.connection = connection
        self._driver = driver
        self._prepared: Prepared = connection.info[PREPARED]
        self._waiting: list[tuple[Statement, Parameters]] = []
        self._conflicts: dict[str, ServiceError] = {}
        self._is_ahead = False

    def send_later(self, statement: Statement, parameters: Parameters = _NOTHING, **conflicts: ServiceError) -> None:
        """
        Let a statement wait for company.

        Args:
            statement: whose answer nobody needs.
            parameters: of it.
            conflicts: what it means when it violates a constraint, by the constraint's name.
        """
        self._waiting.append((statement, parameters))
        self._conflicts |= conflicts

    def send(self) -> None:
        """Send what waits, and see that what was started has been done."""
        if self._waiting:
            self._exchange()
        elif self._is_ahead:
            self._hear()

    def start(self, statement: Statement, parameters: Mapping[str, bytes]) -> None:
        """Let the database run a statement meanwhile. Whatever is sent next waits for it, and says what went wrong."""
        self.send()
        try:
            start(self._driver, self._prepared, statement, parameters)
        except psycopg.Error as error:
            self._refuse(error, _NO_CONFLICTS)
        self._is_ahead = True

    def hear_out(self) -> None:
        """Wait for what was started and forget it: something else has gone wrong."""
        with suppress(DBAPIError, ServiceError):
            if self._is_ahead:
                self._hear()

    def discard(self) -> None:
        """Forget what waits to be sent, and wait for what was started: something else has gone wrong."""
        self._waiting, self._conflicts = [], {}
        self.hear_out()

    def ask(self, statement: Statement, parameters: Parameters = _NOTHING) -> list[Found]:
        """Send what waits and then a statement, and give what the last one found."""
        self._waiting.append((statement, parameters))
        return self._exchange()

    def commit(self) -> None:
        """Send what waits and commit. Where something of it fails, PostgreSQL does not get as far as the commit."""
        self._waiting.append((_COMMIT, _NOTHING))
        self._exchange()

    def _hear(self) -> None:
        self._is_ahead = False
        try:
            hear(self._driver)
        except psycopg.Error as error:
            self._refuse(error, _NO_CONFLICTS)

    def _exchange(self) -> list[Found]:
        if self._is_ahead:
            self._hear()
        waiting, conflicts = self._waiting, self._conflicts
        self._waiting, self._conflicts = [], {}
        try:
            return exchange(self._driver, self._prepared, waiting)
        except psycopg.Error as error:
            self._refuse(error, conflicts)

    def _refuse(self, error: psycopg.Error, conflicts: Mapping[str, ServiceError]) -> NoReturn:
        """Say what went wrong in SQLAlchemy's terms, as for every other statement."""
        if self._driver.closed:
            self.connection.invalidate(error)
        explained = DBAPIError.instance(
            None, None, error, psycopg.Error, hide_parameters=True, connection_invalidated=self._driver.closed
        )
        if isinstance(explained, IntegrityError):
            raise conflict_of(explained, conflicts) or explained from error
        raise explained from error
