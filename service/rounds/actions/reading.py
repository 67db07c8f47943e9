"""Read rounds, hands and explanations, and export rounds."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from schemas.explanations.explanations import ExplanationView
from schemas.hands import HandView, dump_irregular
from schemas.pages import cursor_error
from schemas.rounds import RoundView
from schemas.scores import ScoreRequest
from scoring.explanation import hands as explaining
from scoring.ruleset import Ruleset
from scoring.single_hand import SingleHandScore, score_single_hand
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.db.parquet import spool_parquet
from service.errors import NotFound
from service.rounds.actions.opening import view_round
from service.rounds.actions.recording import HandResult, view_hand
from service.rounds.queries import hands, histories, references, rounds
from service.rounds.queries.hand_filters import HandFilter
from service.rounds.queries.histories import DocumentHead, DocumentParts
from service.rounds.queries.parquet import write_parquet
from service.rounds.queries.references import FoundRound
from service.rounds.queries.round_filter import RoundFilter
from service.rounds.queries.rounds import FIRST, RoundPlace
from service.rounds.queries.stored_round import StoredRound
from service.rulesets.actions import ruleset_named


def get_round(transaction: Transaction, round_id: UUID) -> RoundView:
    """
    Return a round.

    Raises:
        NotFound: the round does not exist.
    """
    return view_round(rounds.get(transaction, round_id))


def list_rounds(
    transaction: Transaction, filter_: RoundFilter, *, after: UUID | None, limit: int, oldest_first: bool = False
) -> Page[RoundView]:
    """
    List the club's rounds, newest first, by opening time; or the oldest first.

    Raises:
        WireError: the cursor is invalid.
    """
    begin = find_place(transaction, after)
    listed = rounds.list_page(transaction, filter_, after=begin, limit=limit + 1, oldest_first=oldest_first)
    return cut_page(listed, limit, view_round)


def count_rounds(transaction: Transaction, filter_: RoundFilter, limit: int) -> int:
    """Count the club's rounds of a filter, up to a limit."""
    return rounds.count(transaction, filter_, limit)


def search_rounds(transaction: Transaction, text: str, limit: int) -> list[FoundRound]:
    """List rounds with an ID, whose references begin with a text, or with a hand that has it as its reference."""
    return references.find_by_text(transaction, text, limit)


def find_place(transaction: Transaction, after: UUID | None) -> RoundPlace | None:
    """
    Return the position that a page begins after; None for the first page.

    Raises:
        WireError: the cursor is invalid.
    """
    if after is None:
        return None
    place = rounds.find_place(transaction, after)
    if place is None:
        raise cursor_error(after)
    return place


def find_revision(stored: StoredRound, revision: int | None) -> int:
    """
    Return the number of the requested revision of a round, or of the newest.

    Raises:
        NotFound: the revision does not exist.
    """
    if revision is not None and revision > stored.revision:
        there_are = f"revisions {FIRST} to {stored.revision}" if stored.revision > FIRST else f"revision {FIRST} only"
        raise NotFound(f"round {stored.id} has no revision {revision}; it has {there_are}")
    return stored.revision if revision is None else revision


def get_hand(transaction: Transaction, hand_id: UUID) -> HandResult:
    """
    Return a hand with its result, and its round as it is now.

    Raises:
        NotFound: the hand does not exist.
    """
    stored = hands.get(transaction, hand_id)
    return HandResult(view_hand(stored), view_round(rounds.get(transaction, stored.round_id)), is_replay=True)


def list_hands(
    transaction: Transaction, round_id: UUID, *, revision: int | None = None, after: UUID | None, limit: int
) -> Page[HandView]:
    """
    List the hands of a round in order, in its newest revision or an older one.

    Raises:
        NotFound: the round or the revision does not exist.
        WireError: the cursor is invalid.
    """
    asked = find_revision(rounds.get(transaction, round_id), revision)
    if after is not None and not hands.is_recorded(transaction, round_id, after):
        raise cursor_error(after)
    records = hands.list_page(transaction, round_id, asked, after=after, limit=limit + 1)
    return cut_page(records, limit, view_hand)


def find_hands(transaction: Transaction, filter_: HandFilter, *, after: UUID | None, limit: int) -> Page[HandView]:
    """List the club's hands in force that match a filter, newest recorded first."""
    return cut_page(hands.find_page(transaction, filter_, after=after, limit=limit + 1), limit, view_hand)


def explain_hand(transaction: Transaction, hand_id: UUID, revision: int | None = None) -> ExplanationView:
    """
    Explain the result of a hand, in a given revision or in the newest that has the hand.

    The revision is replayed from its first hand, because caps can depend on earlier hands: on the opening stacks of the
    scope, or on points added up over the round.

    Raises:
        NotFound: the hand or the revision does not exist, or the revision does not have the hand.
    """
    stored = hands.get(transaction, hand_id)
    asked = stored.revision
    if revision is not None:
        asked = find_revision(rounds.get(transaction, stored.round_id), revision)
        if not hands.is_in_revision(transaction, stored, asked):
            raise NotFound(f"revision {asked} of round {stored.round_id} has no hand {hand_id}")
    history = histories.get(transaction, stored.round_id, asked).history
    explained = explaining.explain_hand(history, stored.hand.number)
    return ExplanationView(str(stored.id), str(stored.round_id), asked, stored.in_force, explained)


_ROUNDS: Final = 200
_HANDS: Final = 1000
"""The number of rounds and hands that are read at once; a round with more hands is read alone."""


@dataclass(frozen=True, slots=True)
class Export:
    """
    An export of rounds.

    Attributes:
        blocks: blocks of whole lines, read on demand.
        next_after: the last exported round, if there are more after it.
        total: the total number of rounds; None unless the export starts at the first one.
    """

    blocks: Iterator[bytes]
    next_after: UUID | None
    total: int | None


def export_rounds(transaction: Transaction, filter_: RoundFilter, *, after: UUID | None, limit: int | None) -> Export:
    """
    Export rounds as documents, one per line, oldest first, in constant memory.

    Args:
        transaction: a transaction with a single snapshot, open until the last block is read.
        filter_: the filter.
        after: the round after which to begin.
        limit: the most lines to return; None for all.

    Raises:
        WireError: the cursor `after` is invalid.
    """
    begin = find_place(transaction, after)
    last = None if limit is None else histories.find_last(transaction, filter_, after=begin, limit=limit)
    total = histories.count(transaction, filter_) if after is None else None
    return Export(_blocks(transaction, filter_, begin, limit), last, total)


def export_parquet(transaction: Transaction, records: str, filter_: RoundFilter) -> Iterator[bytes]:
    """
    Yield the blocks of a Parquet file of hands, results or transfers; it is complete before the first block.

    Raises:
        ImportError: the service is installed without the extra `parquet`.
    """
    yield from spool_parquet(partial(write_parquet, transaction, records, filter_))


def _blocks(
    transaction: Transaction, filter_: RoundFilter, after: RoundPlace | None, limit: int | None
) -> Iterator[bytes]:
    while limit is None or limit > 0:
        heads = histories.list_heads(
            transaction, filter_, after=after, limit=_ROUNDS if limit is None else min(_ROUNDS, limit)
        )
        if not heads:
            return
        for few in _few_hands(heads):
            yield b"".join(map(_line, histories.list_parts(transaction, few)))
        after = heads[-1].place
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
    """Return a document as one line; its hands are copied as they are stored."""
    begin = json.dumps(parts.head.content, ensure_ascii=False, separators=(",", ":"))
    irregular = {"irregular": dump_irregular(parts.irregular)} if parts.irregular else {}
    ended = {"departures": parts.departures, "closed": parts.closed, **irregular}
    end = json.dumps(ended, ensure_ascii=False, separators=(",", ":"))
    return f'{begin[:-1]},"hands":[{",".join(parts.hands)}],{end[1:]}\n'.encode()


def score_hand(transaction: Transaction, request: ScoreRequest) -> tuple[Ruleset, SingleHandScore]:
    """
    Score a hand without storing it.

    Raises:
        RulesetUnknown: the ruleset does not exist.
        HandError: the hand is invalid.
    """
    ruleset = ruleset_named(transaction, request.ruleset)
    return ruleset, score_single_hand(ruleset, request.players, request.button)
