from collections.abc import Iterable, Iterator
from contextlib import suppress
from uuid import UUID

from evidence import EvidenceError, read_event, read_note
from evidence.events import EventPayload, decode_event
from evidence.files import ConsistencyProof, EvidenceFile, EvidenceRevision, NewestEvent, ProvedEvent
from evidence.fold import find_table
from schemas.documents import dump_document
from schemas.rulesets import dump_ruleset
from schemas.scores import dump_recorded_hand
from schemas.settlements import SettlementView, dump_settlement_view
from service.audit_trail.queries import checkpoints, trees
from service.audit_trail.queries import events as round_events
from service.audit_trail.queries.checkpoints import StoredCheckpoint
from service.audit_trail.queries.events import StoredEvent
from service.audit_trail.queries.trees import Inclusion
from service.db import Transaction
from service.rounds.actions.documents import write_document
from service.rounds.actions.recording import view_hand
from service.rounds.actions.settlements import list_settlements
from service.rounds.queries import rounds
from service.rounds.queries.histories import StoredHistory, history_of
from service.rounds.queries.records import list_revisions
from service.rounds.queries.stored_round import StoredRound
from service.rulesets import queries as rulesets
from service.tables import queries as tables
from service.texts import queries as texts


def get_evidence(transaction: Transaction, round_id: UUID, since: int | None = None) -> EvidenceFile:
    """
    Build the evidence file of a round: every revision, its events, their proofs and the newest checkpoint.

    Its documents have the name that the table had when the round was opened, so that a file does not change with it.

    Args:
        transaction: a transaction with a single snapshot.
        round_id: the round.
        since: the size of an older checkpoint, for a proof of consistency with the newest.

    Raises:
        NotFound: the round does not exist.
    """
    stored = rounds.get(transaction, round_id)
    revisions = list_revisions(transaction, round_id)
    settlements = list_settlements(stored, revisions)
    played_by = {str(records.ruleset): records.ruleset for records in revisions}
    digests = [rulesets.digest_ruleset(ruleset) for ruleset in played_by.values()]
    events = round_events.list_round_events(transaction, round_id)
    opening = events[0].id if events else UUID(int=0)
    related = round_events.list_related_events(transaction, stored.table_id, opening, digests)
    at_opening = find_table(stored.table_id, _decode(related), opening)
    table = tables.get(transaction, stored.table_id).name if at_opening is None else at_opening.name
    newest = checkpoints.find_newest(transaction)
    size = newest.size if newest else 0
    proved = trees.prove_inclusion(transaction, [each.id for each in (*events, *related)], size)
    return EvidenceFile(
        club=transaction.club_id,
        round=round_id,
        revisions=tuple(
            _revision(stored, table, settlements[records.revision], history_of(records)) for records in revisions
        ),
        rulesets=tuple(dump_ruleset(played_by[name]) for name in sorted(played_by)),
        texts=tuple(texts.list_reasons(transaction, round_id)),
        events=tuple(_proved(each, proved.get(each.id)) for each in events),
        related=tuple(_proved(each, proved.get(each.id)) for each in related),
        checkpoint=newest.note if newest else None,
        sealed=trees.prove_last(transaction, [size]).get(size),
        newest=None if newest is None else _newest_event(transaction, round_id, newest),
        consistency=None if since is None else _consistency(transaction, since, size),
        keys=tuple(_keys_of(transaction, newest)),
    )


def _decode(events: Iterable[StoredEvent]) -> Iterator[tuple[UUID, EventPayload]]:
    """Yield the ids and payloads of events. One that cannot be decoded is left out, and fails in a verification."""
    for each in events:
        with suppress(EvidenceError):
            event = read_event(each.written)
            payload = decode_event(event.kind, event.content)
            if payload is not None:
                yield event.id, payload


def _proved(event: StoredEvent, inclusion: Inclusion | None) -> ProvedEvent:
    return (
        ProvedEvent(event.written, inclusion.position, inclusion.proof)
        if inclusion
        else ProvedEvent(event.written, None, None)
    )


def _newest_event(transaction: Transaction, round_id: UUID, signed: StoredCheckpoint) -> NewestEvent | None:
    """Return the round's newest event at the newest checkpoint, with its proof."""
    result = trees.prove_newest_event(transaction, round_id, signed.size)
    return None if result is None else NewestEvent(result[0].sequence, result[0].event, result[1])


def _keys_of(transaction: Transaction, newest: StoredCheckpoint | None) -> Iterator[str]:
    """Yield the public keys that signed a checkpoint."""
    signed = set() if newest is None else {(each.name, each.key_id) for each in read_note(newest.note).signatures}
    for each in checkpoints.list_keys(transaction.connection):
        if (each.key.name, each.key.id) in signed:
            yield each.key.written


def _consistency(transaction: Transaction, since: int, size: int) -> ConsistencyProof | None:
    """Return the consistency proof since a size; None if the size is larger than the newest checkpoint."""
    return ConsistencyProof(since, trees.prove_growth(transaction, since, size)) if since <= size else None


def _revision(stored: StoredRound, table: str, settlement: SettlementView, happened: StoredHistory) -> EvidenceRevision:
    return EvidenceRevision(
        settlement.revision,
        dump_document(write_document(stored, happened, table)),
        dump_settlement_view(settlement),
        tuple(dump_recorded_hand(view_hand(hand)) for hand in happened.hands),
    )
