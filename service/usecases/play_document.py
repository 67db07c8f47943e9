from dataclasses import dataclass, replace
from hashlib import sha256
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.documents import RoundDocument, digest_document
from schemas.hands import canonical_json, dump_hand
from schemas.rounds import RoundView
from schemas.settlements import SettlementView
from schemas.tables import TableRequest
from scoring.errors import Mistake
from scoring.history import Closing, Departure, History
from scoring.round import Departed, PlayedHand
from scoring.round import open_round as seat_players
from service.database import Transaction
from service.errors import RoundConflict
from service.repository import endings, hands, rounds, submissions, tables
from service.repository.hands import HandToRecord
from service.repository.round_state import in_order
from service.repository.rounds import StoredRound
from service.repository.submissions import Submission
from service.repository.tables import StoredTable
from service.usecases.add_ruleset import keep_ruleset
from service.usecases.add_table import make_table
from service.usecases.exact_points import replay_exactly
from service.usecases.find_ruleset import ruleset_named
from service.usecases.get_document import document_of
from service.usecases.get_settlement import settlement_of
from service.usecases.open_round import keep_round
from service.usecases.record_hand import hand_event
from service.usecases.views import view_round


@dataclass(frozen=True, slots=True)
class PlayedDocument:
    """A round as it stands after its document, its settlement, and whether it had been recorded before."""

    view: RoundView
    settlement: SettlementView
    is_replay: bool


def play_document(transaction: Transaction, document: RoundDocument, received: bytes) -> PlayedDocument:
    """
    Play a round whole from one document, making its table by name where there is none.

    The same document again is answered as it was recorded: by its reference or, without one, by its content.

    Raises:
        RulesetUnknown: there is no such ruleset.
        RoundConflict: the reference belongs to a round with other content.
        RoundOpen: the document leaves its round open, and another is open at the table.
        ScoringError: the first thing that cannot be, with its place in the document.
    """
    ruleset = ruleset_named(transaction, document.ruleset)
    document = replace(document, ruleset=str(ruleset))
    tables.lock(transaction, document.table)
    table = tables.find(transaction, document.table) or make_table(transaction, table_of(document), ruleset)
    digest = digest_document(document)
    recorded = _find_recorded(transaction, table, document, digest)
    if recorded is not None:
        return _played(transaction, recorded, is_replay=True)
    history = document.history(ruleset)
    keep_ruleset(transaction, ruleset)
    submission = Submission("document", received)
    with rounds.open_meanwhile(transaction):
        opened = keep_round(
            transaction,
            table,
            seat_players(ruleset, history.seats),
            reference=document.reference,
            point_value=document.point_value,
            currency=document.currency,
            digest=digest,
            carried_over=[],
            submission=submission,
        )
        submissions.add(transaction, submission)
        stored = _play(transaction, opened, document, history, submission.id)
    return _played(transaction, stored, is_replay=False)


def _play(
    transaction: Transaction, stored: StoredRound, document: RoundDocument, history: History, submission_id: UUID
) -> StoredRound:
    """Record every step of a document in the order in which it happened."""
    departures = iter(sorted(document.departures, key=lambda departure: departure.after_hand))
    for step in replay_exactly(stored.round, history, stored.point_value):
        if isinstance(step, PlayedHand):
            submitted = document.hands[step.hand.number - 1]
            content = canonical_json(dump_hand(submitted))
            digest = sha256(content).digest()
            hand_id = uuid7()
            stacks = in_order(step.round.seat_numbers, step.round.stacks)
            event = hand_event(stored.id, hand_id, content, stacks, is_irregular=bool(step.irregular))
            given = HandToRecord(content, digest, submission_id, event, submitted.played_at, hand_id)
            stored = hands.add(transaction, stored, step, given)
        else:
            ending = next(departures, None) or document.closed
            assert ending is not None, "a step that is no hand is a departure or the closing"
            stored = _end(transaction, stored, step, ending)
    return stored


def _end(transaction: Transaction, stored: StoredRound, step: Departed, ending: Departure | Closing) -> StoredRound:
    event = ending_event(stored.id, ending)
    if isinstance(ending, Departure):
        return endings.add_departure(transaction, stored, step, ending, event)
    return endings.add_closing(transaction, stored, step, ending, event)


def ending_event(round_id: UUID | str, ending: Departure | Closing) -> bytes:
    """Say for the audit trail who left, or why the round was closed."""
    event: dict[str, object] = {"round": str(round_id), "after_hand": ending.after_hand, "reason": ending.reason}
    if isinstance(ending, Departure):
        event["seat"] = ending.seat
    return canonical_json(event)


def table_of(document: RoundDocument) -> TableRequest:
    """Describe the table that is made for a document."""
    return TableRequest(document.table, document.ruleset, document.point_value, document.currency, None)


def _find_recorded(
    transaction: Transaction, table: StoredTable, document: RoundDocument, digest: bytes
) -> StoredRound | None:
    if document.reference is None:
        return rounds.find_by_digest(transaction, table.id, digest)
    found = rounds.find_by_reference(transaction, table.id, document.reference)
    if found is None or is_document_of(transaction, found, table.name, digest):
        return found
    raise reference_taken(document.reference, found.id)


def is_document_of(transaction: Transaction, stored: StoredRound, table: str, digest: bytes) -> bool:
    """
    Say whether a round is recorded with a document's content.

    What was sent as a document is the same for ever, also when its round has changed since; and a round that was sent
    hand by hand is the same as the document of it.
    """
    return digest in (stored.digest, digest_document(document_of(transaction, stored, table)))


def reference_taken(reference: str | None, round_id: UUID) -> RoundConflict:
    """Say that a reference belongs to another round."""
    detail = f"the reference {reference!r} belongs to round {round_id}, which has other content"
    return RoundConflict(detail, (Mistake("round-conflict", ("reference",), detail),))


def _played(transaction: Transaction, stored: StoredRound, *, is_replay: bool) -> PlayedDocument:
    return PlayedDocument(view_round(stored), settlement_of(transaction, stored), is_replay)
