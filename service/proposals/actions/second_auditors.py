"""Who can confirm a proposal: another key than its own, which does not belong to the same people."""

from collections.abc import Mapping
from uuid import UUID

from schemas.corrections.proposals import Proposal
from service.clubs.queries import keys
from service.clubs.queries.keys import KeyOrigin, StoredKey
from service.db import Transaction
from service.disputes.actions.deciders import list_own_ids
from service.errors import NotSecondAuditor


def require_second_auditor(transaction: Transaction, proposal: Proposal, key: StoredKey) -> None:
    """
    Check that a key can confirm a proposal.

    Raises:
        NotSecondAuditor: it cannot.
    """
    reason = find_why_not(transaction, proposal, key)
    if reason is not None:
        raise NotSecondAuditor(f"{reason}; expected a key of another auditor")


def find_why_not(transaction: Transaction, proposal: Proposal, key: StoredKey) -> str | None:
    """
    Return why a key cannot confirm a proposal; None if it can.

    Who has created a key had its secret, and so could use both. A key that replaces another one is that key. Keys that
    the same third key has created are different: a manager creates the keys of all auditors.
    """
    if key.id == proposal.key:
        return f"the key {key.name!r} has proposed it"
    origins = keys.list_origins(transaction)
    if _belongs_to(origins, key.id, proposal.key):
        return f"the key {key.name!r} was created by {proposal.by!r}, which has proposed it, or replaces it"
    if _belongs_to(origins, proposal.key, key.id):
        return f"the key {proposal.by!r}, which has proposed it, was created by {key.name!r}, or replaces it"
    player = origins[proposal.key].player
    if player is not None and player in list_own_ids(transaction, key):
        return f"the key {proposal.by!r}, which has proposed it, is also that of the player {player!r}"
    return None


def _belongs_to(origins: Mapping[UUID, KeyOrigin], key_id: UUID, other_id: UUID) -> bool:
    """
    Return whether a key comes from another one, directly or by way of others.

    >>> manager, auditor, rotated, other = map(UUID, map("0000000{}-0000-0000-0000-000000000000".format, range(4)))
    >>> origins = {
    ...     manager: KeyOrigin(None, None, None),
    ...     auditor: KeyOrigin(manager, None, None),
    ...     rotated: KeyOrigin(None, auditor, None),
    ...     other: KeyOrigin(manager, None, None),
    ... }
    >>> [_belongs_to(origins, rotated, each) for each in (auditor, manager, other)]
    [True, True, False]
    >>> origins[other] = KeyOrigin(auditor, None, None)
    >>> _belongs_to(origins, other, rotated)
    True
    """
    same = _follow(origins, other_id, only_replaced=True)
    return not same.isdisjoint(_follow(origins, key_id, only_replaced=False))


def _follow(origins: Mapping[UUID, KeyOrigin], key_id: UUID, *, only_replaced: bool) -> set[UUID]:
    """Return a key, the keys that it replaces and, unless only these are wanted, those that have created them."""
    seen: set[UUID] = set()
    waiting = [key_id]
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen.add(each)
            origin = origins[each]
            waiting += [
                before
                for before in (origin.replaces, None if only_replaced else origin.created_by)
                if before is not None
            ]
    return seen
