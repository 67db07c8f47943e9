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
    EVERY_SCOPE: "everything, now and in later releases",
    Scope.READ: "reading rounds, hands, tables, players, rulesets, statements, jobs and the export; what-if",
    Scope.SCORE: "scoring a hand without storing it",
    Scope.WRITE: "playing rounds: opening, recording, undoing, closing; players' display names",
    Scope.TABLES: "new tables and rulesets",
    Scope.IMPORTS: "imports, and the export",
    Scope.RECOMPUTE: "recomputations",
    Scope.DISPUTES: "disputes",
    Scope.CORRECT: "corrections of rounds",
    Scope.CORRECT_FINAL: "in addition to `correct` or `recompute`: changes of final settlements",
    Scope.AUDIT: "the audit trail, checkpoints and evidence",
    Scope.WEBHOOKS: "webhooks: endpoints, their secrets and deliveries",
    Scope.ADMIN: "the club's keys: listing and revoking them",
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
