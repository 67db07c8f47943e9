"""Scopes of keys: every operation of the API needs one of some scopes."""

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final


class Scope(StrEnum):
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
    Scope.READ: "read rounds, hands, tables, players, rulesets, statements, events and jobs; export; what-if",
    Scope.SCORE: "score a hand without storing it",
    Scope.WRITE: "record rounds: open, record and undo hands, close; set players' display names",
    Scope.TABLES: "create tables and rulesets",
    Scope.IMPORTS: "import and export rounds",
    Scope.RECOMPUTE: "recompute stored rounds",
    Scope.DISPUTES: "open, review and resolve disputes",
    Scope.CORRECT: "correct rounds",
    Scope.CORRECT_FINAL: "with `correct` or `recompute`: change final settlements",
    Scope.AUDIT: "read all events with their signed bytes, checkpoints and evidence",
    Scope.WEBHOOKS: "add, change and test webhooks; read their secrets and deliveries",
    Scope.ADMIN: "list and revoke the keys of the club",
}
"""What each scope allows, for operators."""


def has_scope(held: Iterable[str], scopes: Collection[str]) -> bool:
    """
    Return whether a key with the scopes `held` has at least one of `scopes`.

    >>> has_scope(["read"], [Scope.WRITE]), has_scope(["imports"], [Scope.IMPORTS, Scope.READ])
    (False, True)
    >>> has_scope(["*"], [Scope.ADMIN])
    True
    """
    return any(scope == EVERY_SCOPE or scope in scopes for scope in held)


def join_scopes(scopes: Iterable[str]) -> str:
    """
    Return scopes for a message, of which one is enough.

    >>> join_scopes([Scope.IMPORTS, Scope.READ])
    "'imports' or 'read'"
    """
    return " or ".join(repr(str(scope)) for scope in scopes)
