"""The newest round of a table, read from the service or, while it does not respond, from this machine."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from client.api import Client
from client.errors import ApiError, RefusedError, TransportError, UnreadableError
from client.lookup import find_table
from client.outbox.cache import KnownRound, KnownTable
from client.outbox.entries import apply
from client.outbox.send import Sent, send_round
from client.outbox.store import Outbox

T = TypeVar("T")

Document = dict[str, Any]

_SERVER_ERROR: Final = 500
"""Statuses from this one on are server errors; the request may be valid."""

_NOT_FOUND: Final = 404
_BETWEEN_ROUNDS: Final = frozenset({"top-up-not-allowed", "departure-not-allowed"})


class BackgroundCall(Generic[T]):
    """A call of the service in a thread of its own. An abandoned thread ends with the process."""

    def __init__(self, client: Client, call: Callable[[], T]) -> None:
        self._server = client.server
        self._seconds = client.timeout
        self._call = call
        self._result: list[T] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether the call has returned or failed."""
        return not self._thread.is_alive()

    def wait(self) -> T:
        """
        Return the result, after waiting for it for at most the timeout of the client.

        Raises:
            TransportError: there is no result after that time.
        """
        self._thread.join(self._seconds)
        if self._thread.is_alive():
            raise TransportError(f"{self._server} did not respond within {self._seconds:g} seconds")
        if self._error is not None:
            raise self._error
        return self._result[0]

    def _run(self) -> None:
        try:
            self._result.append(self._call())
        except BaseException as error:  # raised again by `wait`
            self._error = error


@dataclass(slots=True)
class CurrentRound:
    """A round, its current state, and the error that shows that the service could not be reached, if any."""

    known: KnownRound
    round: Document
    outage: TransportError | None = None

    def play_hand(self, hand: Document) -> Document:
        """
        Return the result of the next hand, by the same rules as the service.

        Raises:
            RefusedError: the hand is invalid, with every reason.
        """
        from client.offline.rounds import play_hand  # slow to import

        return play_hand(self.known.document, hand, self.known.ruleset)

    def check(self, verb: str, request: Document) -> None:
        """
        Validate a change by the same rules as the service, before it is sent or waits.

        Raises:
            RefusedError: the change is invalid, with every reason.
        """
        from client.offline.rounds import check_change

        with self.advising():
            check_change(self.known.document, verb, request, self.known.ruleset)

    @contextmanager
    def advising(self) -> Iterator[None]:
        """Add advice to a refusal where the ruleset allows departures or top-ups only between rounds."""
        try:
            yield
        except RefusedError as error:
            if _BETWEEN_ROUNDS & {mistake["code"] for mistake in error.problem["errors"]}:
                table = self.known.table
                error.advice = (
                    f"Close the round and open the next one: `ofc round close {table} --reason TEXT`, then"
                    f" `ofc round open {table} PLAYER[=STACK]...`."
                )
            raise

    def become(self, other: "CurrentRound") -> bool:
        """Copy the state of another one, and return whether the next hand differs."""
        before = self._next_hand()
        self.known, self.round, self.outage = other.known, other.round, other.outage
        return before != self._next_hand()

    def _next_hand(self) -> tuple[object, ...]:
        players = [(seat["seat"], seat["player"]) for seat in self.round["seats"]]
        return self.round["next"], players, self.known.ruleset


class RoundOverError(UnreadableError):
    """The newest round of a table accepts no more hands; `last` is that round."""

    def __init__(self, last: CurrentRound) -> None:
        self.last = last
        table, status = last.known.table, last.round["status"]
        super().__init__(
            f"no round is open at {table}: the last is {status}; `ofc round open {table} PLAYER[=STACK]...` opens one"
        )


class Refresh:
    """
    Send waiting requests of a table and read its newest round, in the background.

    Args:
        client: the service.
        outbox: the waiting requests.
        table: the table's name or id; without the service only a table that is stored on this machine.
        notify: called with every waiting request that was sent, in the thread that waits for the result.
    """

    def __init__(self, client: Client, outbox: Outbox, table: str, notify: Callable[[Sent], None]) -> None:
        self._outbox = outbox
        self._table = table
        self._notify = notify
        self._sent: list[Sent] = []
        self._is_synced = False
        self._call = BackgroundCall(client, lambda: self._read(client))

    @property
    def has_news(self) -> bool:
        """Whether there is a result that was not fetched yet."""
        return self._call.is_done and not self._is_synced

    def sync(self) -> CurrentRound:
        """
        Return the newest round of the table. After a short wait, return it as it is stored on this machine.

        Raises:
            RefusedError: a waiting request is refused or invalid.
            TransportError: the service does not respond or fails, and the table is not stored on this machine.
            UnreadableError: the table does not exist, or no round was opened at it.
        """
        self._is_synced = True
        try:
            return self._call.wait()
        except TransportError as error:
            stored = find_stored(self._outbox, self._table)
            if stored is None:
                raise
            stored.outage = error
            return stored
        finally:
            while self._sent:
                self._notify(self._sent.pop(0))

    def _read(self, client: Client) -> CurrentRound:
        # SQLite connections must not be shared between threads.
        with Outbox(self._outbox.directory, self._outbox.server) as outbox, server_errors_as_outage(client):
            return _read_newest(client, outbox, self._table, self._sent.append)


def find_current_round(client: Client, outbox: Outbox, table: str, notify: Callable[[Sent], None]) -> CurrentRound:
    """
    Find the newest round of a table, after sending waiting requests. See `Refresh`.

    Raises:
        RefusedError: a waiting request is refused or invalid.
        TransportError: the service does not respond or fails, and the table is not stored on this machine.
        UnreadableError: the table does not exist, or no round was opened at it.
    """
    return Refresh(client, outbox, table, notify).sync()


def find_stored(outbox: Outbox, text: str) -> CurrentRound | None:
    """
    Find a round by its id, or the newest of a table, as it is stored on this machine, with all waiting changes.

    Raises:
        RefusedError: a waiting request is invalid.
    """
    found = outbox.find_table(text)
    known = outbox.find_round_with_waiting(text) or outbox.find_newest_round(found.document["name"] if found else text)
    return None if known is None else CurrentRound(known, play_waiting(outbox, known))


@contextmanager
def server_errors_as_outage(client: Client) -> Iterator[None]:
    """
    Treat a server error as an unreachable service, so that the evening goes on without it.

    Raises:
        TransportError: the service responds with a server error.
    """
    try:
        yield
    except ApiError as error:
        if error.problem["status"] < _SERVER_ERROR:
            raise
        raise TransportError(f"{client.server} is not available: {error}") from error


def require_next(current: CurrentRound) -> Document:
    """
    Return what the next hand must be.

    Raises:
        RoundOverError: the round accepts no more hands.
    """
    upcoming: Document | None = current.round["next"]
    if upcoming is None:
        raise RoundOverError(current)
    return upcoming


def _read_newest(client: Client, outbox: Outbox, table: str, notify: Callable[[Sent], None]) -> CurrentRound:
    stored = outbox.find_table(table)
    found = learn_table(client, outbox, table) if stored is None else stored
    send_waiting(client, outbox, found.document["name"], notify)
    newest = _find_newest(client, found)
    if newest is None and stored is not None:
        # The address may belong to another club by now.
        found = learn_table(client, outbox, table)
        newest = _find_newest(client, found)
    name = found.document["name"]
    if newest is None:
        raise UnreadableError(f"no round was opened at {name} yet; `ofc round open {name} PLAYER=STACK...` opens one")
    return CurrentRound(store_round(client, outbox, name, newest), newest)


def _find_newest(client: Client, table: KnownTable) -> Document | None:
    try:
        return next(client.list_rounds(table=table.document["id"], limit="1"), None)
    except ApiError as error:
        if error.problem["status"] != _NOT_FOUND:
            raise
        return None


def learn_table(client: Client, outbox: Outbox, table: str) -> KnownTable:
    """
    Read a table from the service, and store it with its ruleset so that rounds can be opened at it offline.

    Raises:
        UnreadableError: there is no table of that name.
    """
    found = find_table(client, table)
    stored = outbox.find_table(found["name"])
    if stored is not None and stored.document == found:
        return stored
    ruleset = client.get_ruleset(found["ruleset"])
    outbox.store_table(found, ruleset)
    return KnownTable(found, ruleset)


def send_waiting(client: Client, outbox: Outbox, table: str, notify: Callable[[Sent], None]) -> None:
    """
    Send waiting requests for the rounds of a table.

    Raises:
        RefusedError: a waiting request is refused.
        TransportError: the service does not respond; requests wait.
    """
    for round_id in outbox.list_waiting_rounds(table):
        for sent in send_round(client, outbox, round_id):
            notify(sent)


def play_waiting(outbox: Outbox, known: KnownRound) -> Document:
    """
    Return the state of a round with all waiting changes.

    Raises:
        RefusedError: a waiting request is invalid.
    """
    waiting = outbox.list_entries(known.round_id)
    if known.response and not waiting:
        return known.response
    from client.offline.score import play_round

    try:
        played: Document = play_round(known.document, known.ruleset)["round"]
    except RefusedError:
        seen = outbox.find_round(known.round_id)
        document = seen.document if seen else known.document
        for entry in waiting:
            document = apply(document, entry.verb, entry.document)
            try:
                play_round(document, known.ruleset)
            except RefusedError as error:
                error.source, error.queued_as = f"outbox {entry.id}", entry.id
                raise
        raise
    money = {name: known.document.get(name) for name in ("reference", "point_value", "currency")}
    return {**known.response, "ruleset": known.document["ruleset"], **money, **played}


def store_round(client: Client, outbox: Outbox, table: str, round_: Document) -> KnownRound:
    """Store all that is needed to continue a round while the service does not respond."""
    stored = outbox.find_newest_round(table)
    if stored is not None and stored.round_id == round_["id"] and stored.response.get("version") == round_["version"]:
        return stored
    # Read the records before the document: if a hand is replaced in between, an undo names the old record and fails.
    hands = client.list_hands(round_["id"]) if round_["hands"] else ()
    records = {hand["number"]: hand["id"] for hand in hands}
    document = client.get_document(round_["id"])
    is_known = stored is not None and stored.response.get("ruleset") == round_["ruleset"]
    ruleset = stored.ruleset if stored is not None and is_known else client.get_ruleset(round_["ruleset"])
    known = KnownRound(round_["id"], table, document, ruleset, records, round_)
    outbox.store_round(known)
    return known
