from dataclasses import dataclass
from uuid import UUID

from schemas.hands import canonical_json
from schemas.rounds import RoundView, UndoRequest
from schemas.settlement_states import SettlementState
from scoring import SCORER_VERSION
from scoring.errors import Mistake
from scoring.history import History, replay
from scoring.round_state import RoundStatus
from service.audit import EventKind
from service.database import Transaction
from service.errors import UndoRefused
from service.repository import endings, hands, revisions, rounds, tables
from service.repository.revisions import RevisionToRecord
from service.repository.rounds import StoredRound
from service.usecases.views import view_round


@dataclass(frozen=True, slots=True)
class UndoneHand:
    """The round as it stands without the hand, and whether the hand had been withdrawn before."""

    view: RoundView
    is_replay: bool


def undo_hand(transaction: Transaction, round_id: UUID, request: UndoRequest) -> UndoneHand:
    """
    Withdraw the last hand of a round, and the departures after it: the round stands as it stood before the hand.

    The records stay. What is left is played again and stored as a new revision, which the round now has. The same undo
    again finds the hand withdrawn and changes nothing.

    Raises:
        NotFound: the club has no such round.
        UndoRefused: it is not the last hand, or something stands upon it.
    """
    before = rounds.lock(transaction, round_id)
    if _is_withdrawn(transaction, before, request):
        return UndoneHand(view_round(before), is_replay=True)
    _refuse_what_stands(transaction, before, request.number)
    *kept, withdrawn = hands.list_page(transaction, round_id, before.revision)
    departures = endings.list_departures(transaction, round_id, before.revision)
    history = History(
        before.round.ruleset,
        before.round.seats,
        tuple(hand.hand for hand in kept),
        tuple(departure for departure in departures if departure.after_hand < request.number),
        irregular=frozenset(hand.hand.number for hand in kept if hand.irregular),
    )
    given = RevisionToRecord(
        history,
        replay(history),
        [hand.id for hand in kept],
        request.reason or f"hand {request.number} was undone",
    )
    event = {
        "round": str(round_id),
        "number": request.number,
        "hand": str(withdrawn.id),
        "digest": withdrawn.digest.hex(),
        "departures": [departure.seat for departure in departures if departure not in history.departures],
        "reason": request.reason,
        "revision": before.revision + 1,
        "scorer": SCORER_VERSION,
    }
    after = revisions.add(transaction, before, given, EventKind.HAND_WITHDRAWN, canonical_json(event))
    return UndoneHand(view_round(after), is_replay=False)


def _is_withdrawn(transaction: Transaction, before: StoredRound, request: UndoRequest) -> bool:
    """
    Say whether just this undo has been done already.

    Without the hand's id that shows only while no other hand has its number.

    Raises:
        UndoRefused: the hand named was never recorded under this number.
    """
    recorded = hands.list_records(transaction, before.id, request.number)
    if request.hand is None:
        return bool(recorded) and request.number > before.round.hands
    if request.hand not in recorded:
        detail = f"{request.hand} is no record of hand {request.number} in this round"
        raise _refusal("hand-unknown", detail, "hand")
    return not hands.get(transaction, request.hand).in_force


def _refuse_what_stands(transaction: Transaction, before: StoredRound, number: int) -> None:
    last = before.round.hands
    if number != last:
        there = f"hand {last} is the last" if last else "no hand is recorded"
        raise _refusal("hand-not-last", f"hand {number} is to be undone; {there}", "number")
    if before.firmness.final_revision is not None:
        raise _refusal("settlement-final", "the settlement of the round was final; a correction puts it right")
    if before.firmness.settlement_state is SettlementState.DISPUTED:
        raise _refusal("settlement-disputed", "the settlement is disputed; a correction puts right what is wrong in it")
    if before.round.status is RoundStatus.CLOSED:
        raise _refusal("round-closed", f"the round was closed after hand {last}; none of its hands can be undone")
    if before.round.status is RoundStatus.COMPLETE:
        _refuse_under_a_later_round(transaction, before)


def _refuse_under_a_later_round(transaction: Transaction, before: StoredRound) -> None:
    """Let a round that is complete be open again only where none has followed: its stacks may have carried over."""
    tables.lock(transaction, tables.get(transaction, before.table_id).name)
    latest = rounds.find_last(transaction, before.table_id)
    if latest is not None and latest.id != before.id:
        detail = f"round {latest.id} was opened at the table after this one; its last hand can no longer be undone"
        raise _refusal("round-follows", detail)


def _refusal(code: str, detail: str, *path: str) -> UndoRefused:
    return UndoRefused(detail, (Mistake(code, path, detail),))
