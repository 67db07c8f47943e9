"""The round that is played at a table, as the service or, without it, this machine knows it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from client.api import Client
from client.errors import ApiError, RefusedError, TransportError, UnreadableError
from client.finding import find_table
from client.outbox.entries import apply
from client.outbox.sending import Sent, send_round
from client.outbox.store import KnownRound, Outbox

Document = dict[str, Any]

_FAILED: Final = 500
"""From this status on a service says that it failed, and not that anything is wrong with the request."""


@dataclass(slots=True)
class InPlay:
    """A round, where it stands, and why the service could not be asked, if it could not."""

    known: KnownRound
    standing: Document
    away: TransportError | None = None

    def try_hand(self, client: Client, hand: Document) -> Document:
        """
        Say what the next hand would come to; where the service does not answer, by the same rules here.

        Raises:
            RefusedError: it cannot be, with every reason.
        """
        if self.away is None:
            try:
                with _away_where_it_fails(client):
                    return client.try_hand(self.known.round_id, hand)
            except TransportError as error:
                self.away = error
        from client.offline.changes import play_hand  # the rules take a moment to load, and a service has its own

        return play_hand(self.known.document, hand, self.known.ruleset)

    def check(self, verb: str, request: Document) -> None:
        """
        Check by the same rules here what the service cannot be asked about, before it waits.

        Raises:
            RefusedError: it cannot be, with every reason.
        """
        from client.offline.changes import check_change

        check_change(self.known.document, verb, request, self.known.ruleset)


def find_in_play(client: Client, outbox: Outbox, table: str, tell: Callable[[Sent], None]) -> InPlay:
    """
    Find the newest round of a table, after sending what waits for it.

    Args:
        client: the service.
        outbox: what waits for it.
        table: the table's name or id; without the service only a name that was used before.
        tell: is told of every request that was waiting and is sent now.

    Raises:
        RefusedError: something that was waiting is refused, or cannot be.
        TransportError: the service does not answer, or fails, and the table was never seen from here.
        UnreadableError: there is no such table, or nothing was played at it.
    """
    try:
        with _away_where_it_fails(client):
            return _ask(client, outbox, table, tell)
    except TransportError as error:
        known = outbox.find_last_at(table)
        if known is None:
            raise
        return InPlay(known, _play_waiting(outbox, known), error)


@contextmanager
def _away_where_it_fails(client: Client) -> Iterator[None]:
    """
    Take a service that fails for one that does not answer, so that the evening goes on without it.

    Raises:
        TransportError: it fails.
    """
    try:
        yield
    except ApiError as error:
        if error.problem["status"] < _FAILED:
            raise
        raise TransportError(f"{client.server} cannot answer now: {error}") from error


def require_next(in_play: InPlay) -> Document:
    """
    Say what the next hand must be.

    Raises:
        UnreadableError: the round takes no further hand.
    """
    following: Document | None = in_play.standing["next"]
    if following is None:
        table, status = in_play.known.table, in_play.standing["status"]
        raise UnreadableError(
            f"no round is open at {table}: the last is {status}; `ofc round open {table} PLAYER[=STACK]...` opens one"
        )
    return following


def _ask(client: Client, outbox: Outbox, table: str, tell: Callable[[Sent], None]) -> InPlay:
    found = find_table(client, table)
    send_waiting(client, outbox, found["name"], tell)
    newest = next(client.list_rounds(table=found["id"], limit="1"), None)
    if newest is None:
        name = found["name"]
        raise UnreadableError(f"no round was opened at {name} yet; `ofc round open {name} PLAYER=STACK...` opens one")
    return InPlay(remember(client, outbox, found["name"], newest), newest)


def send_waiting(client: Client, outbox: Outbox, table: str, tell: Callable[[Sent], None]) -> None:
    """
    Send what waits for the rounds of a table.

    Raises:
        RefusedError: something that was waiting is refused.
        TransportError: the service does not answer; it waits.
    """
    for round_id in outbox.list_rounds_at(table):
        for sent in send_round(client, outbox, round_id):
            tell(sent)


def _play_waiting(outbox: Outbox, known: KnownRound) -> Document:
    """
    Say where a round stands with everything that waits for it.

    Raises:
        RefusedError: something that waits cannot be; it says what.
    """
    from client.offline.score import play_round

    try:
        standing: Document = play_round(known.document, known.ruleset)["round"]
    except RefusedError:
        seen = outbox.find_known(known.round_id)
        document = seen.document if seen else known.document
        for entry in outbox.list_entries(known.round_id):
            document = apply(document, entry.verb, entry.document)
            try:
                play_round(document, known.ruleset)
            except RefusedError as error:
                error.about, error.waits_as = f"outbox {entry.id}", entry.id
                raise
        raise
    return standing


def remember(client: Client, outbox: Outbox, table: str, round_: Document) -> KnownRound:
    """Keep what is needed to go on with a round while the service does not answer."""
    # The records come before the document: where a hand is replaced meanwhile, its undo takes the one that is gone.
    hands = client.list_hands(round_["id"]) if round_["hands"] else ()
    records = {hand["number"]: hand["id"] for hand in hands}
    document = client.get_document(round_["id"])
    known = KnownRound(round_["id"], table, document, client.get_ruleset(round_["ruleset"]), records)
    outbox.remember(known)
    return known
