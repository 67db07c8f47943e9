"""Rounds to recompute, and changes to their records that only the tables' owner can make."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

import numpy as np
import psycopg
import pytest
from psycopg import sql
from uuid_utils.compat import uuid7

from schemas.documents import load_document
from scoring.bulk.rounds import BulkRounds
from scoring.bulk.settle import BulkSettlement, settle_rounds
from scoring.round import open_round
from scoring.ruleset import Ruleset
from service.db import Database, Transaction
from service.recomputations.actions.recompute import Recomputation, Recomputed, recompute_rounds
from service.replays.stretches import FIRST, LAST, Stretch
from service.rounds.queries.round_filter import RoundFilter
from service.rulesets import queries as rulesets
from tests.support.database.insert_records import PINEAPPLE, add_document, add_round, add_table
from tests.support.sample_rounds import COMPLETE, Document, document_of

_CHANGED_TABLE: Final = re.compile(r"^(?:UPDATE|DELETE FROM) (\w+)")


def tamper(owner_url: str, statement: str, *parameters: Any) -> None:
    """Change a record as a superuser can: with triggers off and without checks; the schema stays as it was.

    The service runs meanwhile. Only the changed table is locked, so that the two cannot wait for each other.
    """
    [table] = _CHANGED_TABLE.findall(statement)
    with psycopg.connect(owner_url) as connection:
        connection.execute("SET session_replication_role = replica")
        checks = connection.execute(
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contype = 'c' AND conrelid = %s::regclass",
            [table],
        ).fetchall()
        for check, _ in checks:
            drop = sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}")
            connection.execute(drop.format(sql.Identifier(table), sql.Identifier(check)))
        changed = connection.execute(statement, parameters)
        assert changed.rowcount == 1, statement
        for check, definition in checks:
            add = sql.SQL("ALTER TABLE {} ADD CONSTRAINT {} {} NOT VALID")
            connection.execute(add.format(sql.Identifier(table), sql.Identifier(check), sql.SQL(definition)))
        connection.execute(
            "UPDATE pg_constraint SET convalidated = true WHERE contype = 'c' AND conrelid = %s::regclass", [table]
        )


def settle_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patch the bulk scorer to add a point to the stack of each first player after each hand."""

    def settle(ruleset: Ruleset, rounds: BulkRounds) -> BulkSettlement:
        settlement = settle_rounds(ruleset, rounds)
        return replace(settlement, stacks=settlement.stacks + np.eye(1, settlement.stacks.shape[1], dtype=np.int64))

    monkeypatch.setattr("service.replays.in_bulk.settle_rounds", settle)


def recompute(
    transaction: Transaction,
    scope: RoundFilter | None = None,
    *,
    ruleset: Ruleset | None = None,
    applies: bool = False,
    final: bool = False,
    stretch: tuple[UUID, UUID] = (FIRST, LAST),
) -> Recomputed:
    """Recompute the rounds of a scope, all at once unless a stretch is given."""
    recomputation = Recomputation(uuid7(), ruleset, applies, "checked again", final)
    return recompute_rounds(transaction, Stretch.between(*stretch, scope), recomputation)


def named(result: Recomputed) -> list[tuple[UUID | None, int | None, str]]:
    """Return which figures differ, or what else is found, and where."""
    return [(each.round_id, each.hand, each.column or each.kind.value) for each in result.findings]


def add_three_hands(
    database: Database,
    club_id: UUID,
    name: str,
    ruleset: Ruleset = PINEAPPLE,
    played: Sequence[Document] = COMPLETE,
) -> UUID:
    """A complete round of three hands, unless others were played."""
    with database.transaction(club_id) as transaction:
        table = add_table(transaction, ruleset, name)
        document = load_document(document_of(hands=played))
        opened = add_round(transaction, table, open_round(ruleset, document.seats))
        return add_document(transaction, opened, document).id


def rules_of(transaction: Transaction) -> dict[tuple[str, int], Ruleset | None]:
    return {(each.name, each.version): each.rules for each in rulesets.list_readable(transaction)}
