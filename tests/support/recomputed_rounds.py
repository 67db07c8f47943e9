"""Rounds to recompute, and changes to their records that only the tables' owner can make."""

from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql
from uuid_utils.compat import uuid7

from scoring.ruleset import Ruleset
from service.db import Transaction
from service.recomputations.actions.recompute import Recomputation, Recomputed, recompute_rounds
from service.recomputations.packed.queries import EVERY, Scope, Stretch


def tamper(owner_url: str, statement: str, *parameters: Any) -> None:
    """Change a record as a superuser can: with triggers off and without checks; the schema stays as it was."""
    with psycopg.connect(owner_url) as connection:
        connection.execute("SET session_replication_role = replica")
        checks = connection.execute(
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contype = 'c' AND conrelid <> 0"
        ).fetchall()
        for table, check, _ in checks:
            drop = sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}")
            connection.execute(drop.format(sql.Identifier(*table.split(".")), sql.Identifier(check)))
        changed = connection.execute(statement, parameters)
        assert changed.rowcount == 1, statement
        for table, check, definition in checks:
            add = sql.SQL("ALTER TABLE {} ADD CONSTRAINT {} {} NOT VALID")
            place = sql.Identifier(*table.split(".")), sql.Identifier(check)
            connection.execute(add.format(*place, sql.SQL(definition)))
        connection.execute("UPDATE pg_constraint SET convalidated = true WHERE contype = 'c'")


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
    """Return which figures differ, and where."""
    return [(each.round_id, each.hand, each.what) for each in found.differences]
