"""The newest round of a table, with all that is needed to check its next hand."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Self

from client.api import Client
from client.errors import RefusedError, UnreadableError
from client.lookup import find_newest_round

Document = dict[str, Any]

_BETWEEN_ROUNDS: Final = frozenset({"top-up-not-allowed", "departure-not-allowed"})


@dataclass(frozen=True, slots=True)
class CurrentRound:
    """A round as the service has it: the name of its table, its state, its document, and the rules that it uses."""

    table: str
    round: Document
    document: Document
    ruleset: Document

    @classmethod
    def read(cls, client: Client, table: str, round_: Document) -> Self:
        """Read the document and the ruleset of a round; read both again while their numbers of hands differ."""
        document = client.get_document(round_["id"])
        while len(document["hands"]) != round_["hands"]:
            round_, document = client.get_round(round_["id"]), client.get_document(round_["id"])
        return cls(table, round_, document, client.get_ruleset(round_["ruleset"]))

    @property
    def id(self) -> str:
        """The id of the round."""
        return str(self.round["id"])

    def play_hand(self, hand: Document) -> Document:
        """
        Return the result of the next hand, by the same rules as the service.

        Raises:
            RefusedError: the hand is invalid, with every reason.
        """
        from client.offline.score import play_hand  # slow to import

        return play_hand(self.document, hand, self.ruleset)

    def find_next(self, top_ups: Sequence[Document]) -> Document:
        """
        Return what the next hand must be after top-ups.

        Raises:
            RefusedError: the top-ups are invalid, with every reason.
            UnreadableError: the round accepts no more hands.
        """
        upcoming = require_next(self.table, self.round)
        if not top_ups:
            return upcoming
        from client.offline.score import find_next  # slow to import, and rarely needed here

        with advising(self.table):
            return find_next(self.document, top_ups, self.ruleset) or upcoming


def find_current_round(client: Client, table: str) -> CurrentRound:
    """
    Find the newest round of a table.

    Raises:
        UnreadableError: the table does not exist, or no round was opened at it.
    """
    record, newest = find_newest_round(client, table)
    return CurrentRound.read(client, record["name"], newest)


def require_next(table: str, round_: Document) -> Document:
    """
    Return what the next hand of a round must be.

    Raises:
        UnreadableError: the round accepts no more hands.
    """
    upcoming: Document | None = round_["next"]
    if upcoming is None:
        raise UnreadableError(
            f"no round is open at {table}: the last is {round_['status']};"
            f" `ofc round open {table} PLAYER[=STACK]...` opens one"
        )
    return upcoming


@contextmanager
def advising(table: str) -> Iterator[None]:
    """Add advice to a refusal where the ruleset allows departures or top-ups only between rounds."""
    try:
        yield
    except RefusedError as error:
        if _BETWEEN_ROUNDS & {mistake["code"] for mistake in error.problem["errors"]}:
            error.advice = (
                f"Close the round and open the next one: `ofc round close {table} --reason TEXT`, then"
                f" `ofc round open {table} PLAYER[=STACK]...`."
            )
        raise
