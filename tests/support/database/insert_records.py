"""Inserts rounds into a database with the service's queries, one step at a time."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence import SigningKey, digest_of, read_note
from evidence.cosignatures import CosignerKey, CosigningKey
from evidence.events import (
    ChargeRecorded,
    FinalReason,
    LinkKind,
    PaymentClaimDeclined,
    PaymentClaimed,
    ProposalKind,
    ProposalOpened,
    ProposalWithdrawn,
)
from evidence.texts import SaltedText
from schemas.disputes import COMMENT, DisputeEntry
from schemas.documents import RoundDocument
from schemas.hands import SubmittedHand
from schemas.ledger.defined_units import UnitRequest
from schemas.links import LinkRequest
from schemas.money import Unit
from schemas.tables import Scorekeeper
from schemas.webhooks.endpoints import WebhookKind, WebhookRequest, WebhookState
from scoring.board import Board
from scoring.hand import Hand, PlayerHand
from scoring.history import Closing, Departure, replay, replay_steps
from scoring.presets import PRESETS
from scoring.round import Departed, PlayedHand, close_round, depart, open_round, play_hand
from scoring.round_state import Round, RoundSeat
from scoring.ruleset import Leaving, Ruleset, StakesRules, StakesScope, WinLimit
from service.audit_trail.actions import make_checkpoint
from service.audit_trail.queries.checkpoints import StoredCosignature, add_cosignature
from service.audit_trail.queries.events import EventKind, record_event
from service.clubs.queries import clubs, keys
from service.clubs.queries.keys import IssuedKey
from service.console.actions import issue_console_link
from service.db import Database, Transaction
from service.disputes.queries import disputes
from service.disputes.queries.disputes import StoredDispute, Words
from service.http import idempotent_responses
from service.http.idempotent_responses import IdempotentResponse
from service.imports import queries as imports
from service.imports.queries import Piece
from service.jobs.queries import chunks, jobs
from service.jobs.queries.chunks import Part
from service.ledger.queries import claims, payments
from service.links.actions.links import issue_link
from service.players.queries import aliases, names
from service.proposals import queries as proposals
from service.recomputations import queries as recomputations
from service.recomputations.queries import AuditedRound
from service.replays.findings import Finding, FindingKind
from service.rounds.models import CorrectionRecord
from service.rounds.queries import histories, revisions, rounds, settlements
from service.rounds.queries.received import HandToRecord, Submission
from service.rounds.queries.revisions import RevisionToRecord, write_reason
from service.rounds.queries.rounds import FIRST
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange, write_rounds
from service.rulesets import queries as rulesets
from service.tables import queries as tables
from service.tables.actions import show_scorekeeper
from service.tables.queries import StoredTable
from service.texts.models import TextField
from service.texts.queries import NewText, write_text
from service.units.actions import define_unit
from service.verification.actions import acknowledge_findings
from service.verification.queries import results
from service.verification.queries.findings import StoredFinding
from service.verification.queries.results import VerificationResult
from service.webhooks.queries import deliveries, webhooks

EVENT = b"{}"
ON = WebhookState.ACTIVE
SIGNING_KEY = SigningKey.make("tablestakes")
PINEAPPLE = PRESETS["pineapple"]
SECRET = b"a secret of the club "

# Nobody ever enters Fantasyland, chips move at the end, and who likes may leave before.
PATIENT = replace(
    PINEAPPLE,
    name="patient",
    fantasyland=replace(PINEAPPLE.fantasyland, enter={}),
    stakes=StakesRules(StakesScope.ROUND, WinLimit.OPENING),
    leaving=Leaving.BETWEEN_HANDS,
)

# The worked example of the rules: seat 1 is due 4 and 2 and gets 3 and 2.
EXAMPLE = Hand(
    1,
    3,
    (
        PlayerHand(1, Board.of("Qs Qd 4c", "Ks Kd 9h 8h 3c", "Ah Jh 7h 6h 2h")),
        PlayerHand(2, Board.of("Ac 8d 2s", "Ts Tc 5d 5c 6s", "7s 7d 7c Jd Js")),
        PlayerHand(3, Board.of("Kh Kc 3s", "9s 9d 8s 8c 4h", "As Ad Qh Qc 2d")),
    ),
)
SEATS = (RoundSeat(1, "ann", 3), RoundSeat(2, "bob", 50), RoundSeat(3, "cleo", 50))


def example_round(ruleset: Ruleset = PINEAPPLE) -> Round:
    return open_round(ruleset, SEATS)


def add_club(owner_url: str, name: str = "home") -> UUID:
    owner = Database(owner_url, role=None)
    try:
        with owner.transaction(uuid7()) as transaction:
            clubs.add(transaction, name, EVENT)
            secret = sha256(SECRET + name.encode()).digest()
            key = IssuedKey(transaction.club_id, name, uuid7(), "first", "ofc_", ("read", "write"), transaction.now)
            keys.add(transaction, key, bytes(32), secret, EVENT)
        return transaction.club_id
    finally:
        owner.close()


def add_table(
    transaction: Transaction, ruleset: Ruleset = PINEAPPLE, name: str = "kitchen", *, window: int = 30
) -> StoredTable:
    rulesets.add(transaction, ruleset, EVENT)
    table = StoredTable(
        id=uuid7(),
        name=name,
        ruleset_name=ruleset.name,
        ruleset_version=ruleset.version,
        point_value=10,
        unit=Unit("EUR", 2),
        charge_per=None,
        charge_amount=None,
        minimum_stack=None,
        correction_window_minutes=window,
        created_at=transaction.now,
    )
    tables.add(transaction, table, EVENT)
    return table


def add_round(
    transaction: Transaction,
    table: StoredTable,
    round_: Round,
    *,
    reference: str | None = None,
    carried_over: Sequence[int] = (),
) -> StoredRound:
    opened = StoredRound(
        id=uuid7(),
        table_id=table.id,
        table_sequence=rounds.next_sequences(transaction, [table.id])[table.id],
        imported=False,
        reference=reference,
        digest=digest_of([seat.player for seat in round_.seats]),
        point_value=table.point_value,
        unit=table.unit,
        charge_per=table.charge_per,
        charge_amount=table.charge_amount,
        opened_at=transaction.now,
        recorded_at=transaction.now,
        version=FIRST,
        revision=FIRST,
        round=round_,
        correction_window_minutes=table.correction_window_minutes,
    )
    return write(transaction, RoundChange.opening(transaction, opened, EVENT, carried_over=carried_over))


def write(transaction: Transaction, change: RoundChange, round_: Round | None = None) -> StoredRound:
    """Finish a change and write it at once, so that the database's errors are raised here."""
    after = change.finish(round_)
    write_rounds(transaction, change)
    transaction.send()
    return after


def add_hand(transaction: Transaction, before: StoredRound, submitted: SubmittedHand) -> StoredRound:
    return write_hand(transaction, before, play_hand(before.round, submitted.hand), to_record(submitted))


def write_hand(
    transaction: Transaction,
    before: StoredRound,
    played: PlayedHand,
    hand: HandToRecord,
    submission: Submission | None = None,
) -> StoredRound:
    """Add a hand with its request body."""
    change = RoundChange(transaction, before)
    change.add_submission(submission or Submission("hand", b"{}", hand.submission_id))
    change.add_played(before.round, played, hand)
    return write(transaction, change, played.round)


def to_record(submitted: SubmittedHand, submission_id: UUID | None = None) -> HandToRecord:
    return HandToRecord(uuid7(), submitted, submission_id or uuid7(), EVENT)


def end_round(
    transaction: Transaction, before: StoredRound, departed: Departed, ending: Departure | Closing
) -> StoredRound:
    """Add a departure or closing."""
    change = RoundChange(transaction, before)
    change.add_ending(before.round, departed, ending)
    return write(transaction, change, departed.round)


def add_document(transaction: Transaction, before: StoredRound, document: RoundDocument) -> StoredRound:
    """Every step of a document."""
    departures = iter(sorted(document.departures, key=lambda departure: departure.after_hand))
    for step in replay_steps(before.round, document.history(before.round.ruleset)):
        if isinstance(step, PlayedHand):
            before = write_hand(transaction, before, step, to_record(document.hands[step.hand.number - 1]))
        else:
            ending = next(departures, None) or document.closed
            assert ending is not None
            before = end_round(transaction, before, step, ending)
    return before


def correct(transaction: Transaction, before: StoredRound) -> StoredRound:
    """A correction that finds everything right."""
    happened = histories.get(transaction, before.id, before.revision)
    hand_ids = [hand.id for hand in happened.hands]
    reason = write_reason("looked at again", before.id)
    revision = RevisionToRecord(happened.history, replay(happened.history), hand_ids, reason)
    change = revisions.build_revision(transaction, before, revision, EventKind.ROUND_CORRECTED, EVENT)
    submission = Submission("correction", b"{}")
    change.add_submission(submission)
    digest = sha256(b"a correction").digest()
    change.insert(CorrectionRecord, {"digest": digest, "submission_id": submission.id, "dispute": None})
    write_rounds(transaction, change)
    transaction.send()
    return change.after


def correct_who_sat(transaction: Transaction, before: StoredRound) -> StoredRound:
    """A correction by which what a player had won, or lost, is another's."""
    happened = histories.get(transaction, before.id, before.revision)
    first, *others = happened.seats
    history = replace(happened.history, seats=(replace(first, player="dora"), *others))
    reason = write_reason("it was dora who sat there", before.id)
    revision = RevisionToRecord(history, replay(history), [hand.id for hand in happened.hands], reason)
    return revisions.add(transaction, before, revision, EventKind.ROUND_CORRECTED, EVENT)


def dispute(transaction: Transaction, disputed: StoredRound) -> None:
    """A dispute with a comment."""
    claimed = (disputed.revision, 1, 1, "top", "it was the three", "bob", "bob", transaction.now)
    record = StoredDispute(uuid7(), disputed.id, disputed.table_id, *claimed)
    disputes.add(transaction, record, Words(_text(record, TextField.CLAIM, "it was the three"), "bob", None))
    comment = DisputeEntry(2, COMMENT, "auditor", "it was", None, transaction.now)
    name = _text(record, TextField.AUTHOR, "auditor")
    disputes.add_entry(transaction, record, comment, Words(_text(record, TextField.COMMENT, "it was"), None, name))


def _text(dispute: StoredDispute, field: TextField, text: str) -> NewText:
    return write_text(text, dispute.id, field, round_id=dispute.round_id)


def charge(transaction: Transaction) -> UUID:
    """A charge with its reason."""
    reason = SaltedText.of("the room")
    event = ChargeRecorded(
        player="ann",
        unit="EUR",
        unit_digits=2,
        amount=200,
        table=None,
        round=None,
        reference=str(uuid7()),
        reason=reason.digest,
    )
    return payments.record(transaction, event, reason).id


def declined_claim(transaction: Transaction) -> None:
    """A claim of a payment that was declined, with the reason."""
    claimed = PaymentClaimed(
        payer="ann",
        payee="bob",
        unit="EUR",
        unit_digits=2,
        amount=200,
        paid_at=transaction.now,
        table=None,
        reference=str(uuid7()),
    )
    claim, reason = claims.record(transaction, claimed), SaltedText("not received", bytes(32))
    claims.decline(transaction, claim, PaymentClaimDeclined(claim=claim.id, reason=reason.digest), reason)


def withdrawn_proposal(transaction: Transaction, audit_id: UUID) -> None:
    """A proposal to apply an audit, by the key of the transaction, that was withdrawn."""
    content = SaltedText.of('{"reason": "the wrong rules"}')
    opened = ProposalOpened(
        proposal=ProposalKind.RECOMPUTATION,
        digest=bytes(32),
        request=sha256(b"a request").digest(),
        received=content.digest,
        round=None,
        table=None,
        revision=None,
        dispute=None,
        upholds=False,
        audit=audit_id,
    )
    proposal = proposals.get(transaction, proposals.add(transaction, opened, content)).proposal
    reason = SaltedText.of("a mistake")
    withdrawn = ProposalWithdrawn(proposal=proposal.id, reason=reason.digest)
    proposals.withdraw(transaction, proposal, withdrawn, reason)


def add_job(transaction: Transaction) -> UUID:
    """An import of which one piece is not done; and a difference in a round, as if it were an audit too."""
    job_id = uuid7()
    jobs.add(transaction, job_id, "import", {})
    imports.add_piece(transaction, job_id, Piece(1, 1, 1, b"{}\n"))
    imports.add_results(transaction, job_id, 1, b"{}\n")
    chunks.add_all(transaction, job_id, [Part(1, {"piece": 1})])
    recomputations.add_findings(transaction, job_id, 1, [Finding(FindingKind.DEAD_LETTERED, "rounds", {})])
    recomputations.add_audited(transaction, job_id, [AuditedRound(uuid7(), 1, bytes(32))])
    return job_id


def fill_club(owner_url: str, database: Database, name: str) -> UUID:
    """A club that has something in every table."""
    club_id = add_club(owner_url, name)
    with database.transaction(club_id, actor=uuid7(), request_id="fill") as transaction:
        names.set_name(transaction, "ann", "Ann Example", bytes(32), EVENT)
        aliases.join(transaction, "ann", "annie", EVENT)
        define_unit(transaction, UnitRequest("chips", "Chips of the club", 0))
        at_once = add_round(transaction, add_table(transaction), example_round())
        [key] = keys.list_page(transaction, limit=1)
        issue_link(transaction, LinkRequest(at_once.table_id, None, LinkKind.VIEWER, 60), key.id)
        issue_console_link(transaction, key.id)
        show_scorekeeper(transaction, at_once.table_id, Scorekeeper(uuid7(), "Anna's phone", 2))
        dispute(transaction, correct(transaction, add_hand(transaction, at_once, SubmittedHand(EXAMPLE))))
        later = add_round(transaction, add_table(transaction, PATIENT, "parlour"), example_round(PATIENT))
        later = add_hand(transaction, later, SubmittedHand(EXAMPLE))
        departure, closing = Departure(2, 1, "last train"), Closing(1, "the room closes")
        later = end_round(transaction, later, depart(later.round, 2), departure)
        later = end_round(transaction, later, close_round(later.round), closing)
        confirmed = settlements.confirm(transaction, later, 1)
        correct_who_sat(transaction, settlements.finalize(transaction, confirmed, FinalReason.WINDOW))
        charge(transaction)
        declined_claim(transaction)
        job_id = add_job(transaction)
        signed = make_checkpoint(transaction, SIGNING_KEY).checkpoint
        witness = CosigningKey.make("friend.example/witness")
        cosignature = StoredCosignature(
            CosignerKey(witness.name, witness.verifier.public), witness.sign(read_note(signed.note).text.encode())
        )
        add_cosignature(transaction, signed.size, cosignature)
        record_event(transaction, EventKind.PLAYER_NAMED, EVENT)  # which waits
        fingerprint = sha256(b"a request").digest()
        first = IdempotentResponse(fingerprint, 201, "/v1/hands/1", b"{}", has_texts=True)
        idempotent_responses.add(transaction, "a key", first)
        webhook = webhooks.add(
            transaction, uuid7(), WebhookRequest("https://club.example", (WebhookKind.TEST,), None, ON)
        )
        deliveries.add_delivery(transaction, webhook.id, uuid7(), WebhookKind.TEST, {})
    with database.transaction(club_id, actor=key.id, request_id="fill") as transaction:
        withdrawn_proposal(transaction, job_id)
    owner = Database(owner_url, role=None)
    with owner.transaction(club_id) as transaction:
        verified_at = transaction.now
        finding = StoredFinding(bytes(32), "record-missing", "hands", "a hand is missing", uuid7(), 1)
        results.store(transaction, VerificationResult(verified_at, 1, 1, True), [finding])
    owner.close()
    with database.transaction(club_id, actor=key.id, request_id="fill") as transaction:
        acknowledge_findings(transaction, verified_at)
    return club_id
