"""Find a whole id by its end."""

from collections.abc import Collection, Mapping
from typing import Final

from schemas.ids import FoundId, IdKind
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope, has_scope
from service.db import Transaction
from service.errors import IdAmbiguous, NotFound
from service.ids.queries import list_endings

_MOST_LISTED: Final = 10
SCOPES: Final[Mapping[IdKind, tuple[KeyScope, ...]]] = {
    IdKind.TABLE: (KeyScope.READ,),
    IdKind.ROUND: (KeyScope.READ,),
    IdKind.HAND: (KeyScope.READ,),
    IdKind.DISPUTE: (KeyScope.READ, KeyScope.DISPUTES),
    IdKind.RECOMPUTATION: (KeyScope.RECOMPUTE, KeyScope.READ),
    IdKind.IMPORT: (KeyScope.IMPORTS, KeyScope.READ),
    IdKind.CHECKPOINT: (KeyScope.AUDIT,),
    IdKind.WEBHOOK: (KeyScope.WEBHOOKS,),
    IdKind.DELIVERY: (KeyScope.WEBHOOKS,),
    IdKind.LINK: (KeyScope.WRITE, KeyScope.ADMIN),
    IdKind.KEY: (KeyScope.ADMIN,),
    IdKind.PAYMENT: (KeyScope.READ,),
    IdKind.CHARGE: (KeyScope.READ,),
    IdKind.PROPOSAL: (KeyScope.READ,),
    IdKind.PAYMENT_CLAIM: (KeyScope.READ,),
}
"""The scopes with which the records of a kind are listed; one is enough."""


def find_id(transaction: Transaction, ending: str, kind: IdKind | None, held: Collection[str]) -> FoundId:
    """
    Find the only id with an end.

    Args:
        transaction: a transaction of the club.
        ending: the end, in small or capital letters.
        kind: what it is the id of; None for any kind.
        held: the scopes of the key; ids of other kinds are not found.

    Raises:
        NotFound: no id ends so.
        IdAmbiguous: several do; the mistakes list them.
    """
    kinds = [each for each in ([kind] if kind else IdKind) if has_scope(held, SCOPES[each])]
    matches = list_endings(transaction, ending.lower(), kinds, limit=_MOST_LISTED + 1)
    if not matches:
        raise NotFound(f"there is no {kind or 'record'} whose id ends with {ending!r}")
    if len(matches) > 1:
        count = len(matches) if len(matches) <= _MOST_LISTED else f"more than {_MOST_LISTED}"
        raise IdAmbiguous(
            f"{count} ids end with {ending!r}; expected more characters of one",
            [
                Mistake(IdAmbiguous.code, ("query", "ending"), f"`{each.id}`: {each.kind}, {each.description}")
                for each in matches[:_MOST_LISTED]
            ],
        )
    return matches[0]
