"""Read and record rounds as whole documents."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from evidence.hands import build_hand
from schemas.documents import RoundDocument, identify, with_digits
from schemas.hand_identity import find_conflicts
from schemas.hands import Irregularity, SubmittedHand
from schemas.ledger.hand_charges import remove_reasons
from schemas.money import dump_unit
from schemas.partial_documents import parse_partial_document
from schemas.rounds import RoundView
from schemas.settlements import SettlementView
from schemas.tables import TableRequest
from scoring.errors import Mistake
from scoring.history import Step, without_needless_marks
from scoring.partial_history import find_history_mistakes
from scoring.round import PlayedHand
from scoring.round import open_round as seat_players
from scoring.round_state import Round
from scoring.ruleset import Ruleset
from scoring.same_hand import is_same_hand
from service.db import Transaction
from service.errors import RoundConflict, RulesetUnknown
from service.players.queries.aliases import hold_aliases
from service.rounds.actions.charges import ChargeRecorder, add_charges, compare_charges
from service.rounds.actions.checks import refuse_aliases_together, replay_exactly
from service.rounds.actions.opening import add_round, find_similar_players, given_opening_time, view_round
from service.rounds.actions.reading import find_revision
from service.rounds.actions.recording import build_record
from service.rounds.actions.settlements import settlement_of
from service.rounds.queries import hands, histories, rounds
from service.rounds.queries.histories import StoredHistory
from service.rounds.queries.new_records import Submission
from service.rounds.queries.stored_round import StoredRound, in_order
from service.rounds.queries.writer import RoundChange, write_rounds
from service.rulesets.actions import ruleset_named, store_ruleset
from service.tables import queries as tables
from service.tables.actions import create_table
from service.tables.queries import StoredTable
from service.units.actions import get_unit


def find_document_mistakes(
    find_ruleset: Callable[[str], Ruleset], received: Any, *, accepts: bool = False
) -> Iterator[Mistake]:
    """
    List the mistakes against the rules in a document that fails validation, as far as it can be parsed.

    Args:
        find_ruleset: returns a ruleset by its name, or raises `RulesetUnknown`.
        received: the decoded document.
        accepts: whether hands that no longer follow are accepted as played.
    """
    document = parse_partial_document(received)
    if document.ruleset is None:
        return
    try:
        ruleset = find_ruleset(document.ruleset)
    except RulesetUnknown as error:
        yield from error.mistakes
        return
    history = document.history(ruleset)
    if history is not None:
        yield from find_history_mistakes(replace(history, may_be_irregular=history.may_be_irregular or accepts))


def get_document(transaction: Transaction, round_id: UUID, revision: int | None = None) -> RoundDocument:
    """
    Return a round as one document without results, in its newest revision or an older one.

    Raises:
        NotFound: the round or the revision does not exist.
    """
    stored = rounds.get(transaction, round_id)
    happened = histories.get(transaction, round_id, find_revision(stored, revision))
    return write_document(stored, happened, tables.get(transaction, stored.table_id).name)


def document_of(transaction: Transaction, stored: StoredRound, table: str) -> RoundDocument:
    """Return the document of a round in its newest revision."""
    return write_document(stored, histories.get(transaction, stored.id, stored.revision), table)


def write_document(stored: StoredRound, happened: StoredHistory, table: str) -> RoundDocument:
    """Build the document of a round's history."""
    return RoundDocument(
        ruleset=str(happened.ruleset),
        table=table,
        reference=stored.reference,
        point_value=stored.point_value,
        **dump_unit(stored.unit),
        charge_per=stored.charge_per,
        charge_amount=stored.charge_amount,
        seats=happened.seats,
        hands=tuple(SubmittedHand(hand.hand, hand.played_at) for hand in happened.hands),
        departures=happened.departures,
        closed=happened.closed,
        opened_at=stored.opened_at,
        irregular=tuple(Irregularity(hand.hand.number, hand.irregular) for hand in happened.hands if hand.is_accepted),
    )


@dataclass(frozen=True, slots=True)
class PlayedDocument:
    """A recorded round, its settlement, and whether the request is a replay."""

    view: RoundView
    settlement: SettlementView
    is_replay: bool
    warnings: tuple[Mistake, ...] = ()


def play_document(
    transaction: Transaction, document: RoundDocument, received: bytes, charges: ChargeRecorder
) -> PlayedDocument:
    """
    Record a whole round from one document. The table is created if none that is not archived has its name.

    The same document sent again returns the recorded round, found by its reference or, without one, by its content. It
    is also found at a table that had the name of the document and was renamed or archived since.

    Raises:
        RulesetUnknown: the ruleset does not exist.
        WireError: the unit does not exist, or has other digits.
        RoundConflict: the reference belongs to a round with other content.
        RoundOpen: the document leaves its round open, and the table has another open round.
        WireError, PaymentConflict: the charges of a hand are refused.
        ScoringError: the first invalid step, with its path in the document.
    """
    ruleset = ruleset_named(transaction, document.ruleset)
    unit = None if document.unit is None else get_unit(transaction, document.unit)
    document = with_digits(replace(document, ruleset=str(ruleset)), unit)
    tables.lock(transaction, document.table)
    table = tables.find(transaction, document.table, for_update=True)
    digest = identify(document)
    recorded = _find_recorded(transaction, table, document, digest)
    if recorded is not None:
        compare_charges(recorded.id, document, charges)
        return _played(transaction, recorded, is_replay=True)
    table = table or create_table(transaction, table_of(document), ruleset, unit)
    played_at = (submitted.played_at for submitted in document.hands)
    opened_at = given_opening_time(transaction.now, document.opened_at, played_at)
    history = without_needless_marks(document.history(ruleset))
    players, aliases = [seat.player for seat in document.seats], hold_aliases(transaction)
    refuse_aliases_together(aliases, players)
    store_ruleset(transaction, ruleset)
    submission = submission_of(document, received)
    change = add_round(
        transaction,
        table,
        seat_players(ruleset, history.seats),
        opened_at=opened_at,
        reference=document.reference,
        point_value=document.point_value,
        unit=document.money_unit,
        charge=document.standing_charge,
        digest=digest,
        carried_over=[],
        submission=submission,
    )
    change.add_submission(submission)
    steps = replay_exactly(change.before.round, history, change.before.point_value)
    after = add_steps(change, steps, document, submission)
    add_charges(change, document, charges)
    stored = change.finish(after, dealt=[submitted.hand.seats for submitted in document.hands])
    warnings = find_similar_players(transaction, players, aliases)
    write_rounds(transaction, change)
    return replace(_played(transaction, stored, is_replay=False), warnings=warnings)


def add_steps(change: RoundChange, steps: Iterable[Step], document: RoundDocument, submission: Submission) -> Round:
    """
    Add the replayed steps of a document to the opening of its round, and return the round after them.

    Args:
        change: the opening.
        steps: the steps, in order.
        document: the document.
        submission: the request body.
    """
    endings = iter([*sorted(document.departures, key=lambda departure: departure.after_hand), document.closed])
    before = change.before.round
    for step in steps:
        if isinstance(step, PlayedHand):
            submitted = document.hands[step.hand.number - 1]
            stacks = in_order(step.round.seat_numbers, step.round.stacks)
            record = build_record(change.before.id, submitted, stacks, submission, is_irregular=step.accepted)
            change.add_played(before, step, record)
        else:
            ending = next(endings)
            assert ending is not None, "every step is a hand, a departure or the closing"
            change.add_ending(before, step, ending)
        before = step.round
    return before


def submission_of(document: RoundDocument, received: bytes) -> Submission:
    """Return the request body of a document, as it is stored."""
    is_charged = any(submitted.charges for submitted in document.hands)
    content = remove_reasons(received) if is_charged else received
    return Submission("document", content, has_texts=document.has_texts)


def table_of(document: RoundDocument) -> TableRequest:
    """Return the request for the table of a document."""
    return TableRequest(
        document.table,
        document.ruleset,
        document.point_value,
        document.unit,
        minimum_stack=None,
        charge_per=document.charge_per,
        charge_amount=document.charge_amount,
    )


def _find_recorded(
    transaction: Transaction, table: StoredTable | None, document: RoundDocument, digest: bytes
) -> StoredRound | None:
    """
    Find the round of a document at its table or, if it is not there, at tables that once had the table's name.

    A round at another table with the same reference and other content is another round.

    Raises:
        RoundConflict: the reference belongs to another round of the table, or the hands contradict the recorded ones.
    """

    def find_at(table_ids: Sequence[UUID]) -> tuple[StoredRound | None, list[StoredRound]]:
        alike = rounds.list_alike(transaction, table_ids, document.reference, digest)
        same = (each for each in alike if is_document_of(transaction, each, document.table, digest))
        return next(same, None), alike

    recorded, alike = find_at([] if table is None else [table.id])
    if recorded is None:
        former = tables.list_formerly_named(transaction, [document.table])
        recorded, _ = find_at(former.get(document.table, []))
    if recorded is not None:
        refuse_other_hands(transaction, recorded.id, document)
    elif alike:
        raise reference_taken(document.reference, alike[0].id)
    return recorded


def is_document_of(transaction: Transaction, stored: StoredRound, table: str, digest: bytes) -> bool:
    """
    Return whether a recorded round has a document's content.

    A round recorded from a document matches it even if the round has changed since. A round recorded hand by hand
    matches the document of its newest revision.

    Args:
        transaction: the club's transaction.
        stored: the round.
        table: the name of its table.
        digest: the digest that identifies the document.
    """
    return digest == stored.digest or digest == identify(document_of(transaction, stored, table))


def refuse_other_hands(transaction: Transaction, round_id: UUID, document: RoundDocument) -> None:
    """
    Check that the discards and streets of a document do not contradict those of the recorded round.

    Raises:
        RoundConflict: with every difference.
    """
    records = defaultdict(list)
    for _, content in hands.list_contents(transaction, round_id):
        records[content["number"]].append(build_hand(content))
    mistakes = [
        mistake.under("hands", index)
        for index, submitted in enumerate(document.hands)
        for recorded in [records[submitted.hand.number]]
        if not any(is_same_hand(hand, submitted.hand) for hand in recorded)
        for mistake in find_conflicts(recorded[-1], submitted.hand)
    ]
    if mistakes:
        detail = f"the same boards are recorded as round {round_id}, with other discards or streets"
        raise RoundConflict(detail, mistakes)


def reference_taken(reference: str | None, round_id: UUID) -> RoundConflict:
    """Return the conflict of a reference that belongs to another round."""
    detail = f"the reference {reference!r} belongs to round {round_id}, which has other content"
    return RoundConflict(detail, (Mistake("round-conflict", ("reference",), detail),))


def _played(transaction: Transaction, stored: StoredRound, *, is_replay: bool) -> PlayedDocument:
    return PlayedDocument(view_round(stored), settlement_of(transaction, stored), is_replay)
