"""Rounds to recompute, and what an owner of the tables can do to their records."""

from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql
from uuid_utils.compat import uuid7

from scoring.ruleset import Ruleset
from service.database import Transaction
from service.repository.packed.queries import EVERY, Scope, Stretch
from service.usecases.recompute_rounds import Recomputation, Recomputed, recompute_rounds


def tamper(owner_url: str, statement: str, *parameters: Any) -> None:
    """Change a record as the owner of the tables can: with the triggers off, and without the checks."""
    with psycopg.connect(owner_url) as connection:
        connection.execute("SET session_replication_role = replica")
        checks = connection.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype = 'c' AND conrelid <> 0"
        ).fetchall()
        for table, check in checks:
            drop = sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}")
            connection.execute(drop.format(sql.Identifier(*table.split(".")), sql.Identifier(check)))
        changed = connection.execute(statement, parameters)
        assert changed.rowcount == 1, statement


def recompute(
    transaction: Transaction,
    scope: Scope | None = None,
    *,
    ruleset: Ruleset | None = None,
    applies: bool = False,
    final: bool = False,
    stretch: tuple[UUID, UUID] = EVERY,
) -> Recomputed:
    """Recompute the rounds of a scope, all at once unless a stretch is given."""
    asked = Recomputation(uuid7(), ruleset, applies, "checked again", final)
    return recompute_rounds(transaction, Stretch(scope or Scope(), *stretch), asked)


def named(found: Recomputed) -> list[tuple[UUID | None, int | None, str]]:
    """Say which figures differ, and where."""
    return [(each.round_id, each.hand, each.what) for each in found.differences]
