"""Plan a correction: what the round would be, before anything is stored."""

from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from evidence import digest_of
from schemas.corrections.comparisons import RoundComparison
from schemas.corrections.requests import CorrectionRequest
from schemas.documents import digest_document
from schemas.settlements import Adjustment
from scoring.errors import Mistake
from scoring.settle_up import find_adjustment
from service.clubs.queries.keys import StoredKey
from service.corrections import queries as corrections
from service.corrections.actions.amend import (
    AmendedRound,
    amend_round,
    find_dropped,
    is_as_recorded,
    locate_mistakes,
    snapshot_played,
    snapshot_recorded,
)
from service.db import Transaction
from service.disputes.actions.deciders import require_decider
from service.disputes.queries import disputes
from service.errors import CorrectionInvalid, DisputeRefused
from service.rounds.actions.documents import find_document_mistakes, write_document
from service.rounds.actions.opening import view_round
from service.rounds.queries import histories, rounds
from service.rounds.queries.histories import StoredHistory
from service.rounds.queries.records import RoundRecords, get_records
from service.rounds.queries.stored_round import StoredRound
from service.rulesets.actions import ruleset_named
from service.rulesets.queries import digest_ruleset
from service.tables import queries as tables
from service.tables.actions import refuse_archived


@dataclass(frozen=True, slots=True)
class PlannedCorrection:
    """
    A correction that was replayed and is not stored.

    Attributes:
        before: the round as it is.
        records: those of its newest revision. They are read once: a text can be erased between two reads.
        happened: what is recorded of it.
        amended: what would be recorded.
        is_change: whether that is something else.
    """

    before: StoredRound
    records: RoundRecords
    happened: StoredHistory
    amended: AmendedRound
    is_change: bool

    @property
    def digest(self) -> bytes:
        """The digest of what would change: the corrected revision, and the content and results of the new one."""
        amended, played = self.amended, self.amended.played.round
        return digest_of(
            {
                "round": str(self.before.id),
                "revision": self.before.revision,
                "ruleset": digest_ruleset(amended.history.ruleset).hex(),
                # The table can be renamed.
                "document": digest_document(replace(amended.document, table="")).hex(),
                "irregular": sorted(amended.history.irregular),
                "net": {seat.player: played.nets[seat.seat] for seat in played.seats},
            }
        )


def check_dispute(transaction: Transaction, before: StoredRound, request: CorrectionRequest, key: StoredKey) -> None:
    """
    Check that a correction can be made because of the dispute that it names, if it names one.

    Raises:
        CorrectionInvalid: the dispute belongs to another round.
        DisputeRefused: the dispute has ended.
        OwnRound: the player of the key sat in the round.
    """
    if request.dispute is not None:
        _refuse_other_dispute(transaction, before, request.dispute)
        require_decider(transaction, key, before.id)


def plan_correction(
    transaction: Transaction, before: StoredRound, request: CorrectionRequest, *, is_preview: bool = False
) -> PlannedCorrection:
    """
    Amend the document of a round, and replay it from the start. Nothing is stored.

    Args:
        transaction: in which the round was locked; for a preview, a snapshot.
        before: the round.
        request: the correction.
        is_preview: whether the correction is not stored, so that nothing is locked.

    Raises:
        WireError: the changes cannot be applied.
        HandIrregular: a hand does not follow the hands before it, and is not accepted as played.
        CorrectionInvalid, RulesetUnknown, ScoringError: the amended round is invalid.
        TableArchived: the correction would reopen the round at an archived table.
    """
    records = get_records(transaction, before.id, before.revision)
    happened = histories.history_of(records)
    recorded = write_document(before, happened, tables.get(transaction, before.table_id).name)
    find_more = partial(find_document_mistakes, partial(ruleset_named, transaction), accepts=request.accepts)
    with locate_mistakes(recorded, request.edits, find_more=find_more) as amend:
        amended = amend_round(transaction, before, recorded, request.document or amend(), accepts=request.accepts)
        is_change = not is_as_recorded(amended, happened, recorded)
        if is_change:
            _refuse_to_open_again(transaction, before, amended, locks=not is_preview)
    return PlannedCorrection(before, records, happened, amended, is_change)


def compare_planned(transaction: Transaction, planned: PlannedCorrection) -> RoundComparison:
    """Compare a round with what a correction would make of it, as if it were stored."""
    before, played = planned.before, planned.amended.played
    after = before.changed(transaction.now, played.round, revision=before.revision + 1)
    return RoundComparison(
        view=view_round(replace(after, version=before.version)),
        revision=after.revision,
        before=snapshot_recorded(planned.records, planned.happened),
        after=snapshot_played(played),
        carried_over=corrections.list_carried_over(transaction, before),
        adjustment=_find_adjustment(transaction, planned),
        dropped_departures=find_dropped(planned.happened.departures, planned.amended.history.departures),
    )


def _find_adjustment(transaction: Transaction, planned: PlannedCorrection) -> Adjustment | None:
    """Return the payments from the last final settlement to the planned one; None if no settlement was final."""
    final, played = planned.before.finality.final_revision, planned.amended.played.round
    if final is None:
        return None
    settled = get_records(transaction, planned.before.id, final).result.nets_by_player
    nets = {seat.player: played.nets[seat.seat] for seat in played.seats}
    return Adjustment(final, tuple(find_adjustment(settled, nets).payments))


def _refuse_other_dispute(transaction: Transaction, before: StoredRound, dispute_id: UUID) -> None:
    """Raise if the dispute belongs to another round or has ended."""
    dispute = disputes.find_in_round(transaction, before.id, dispute_id)
    if dispute is None:
        detail = f"is {dispute_id}, which is not a dispute of this round; expected one of its disputes"
        raise CorrectionInvalid(
            "`dispute` does not name a dispute of the round", (Mistake("dispute-unknown", ("dispute",), detail),)
        )
    if dispute.state.is_ended:
        detail = f"the dispute has ended: it is {dispute.state.value}; omit `dispute`, or open another dispute"
        raise DisputeRefused(detail, (Mistake("dispute-ended", ("dispute",), detail),))


def _refuse_to_open_again(transaction: Transaction, before: StoredRound, amended: AmendedRound, *, locks: bool) -> None:
    """Raise if the correction would reopen a round that was final, that another follows, or at an archived table."""
    if not amended.played.round.is_open or before.round.is_open:
        return
    if before.finality.final_revision is not None:
        detail = (
            "the correction would reopen the round, and its settlement was final; expected `closed` in the document:"
            " the hand after which the round was closed, and the reason"
        )
        raise CorrectionInvalid(detail, (Mistake("settlement-final", ("document", "closed"), detail),))
    table = tables.get(transaction, before.table_id, for_update=locks)
    following = rounds.find_following(transaction, before)
    if following is not None:
        detail = (
            f"the correction would reopen the round, and round {following} was opened at the table after it; expected"
            " `closed` in the document: the hand after which the round was closed, and the reason"
        )
        raise CorrectionInvalid(detail, (Mistake("round-follows", ("document", "closed"), detail),))
    refuse_archived(table)
