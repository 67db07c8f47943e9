"""Lines of an import, read: what of each can be told without looking at any other record."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
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


@dataclass(frozen=True)
class ReadLine:
    """
    A line that is a round document; its hands are taken when they are asked for.

    Attributes:
        number: of the line.
        received: its exact bytes.
        head: the document without its hands, with the version of its ruleset.
        ruleset: the rules in force.
        keep: makes the hands as they are kept.
        document: makes the whole document, of which most lines have no need.
    """

    number: int
    received: bytes
    head: RoundDocument
    ruleset: Ruleset
    keep: Callable[[], Sequence[KeptHand]]
    document: Callable[[], RoundDocument]

    @cached_property
    def hands(self) -> Sequence[KeptHand]:
        """Its hands, as they are kept."""
        return self.keep()

    @cached_property
    def digest(self) -> bytes:
        """The digest of the document's canonical JSON."""
        return sha256(canonical_document(self.head, [hand.content for hand in self.hands])).digest()

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
        yield ReadLine(number, received, head, ruleset, line.keep, line.document)
