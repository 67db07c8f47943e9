"""Scopes of keys: every operation of the API needs one of some scopes. Presets are the scopes of keys for a purpose."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from schemas.clubs import EVERY_SCOPE, KeyPreset, KeyScope
from service.db import Transaction
from service.errors import ScopeMissing

__all__ = [
    "EVERY_SCOPE",
    "PRESET_DESCRIPTIONS",
    "PRESET_SCOPES",
    "SCOPE_DESCRIPTIONS",
    "KeyPreset",
    "KeyScope",
    "has_scope",
    "join_scopes",
    "require_key",
]


SCOPE_DESCRIPTIONS: Final = {
    EVERY_SCOPE: "all operations, including those of later releases",
    KeyScope.READ: "read rounds, hands, tables, players, rulesets, statements, events and jobs; export; what-if",
    KeyScope.SCORE: "score a hand without storing it",
    KeyScope.WRITE: "record rounds: open, record and undo hands, close; record payments and charges;"
    " set players' display names",
    KeyScope.TABLES: "create, change and archive tables; create rulesets; define units",
    KeyScope.IMPORTS: "import and export rounds",
    KeyScope.RECOMPUTE: "recompute stored rounds",
    KeyScope.DISPUTES: "open, review and resolve disputes",
    KeyScope.CORRECT: "correct rounds",
    KeyScope.CORRECT_FINAL: "with `correct` or `recompute`: change final settlements",
    KeyScope.AUDIT: "read all events with their signed bytes, checkpoints and evidence",
    KeyScope.WEBHOOKS: "add, change and test webhooks; read their secrets and deliveries",
    KeyScope.ADMIN: "create, list and revoke the keys of the club; end sessions of the console",
}
"""What each scope allows, for operators."""

PRESET_SCOPES: Final[Mapping[KeyPreset, tuple[KeyScope, ...]]] = {
    KeyPreset.ROOM: (
        KeyScope.READ,
        KeyScope.SCORE,
        KeyScope.WRITE,
        KeyScope.TABLES,
        KeyScope.IMPORTS,
        KeyScope.WEBHOOKS,
    ),
    KeyPreset.SCOREKEEPER: (KeyScope.READ, KeyScope.SCORE, KeyScope.WRITE),
    KeyPreset.AUDITOR: (
        KeyScope.READ,
        KeyScope.RECOMPUTE,
        KeyScope.DISPUTES,
        KeyScope.CORRECT,
        KeyScope.CORRECT_FINAL,
        KeyScope.AUDIT,
    ),
    KeyPreset.MANAGER: tuple(KeyScope),
}
"""The scopes of each preset. Those of later releases are not added to keys that exist."""

PRESET_DESCRIPTIONS: Final[Mapping[KeyPreset, str]] = {
    KeyPreset.ROOM: "for the software of a card room: sets up tables and rulesets, records and imports rounds,"
    " records and takes back payments and charges, receives messages by webhooks",
    KeyPreset.SCOREKEEPER: "for those who record rounds: opens and closes rounds, records and undoes hands, sets"
    " display names, issues links, records and takes back payments and charges",
    KeyPreset.AUDITOR: "for those who decide disputes: corrects rounds, final ones too, recomputes and verifies them,"
    " reads the whole audit trail",
    KeyPreset.MANAGER: "for those who run the club: does everything, and creates and revokes keys",
}
"""What a key of each preset is for, for operators and managers."""


def has_scope(held: Iterable[str], scopes: Collection[str]) -> bool:
    """
    Return whether a key with the scopes `held` has at least one of `scopes`.

    >>> has_scope(["read"], [KeyScope.WRITE]), has_scope(["imports"], [KeyScope.IMPORTS, KeyScope.READ])
    (False, True)
    >>> has_scope(["*"], [KeyScope.ADMIN])
    True
    """
    return any(scope == EVERY_SCOPE or scope in scopes for scope in held)


def join_scopes(scopes: Iterable[str]) -> str:
    """
    Return scopes for a message, of which one is enough.

    >>> join_scopes([KeyScope.IMPORTS, KeyScope.READ])
    "'imports' or 'read'"
    """
    return " or ".join(repr(str(scope)) for scope in scopes)


def require_key(transaction: Transaction, what: str) -> None:
    """
    Check that a request with fields that links cannot set was sent with a key.

    Most links see one table, so that they could not tell whether a reference is unique in the club. Metadata are those
    of the programs of the club.

    Raises:
        ScopeMissing: it was sent with a link.
    """
    if transaction.is_link:
        raise ScopeMissing(f"{what} cannot be set with a link; expected an API key, or a request without them")
