"""Scopes of keys: every operation of the API needs one of some scopes."""

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final


class KeyScope(StrEnum):
    """A group of operations that a key can be used for."""

    READ = "read"
    SCORE = "score"
    WRITE = "write"
    TABLES = "tables"
    IMPORTS = "imports"
    RECOMPUTE = "recompute"
    DISPUTES = "disputes"
    CORRECT = "correct"
    CORRECT_FINAL = "correct-final"
    AUDIT = "audit"
    WEBHOOKS = "webhooks"
    ADMIN = "admin"


EVERY_SCOPE: Final = "*"
"""All scopes, including those of later releases."""

SCOPE_DESCRIPTIONS: Final = {
    EVERY_SCOPE: "all operations, including those of later releases",
    KeyScope.READ: "read rounds, hands, tables, players, rulesets, statements, events and jobs; export; what-if",
    KeyScope.SCORE: "score a hand without storing it",
    KeyScope.WRITE: "record rounds: open, record and undo hands, close; record payments and charges;"
    " set players' display names",
    KeyScope.TABLES: "create, change and archive tables; create rulesets",
    KeyScope.IMPORTS: "import and export rounds",
    KeyScope.RECOMPUTE: "recompute stored rounds",
    KeyScope.DISPUTES: "open, review and resolve disputes",
    KeyScope.CORRECT: "correct rounds",
    KeyScope.CORRECT_FINAL: "with `correct` or `recompute`: change final settlements",
    KeyScope.AUDIT: "read all events with their signed bytes, checkpoints and evidence",
    KeyScope.WEBHOOKS: "add, change and test webhooks; read their secrets and deliveries",
    KeyScope.ADMIN: "list and revoke the keys of the club",
}
"""What each scope allows, for operators."""


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
