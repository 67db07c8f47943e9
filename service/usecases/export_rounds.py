import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from service.database import Transaction
from service.repository import documents
from service.repository.documents import DocumentHead, DocumentParts
from service.repository.rounds import RoundFilter

_ROUNDS: Final = 200
_HANDS: Final = 1000
"""How many are read at once; a round with more hands comes by itself."""


@dataclass(frozen=True, slots=True)
class Export:
    """
    Rounds on their way out.

    Attributes:
        blocks: of whole lines, read as they are asked for.
        next_after: the round from which on there are more, where there are.
        total: how many rounds there are in all; None where the beginning was given before.
    """

    blocks: Iterator[bytes]
    next_after: UUID | None
    total: int | None


def export_rounds(transaction: Transaction, wanted: RoundFilter, *, after: UUID | None, limit: int | None) -> Export:
    """
    Give rounds as documents, one a line, the oldest first, in memory that does not grow with their number.

    Read from one moment, for as long as the transaction is open.

    Args:
        transaction: to read in, until the last block.
        wanted: which rounds.
        after: the round after which to begin.
        limit: how many lines to give; None for all.
    """
    last = None if limit is None else documents.find_last(transaction, wanted, after=after, limit=limit)
    total = documents.count(transaction, wanted) if after is None else None
    return Export(_blocks(transaction, wanted, after, limit), last, total)


def _blocks(transaction: Transaction, wanted: RoundFilter, after: UUID | None, limit: int | None) -> Iterator[bytes]:
    while limit is None or limit > 0:
        heads = documents.list_heads(
            transaction, wanted, after=after, limit=_ROUNDS if limit is None else min(_ROUNDS, limit)
        )
        if not heads:
            return
        for few in _few_hands(heads):
            yield b"".join(map(_line, documents.list_parts(transaction, few)))
        after = heads[-1].id
        limit = None if limit is None else limit - len(heads)


def _few_hands(heads: Iterable[DocumentHead]) -> Iterator[list[DocumentHead]]:
    few: list[DocumentHead] = []
    for head in heads:
        if few and sum(each.hands for each in few) + head.hands > _HANDS:
            yield few
            few = []
        few.append(head)
    yield few


def _line(parts: DocumentParts) -> bytes:
    """Write a document; its hands go as they are stored."""
    begin = json.dumps(parts.head.content, ensure_ascii=False, separators=(",", ":"))
    end = json.dumps(
        {"departures": parts.departures, "closed": parts.closed}, ensure_ascii=False, separators=(",", ":")
    )
    return f'{begin[:-1]},"hands":[{",".join(parts.hands)}],{end[1:]}\n'.encode()
