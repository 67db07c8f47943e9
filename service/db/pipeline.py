"""
The statements of one transaction, in as few round trips as possible.

A statement whose result is not needed is sent with the next one whose result is needed, or with the commit. A hand is
recorded in two round trips: the first begins, sets the club and locks the round; the second writes and commits.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NoReturn

import psycopg
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from service.db.exchanges import PREPARED, Found, Prepared, exchange, hear, start
from service.db.failures import find_conflict
from service.db.statements import Parameters, Statement
from service.errors import ServiceError

_COMMIT: Final = Statement(text("COMMIT"))
_NOTHING: Final[Parameters] = {}
_NO_CONFLICTS: Final[Mapping[str, ServiceError]] = {}


class Pipeline:
    """The queued statements of a connection."""

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
        Queue a statement until the next round trip.

        Args:
            statement: a statement whose result is not needed.
            parameters: its parameters.
            conflicts: the error to raise for the violation of a constraint, by the constraint's name.
        """
        self._waiting.append((statement, parameters))
        self._conflicts |= conflicts

    def send(self) -> None:
        """Send the queued statements, and wait for a started one."""
        if self._waiting:
            self._exchange()
        elif self._is_ahead:
            self._hear()

    def start(self, statement: Statement, parameters: Mapping[str, bytes]) -> None:
        """Start a statement without waiting. The next round trip waits for it and raises its error."""
        self.send()
        try:
            start(self._driver, self._prepared, statement, parameters)
        except psycopg.Error as error:
            self._refuse(error, _NO_CONFLICTS)
        self._is_ahead = True

    def hear_out(self) -> None:
        """Wait for a started statement and ignore its error, because another error is being handled."""
        with suppress(DBAPIError, ServiceError):
            if self._is_ahead:
                self._hear()

    def discard(self) -> None:
        """Discard the queued statements, and wait for a started one, because an error is being handled."""
        self._waiting, self._conflicts = [], {}
        self.hear_out()

    def ask(self, statement: Statement, parameters: Parameters = _NOTHING) -> list[Found]:
        """Send the queued statements and this one, and return its rows."""
        self._waiting.append((statement, parameters))
        return self._exchange()

    def commit(self) -> None:
        """Send the queued statements and commit. If one fails, PostgreSQL does not run the commit."""
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
        """Raise the exception of SQLAlchemy for an error of the driver, or the conflict that it means."""
        if self._driver.closed:
            self.connection.invalidate(error)
        explained = DBAPIError.instance(
            None, None, error, psycopg.Error, hide_parameters=True, connection_invalidated=self._driver.closed
        )
        if isinstance(explained, IntegrityError):
            raise find_conflict(explained, conflicts) or explained from error
        raise explained from error
