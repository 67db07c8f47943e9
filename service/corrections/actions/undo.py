from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from evidence.events import HandWithdrawn
from schemas.problems import find_missing
from schemas.rounds import RoundView, UndoRequest
from schemas.settlements import SettlementState
from scoring import SCORER_VERSION
from scoring.errors import Mistake
from scoring.hand import Hand
from scoring.history import Departure, History, accept_irregular, drop_late_departures, replay
from scoring.round_state import RoundStatus
from service.corrections.actions.amend import find_dropped
from service.db import Transaction
from service.errors import NotFound, UndoRefused
from service.rounds.actions.opening import view_round
from service.rounds.queries import hands, revisions, rounds
from service.rounds.queries.histories import history_of
from service.rounds.queries.records import get_records
from service.rounds.queries.revisions import RevisionToRecord, write_reason
from service.rounds.queries.stored_round import StoredRound
from service.tables import queries as tables
from service.tables.actions import refuse_archived


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The round without the hand, the departures dropped with it, and whether the request is a replay."""

    view: RoundView
    dropped: tuple[Departure, ...]
    is_replay: bool


def undo_hand(transaction: Transaction, round_id: UUID, request: UndoRequest) -> UndoResult:
    """
    Undo the last hand of a round, and the departures after it.

    If that hand was accepted as played, the round may be complete without it; departures after that end are dropped
    too.

    The records stay. The remaining hands are replayed and stored as a new revision. The same undo sent again changes
    nothing, whatever was recorded since: it names the record of its hand.

    Raises:
        NotFound: the round does not exist.
        UndoRefused: the hand is not the last one, was corrected, or the state of the round or its settlement does not
            allow an undo.
        TableArchived: the round would be open again at an archived table.
    """
    before = rounds.lock(transaction, round_id)
    if _is_withdrawn(transaction, before, request):
        return UndoResult(view_round(before), _find_dropped(transaction, before, request), is_replay=True)
    _check_undo_allowed(transaction, before, request.number)
    reason = write_reason(request.reason or f"hand {request.number} was undone", round_id)
    # They are read once: a text can be erased between two reads.
    records = get_records(transaction, round_id, before.revision)
    *kept, withdrawn = history_of(records).hands
    departures = records.departed
    accepted = {hand.hand.number for hand in kept if hand.is_accepted}
    history = _without_last_hand(before, [hand.hand for hand in kept], departures, accepted)
    dropped = find_dropped(departures, history.departures)
    revision = RevisionToRecord(history, replay(history), [hand.id for hand in kept], reason)
    event = HandWithdrawn(
        round=round_id,
        number=request.number,
        hand=withdrawn.id,
        digest=withdrawn.digest,
        departures=tuple(departure.seat for departure in dropped),
        irregular=None if accepted.issuperset(history.irregular) else tuple(sorted(history.irregular)),
        reason=reason.digest,
        revision=before.revision + 1,
        scorer=SCORER_VERSION,
    )
    after = revisions.add(transaction, before, revision, event.kind, event.encode(), records)
    return UndoResult(view_round(after), dropped, is_replay=False)


def _without_last_hand(
    before: StoredRound, hands: Sequence[Hand], departures: Sequence[Departure], accepted: Collection[int]
) -> History:
    """Return the history of a round without its last hand."""
    remaining = tuple(departure for departure in departures if departure.after_hand <= len(hands))
    history = History(before.round.ruleset, before.round.seats, tuple(hands), remaining, irregular=accepted)
    # Without the withdrawn hand, some hands follow only if they are accepted as played.
    return drop_late_departures(accept_irregular(history), remaining)


def _find_dropped(transaction: Transaction, now: StoredRound, request: UndoRequest) -> tuple[Departure, ...]:
    """Find the departures that were dropped when the hand was undone."""
    last = hands.find_last_revision(transaction, now.id, request.hand)
    before, after = [get_records(transaction, now.id, revision).departed for revision in (last, last + 1)]
    return find_dropped(before, after)


def _is_withdrawn(transaction: Transaction, before: StoredRound, request: UndoRequest) -> bool:
    """
    Return whether this undo was already made.

    Raises:
        UndoRefused: the hand id is not a record of this number, or a correction has replaced or removed it.
    """
    if request.hand not in hands.list_records(transaction, before.id, request.number):
        detail = f"{request.hand} is not a record of hand {request.number} of this round"
        raise _refusal("hand-unknown", detail, "hand")
    current = hands.find_in_revision(transaction, before.id, before.revision, request.number)
    if current == request.hand:
        return False
    corrected = hands.find_correction(transaction, before.id, request.hand)
    if corrected is not None:
        more = "the round no longer has this hand" if current is None else f"expected its record now, {current}"
        detail = f"the record {request.hand} of hand {request.number} was corrected in revision {corrected}; {more}"
        raise _refusal("hand-corrected", detail, "hand")
    return True


def find_missing_fields(transaction: Transaction, round_id: UUID, received: Any) -> Iterator[Mistake]:
    """List what an undo has to name and does not, with the number and the ID of the last hand."""
    try:
        stored = rounds.get(transaction, round_id)
    except NotFound:
        return
    if number := stored.round.hands:
        hand = hands.find_in_revision(transaction, round_id, stored.revision, number)
        yield from find_missing(received, "number", number, "the number of the last hand")
        yield from find_missing(received, "hand", str(hand), f"the ID of hand {number}, the last one")


def _check_undo_allowed(transaction: Transaction, before: StoredRound, number: int) -> None:
    last = before.round.hands
    if number != last:
        expected = f"expected hand {last}, the last of the round" if last else "the round has no hands"
        raise _refusal("hand-not-last", f"hand {number} cannot be undone; {expected}", "number")
    if before.finality.final_revision is not None:
        raise _refusal("settlement-final", "a settlement of the round was final; correct the round instead")
    if before.finality.settlement_state is SettlementState.DISPUTED:
        raise _refusal("settlement-disputed", "the settlement is disputed; correct the round instead")
    if before.round.status is RoundStatus.CLOSED:
        raise _refusal("round-closed", f"the round was closed after hand {last}; none of its hands can be undone")
    if before.round.status is RoundStatus.COMPLETE:
        _check_can_reopen(transaction, before)


def _check_can_reopen(transaction: Transaction, before: StoredRound) -> None:
    """Raise if a later round was opened at the table, because stacks may have carried over to it, or it is archived."""
    table = tables.get(transaction, before.table_id, for_update=True)
    following = rounds.find_following(transaction, before)
    if following is not None:
        detail = f"round {following} was opened at the table after this one; this round's hands can no longer be undone"
        raise _refusal("round-follows", detail)
    refuse_archived(table)


def _refusal(code: str, detail: str, *path: str) -> UndoRefused:
    return UndoRefused(detail, (Mistake(code, path, detail),))
