"""Lines of an import, read: what of each can be told without looking at any other record."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256

from schemas.base import WireError
from schemas.document_lines import load_line
from schemas.documents import RoundDocument, canonical_document
from schemas.hands import canonical_json, dump_hand
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
        document: with the version of its ruleset.
        ruleset: the rules in force.
        hands: the canonical JSON of each of its hands.
        digest: of the document's canonical JSON.
    """

    number: int
    received: bytes
    document: RoundDocument
    ruleset: Ruleset
    hands: Sequence[bytes]
    digest: bytes

    @property
    def identity(self) -> Identity:
        """By what the round is known."""
        return self.document.table, self.document.reference or self.digest


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
            document = load_line(received)
            ruleset = find_ruleset(document.ruleset)
        except (WireError, RulesetUnknown) as error:
            yield UnreadLine(number, error)
            continue
        document = replace(document, ruleset=str(ruleset))
        hands = [canonical_json(dump_hand(submitted)) for submitted in document.hands]
        digest = sha256(canonical_document(document, hands)).digest()
        yield ReadLine(number, received, document, ruleset, hands, digest)
