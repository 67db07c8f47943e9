"""Check the steps of disputes: which state allows which transition, and who can take it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final
from uuid import UUID

from schemas.disputes import COMMENT, MOST_COMMENTS, DisputeState, DisputeTransitionRequest
from scoring.errors import Mistake
from service.clubs.queries.keys import StoredKey
from service.db import Transaction
from service.disputes.actions.deciders import list_own_ids, require_decider
from service.disputes.queries.disputes import StoredDispute
from service.errors import DisputeChanged, DisputeRefused
from service.rounds.actions.checks import require_author, require_version
from service.rounds.queries.stored_round import StoredRound

NO_AUTHORS: Final[Mapping[str, UUID | None]] = MappingProxyType({})
_OPEN, _REVIEWED = DisputeState.OPEN, DisputeState.UNDER_REVIEW
_FROM: Final[Mapping[str, tuple[DisputeState, ...]]] = {
    COMMENT: (_OPEN, _REVIEWED),
    _REVIEWED.value: (_OPEN,),
    DisputeState.UPHELD.value: (_REVIEWED,),
    DisputeState.REJECTED.value: (_REVIEWED,),
    DisputeState.WITHDRAWN.value: (_OPEN, _REVIEWED),
}
"""The states in which each transition is allowed."""


def check_step(
    transaction: Transaction,
    round_: StoredRound,
    before: StoredDispute,
    request: DisputeTransitionRequest,
    key: StoredKey,
    *,
    round_version: int | None = None,
    authors: Mapping[str, UUID | None] = NO_AUTHORS,
) -> UUID | None:
    """
    Check that a transition or comment can be applied to a dispute.

    Args:
        transaction: in which the round and the dispute were locked.
        round_: the round of the dispute.
        before: the dispute.
        request: the transition or comment.
        key: the key or the player's link of the request.
        round_version: the version of the round that was read; None if any is accepted.
        authors: authors that were checked already, by their names.

    Returns:
        The key that is the author; None for a player.

    Raises:
        DisputeChanged: the dispute has another version than the request expects.
        RoundChanged: the round has another version than was read.
        DisputeRefused: the state of the dispute does not allow the transition.
        DisputeInvalid: the author is unknown.
        OwnRound: the player of the key sat in the round, and it is no comment, and no withdrawal of their own dispute.
    """
    if request.version is not None and request.version != before.version:
        detail = f"the request is for version {request.version} of the dispute; expected version {before.version}"
        raise DisputeChanged(detail, (Mistake("dispute-changed", ("version",), detail),))
    if round_version is not None:
        require_version(round_, round_version)
    _check_transition(before, request)
    if request.kind != COMMENT and not _is_own_withdrawal(transaction, before, request, key):
        require_decider(transaction, key, round_.id)
    return require_author(transaction, round_, request.by, (before.player,), authors)


def _is_own_withdrawal(
    transaction: Transaction, before: StoredDispute, request: DisputeTransitionRequest, key: StoredKey
) -> bool:
    """Return whether the player of a key withdraws a dispute that they have opened."""
    return request.kind == DisputeState.WITHDRAWN.value and before.player in list_own_ids(transaction, key)


def _check_transition(before: StoredDispute, request: DisputeTransitionRequest) -> None:
    if before.state.is_ended:
        raise _refusal("dispute-ended", f"the dispute has ended: it is {before.state.value}; open another dispute")
    if before.state not in _FROM[request.kind]:
        if before.state is _OPEN:
            raise _refusal("dispute-not-reviewed", "the dispute is open; start its review before you resolve it")
        raise _refusal("dispute-under-review", "the dispute is already under review")
    comments = before.version - 1 - (before.state is _REVIEWED)
    if request.kind == COMMENT and comments >= MOST_COMMENTS:
        raise _refusal("comments-full", f"the dispute has {comments} comments; a dispute has at most {MOST_COMMENTS}")


def _refusal(code: str, detail: str) -> DisputeRefused:
    return DisputeRefused(detail, (Mistake(code, (), detail),))
