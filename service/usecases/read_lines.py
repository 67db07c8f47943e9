"""Lines of an import, read: what of each can be told without looking at any other record."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256

from schemas.base import WireError
from schemas.document_lines import KeptHand, load_line
from schemas.documents import RoundDocument, canonical_document
from scoring.ruleset import Ruleset
from service.database import Transaction
from service.errors import RulesetUnknown
from service.usecases.find_ruleset import ruleset_named

Identity = tuple[str, str | bytes]
"""By what a round is known: its table's name, and its reference or, without one, the digest of its content."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """
    A line that is a round document.

    Attributes:
        number: of the line.
        received: its exact bytes.
        head: the document without its hands, with the version of its ruleset.
        ruleset: the rules in force.
        hands: as they are kept.
        digest: of the document's canonical JSON.
        document: makes the whole document, of which most lines have no need.
    """

    number: int
    received: bytes
    head: RoundDocument
    ruleset: Ruleset
    hands: Sequence[KeptHand]
    digest: bytes
    document: Callable[[], RoundDocument]

    @property
    def identity(self) -> Identity:
        """By what the round is known."""
        return self.head.table, self.head.reference or self.digest


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line that is none, and why."""

    number: int
    error: WireError | RulesetUnknown


def read_lines(transaction: Transaction, lines: Iterable[tuple[int, bytes]]) -> Iterator[ReadLine | UnreadLine]:
    """Read lines, each with its number."""
    # Many lines name few rulesets, which cannot change meanwhile. What is not found is not remembered.
    find_ruleset = cache(partial(ruleset_named, transaction))
    for number, received in lines:
        try:
            line = load_line(received)
            ruleset = find_ruleset(line.head.ruleset)
        except (WireError, RulesetUnknown) as error:
            yield UnreadLine(number, error)
            continue
        head = replace(line.head, ruleset=str(ruleset))
        digest = sha256(canonical_document(head, [hand.content for hand in line.hands])).digest()
        yield ReadLine(number, received, head, ruleset, line.hands, digest, line.document)
