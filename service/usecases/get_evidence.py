from collections.abc import Iterator
from uuid import UUID

from schemas.documents import dump_document
from schemas.evidence import read_note
from schemas.evidence_files import EvidenceFile, EvidenceRevision, Growth, ProvedEvent
from schemas.rounds import dump_recorded_hand
from schemas.rulesets import dump_ruleset
from schemas.settlements import dump_settlement_view
from scoring.ruleset import Ruleset
from service.database import Transaction
from service.repository import checkpoints, histories, inclusion, round_events, rounds, rulesets
from service.repository.checkpoints import StoredCheckpoint
from service.repository.inclusion import Inclusion
from service.repository.round_events import StoredEvent
from service.repository.stored_round import StoredRound
from service.usecases.get_document import get_document
from service.usecases.get_settlement import get_settlement
from service.usecases.views import view_hand


def get_evidence(transaction: Transaction, round_id: UUID, since: int | None = None) -> EvidenceFile:
    """
    Put all that proves a round into one file: every revision, its events, their proofs and the newest checkpoint.

    Args:
        transaction: which sees everything as it is at one moment.
        round_id: the round.
        since: the size of an older checkpoint, from which the newest is shown to have grown.

    Raises:
        NotFound: the club has no such round.
    """
    stored = rounds.get(transaction, round_id)
    played_by: dict[str, Ruleset] = {}
    revisions = [_revision(transaction, stored, number, played_by) for number in range(1, stored.revision + 1)]
    digests = [rulesets.digest_ruleset(ruleset) for ruleset in played_by.values()]
    events = round_events.list_of_round(transaction, round_id)
    related = round_events.list_related(transaction, stored.table_id, digests)
    newest = checkpoints.find_newest(transaction)
    size = newest.size if newest else 0
    proved = inclusion.prove(transaction, [each.id for each in (*events, *related)], size)
    return EvidenceFile(
        club=transaction.club_id,
        round=round_id,
        revisions=tuple(revisions),
        rulesets=tuple(dump_ruleset(played_by[name]) for name in sorted(played_by)),
        events=tuple(_proved(each, proved.get(each.id)) for each in events),
        related=tuple(_proved(each, proved.get(each.id)) for each in related),
        checkpoint=newest.note if newest else None,
        consistency=None if since is None else _consistency(transaction, since, size),
        keys=tuple(_keys_of(transaction, newest)),
    )


def _proved(event: StoredEvent, found: Inclusion | None) -> ProvedEvent:
    return ProvedEvent(event.written, found.position, found.proof) if found else ProvedEvent(event.written, None, None)


def _keys_of(transaction: Transaction, newest: StoredCheckpoint | None) -> Iterator[str]:
    """List the public keys that signed a checkpoint."""
    signed = set() if newest is None else {(each.name, each.key_id) for each in read_note(newest.note).signatures}
    for each in checkpoints.list_keys(transaction.connection):
        if (each.key.name, each.key.id) in signed:
            yield each.key.written


def _consistency(transaction: Transaction, since: int, size: int) -> Growth | None:
    """Prove that the tree has grown; nothing can be proved of one that is larger than what was signed here."""
    return Growth(since, inclusion.prove_growth(transaction, since, size)) if since <= size else None


def _revision(
    transaction: Transaction, stored: StoredRound, number: int, played_by: dict[str, Ruleset]
) -> EvidenceRevision:
    happened = histories.get(transaction, stored.id, number)
    played_by[str(happened.ruleset)] = happened.ruleset
    return EvidenceRevision(
        number,
        dump_document(get_document(transaction, stored.id, number)),
        dump_settlement_view(get_settlement(transaction, stored.id, number)),
        [dump_recorded_hand(view_hand(hand)) for hand in happened.hands],
    )
