"""Add events to clubs' trees as soon as they are committed."""

import time
from collections.abc import Collection
from typing import Final
from uuid import UUID

from service.db import Database
from service.db.notifications import Batcher, Listener
from service.errors import ServiceError
from service.ledger.actions import join_events
from service.ledger.queries.trees import RECORDED
from service.logs import get_log

_PAUSE: Final = 0.1
"""Seconds between two batches: under load, many events join at once and send one notification."""
_ATTEMPTS: Final = 4
_RETRY_SECONDS: Final = 0.05

_log = get_log(__name__)


class Joiner:
    """
    Adds the events of clubs to their trees when it is notified of a commit.

    Nothing depends on it: the sweeper adds what it misses, and signs the trees.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._batcher = Batcher(self._join, _PAUSE, "joiner")
        self._listener = Listener(database, RECORDED, self._batcher.add)

    def start(self) -> None:
        """Start the threads."""
        self._batcher.start()
        self._listener.start()

    def stop(self) -> None:
        """End the threads."""
        self._listener.stop()
        self._batcher.stop()

    def _join(self, clubs: Collection[str]) -> None:
        for club in clubs:
            try:
                # Another process may hold the tree with a batch that was taken before the commit.
                for _ in range(_ATTEMPTS):
                    if join_events(self._database, UUID(club), None):
                        break
                    time.sleep(_RETRY_SECONDS)
            except ServiceError as error:
                _log.warning("join_interrupted", club=club, error=str(error))
            except Exception:
                _log.exception("join_failed", club=club)
