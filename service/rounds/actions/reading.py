"""Read rounds, hands and explanations, and export rounds."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from schemas.base import WireError
from schemas.explanations import ExplanationView
from schemas.hands import dump_irregular
from schemas.pages import NO_CURSOR
from schemas.rounds import RoundView
from schemas.scores import RecordedHand, ScoreRequest
from scoring.errors import Mistake
from scoring.explanation import hands as explaining
from scoring.lone_hand import LoneScore, score_lone_hand
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import NotFound
from service.rounds.actions.opening import view_round
from service.rounds.actions.recording import HandResult, view_hand
from service.rounds.queries import documents, hands, histories, rounds
from service.rounds.queries.documents import DocumentHead, DocumentParts
from service.rounds.queries.rounds import FIRST, RoundFilter, RoundPlace, StoredRound
from service.rulesets.actions import ruleset_named


def get_round(transaction: Transaction, round_id: UUID) -> RoundView:
    """
    Show a round as it stands.

    Raises:
        NotFound: the club has none with this id.
    """
    return view_round(rounds.get(transaction, round_id))


def list_rounds(transaction: Transaction, wanted: RoundFilter, *, after: UUID | None, limit: int) -> Page[RoundView]:
    """
    List the club's rounds, the newest first, by when they were opened.

    Raises:
        WireError: the cursor is that of another list.
    """
    begin = find_place(transaction, after)
    return cut_page(rounds.list_page(transaction, wanted, after=begin, limit=limit + 1), limit, view_round)


def find_place(transaction: Transaction, after: UUID | None) -> RoundPlace | None:
    """
    Find the round that a page begins after; None for the first page.

    Raises:
        WireError: the club has no such round.
    """
    if after is None:
        return None
    found = rounds.find_place(transaction, after)
    if found is None:
        raise WireError((Mistake("not-a-cursor", ("query", "cursor"), NO_CURSOR),))
    return found


def find_revision(stored: StoredRound, wanted: int | None) -> int:
    """
    Find a revision of a round that a request names; the newest where it names none.

    Raises:
        NotFound: the round has none with this number.
    """
    if wanted is not None and wanted > stored.revision:
        there_are = f"revisions {FIRST} to {stored.revision}" if stored.revision > FIRST else f"revision {FIRST} only"
        raise NotFound(f"round {stored.id} has no revision {wanted}; it has {there_are}")
    return stored.revision if wanted is None else wanted


def get_hand(transaction: Transaction, hand_id: UUID) -> HandResult:
    """
    Show a hand, what it came to, and its round as it stands now.

    Raises:
        NotFound: the club has none with this id.
    """
    stored = hands.get(transaction, hand_id)
    return HandResult(view_hand(stored), view_round(rounds.get(transaction, stored.round_id)), is_replay=True)


def list_hands(
    transaction: Transaction, round_id: UUID, *, revision: int | None = None, after: UUID | None, limit: int
) -> Page[RecordedHand]:
    """
    List the hands of a round, as it stands or in an older revision, in the order in which they were played.

    Raises:
        NotFound: the club has no such round, or the round no such revision.
        WireError: the cursor is that of another list.
    """
    asked = find_revision(rounds.get(transaction, round_id), revision)
    if after is not None and not hands.is_recorded(transaction, round_id, after):
        raise WireError((Mistake("not-a-cursor", ("query", "cursor"), NO_CURSOR),))
    found = hands.list_page(transaction, round_id, asked, after=after, limit=limit + 1)
    return cut_page(found, limit, view_hand)


def explain_hand(transaction: Transaction, hand_id: UUID, revision: int | None = None) -> ExplanationView:
    """
    Say why a hand came to what it came to: in the newest revision of its round that has it, or in the one asked for.

    The revision is played again from its records, for what caps a payment can lie hands before it: what everyone opened
    the scope of the stakes with, or what has added up over the round.

    Raises:
        NotFound: the club has no such hand, its round no such revision, or the revision not this hand.
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

    Raises:
        WireError: the club has no round `after`.
    """
    begin = find_place(transaction, after)
    last = None if limit is None else documents.find_last(transaction, wanted, after=begin, limit=limit)
    total = documents.count(transaction, wanted) if after is None else None
    return Export(_blocks(transaction, wanted, begin, limit), last, total)


def _blocks(
    transaction: Transaction, wanted: RoundFilter, after: RoundPlace | None, limit: int | None
) -> Iterator[bytes]:
    while limit is None or limit > 0:
        heads = documents.list_heads(
            transaction, wanted, after=after, limit=_ROUNDS if limit is None else min(_ROUNDS, limit)
        )
        if not heads:
            return
        for few in _few_hands(heads):
            yield b"".join(map(_line, documents.list_parts(transaction, few)))
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
    """Write a document; its hands go as they are stored."""
    begin = json.dumps(parts.head.content, ensure_ascii=False, separators=(",", ":"))
    irregular = {"irregular": dump_irregular(parts.irregular)} if parts.irregular else {}
    ended = {"departures": parts.departures, "closed": parts.closed, **irregular}
    end = json.dumps(ended, ensure_ascii=False, separators=(",", ":"))
    return f'{begin[:-1]},"hands":[{",".join(parts.hands)}],{end[1:]}\n'.encode()


def score_hand(transaction: Transaction, request: ScoreRequest) -> tuple[Ruleset, LoneScore]:
    """
    Score a hand without storing it.

    Raises:
        RulesetUnknown: there is no such ruleset.
        HandError: the hand cannot have been dealt like this.
    """
    ruleset = ruleset_named(transaction, request.ruleset)
    return ruleset, score_lone_hand(ruleset, request.players, request.button)
