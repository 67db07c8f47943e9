"""Findings of a record, and those of rounds proven in bulk compared with those of a replay."""

from collections.abc import Mapping
from random import Random
from typing import Any

from service.db import Transaction
from service.replays.comparing import AUDITED
from service.replays.findings import Finding
from service.replays.stretches import Stretch
from service.verification.chains import check_chains
from service.verification.club_records import expect_club_records, rulesets_of
from service.verification.figures import SUMMED_UP, compare_figures
from service.verification.queries import audited
from service.verification.queries.audited import OF_ROUNDS
from service.verification.rounds import compare_rounds, rounds_of
from service.verification.verify_database import (
    Pass,
    Position,
    verify_page,
)
from tests.support.database.corrupt_records import Table, commit, undone


def names(findings: list[Finding], table: str, row: Mapping[str, Any]) -> list[Finding]:
    """The findings that name a record, or the number that an event had in its round."""

    def is_of(finding: Finding) -> bool:
        return all(str(row.get(name)) == str(value) for name, value in finding.key.items())

    return [finding for finding in findings if finding.table == table and is_of(finding)]


def agree_on(hands_in: Transaction, columns: Mapping[str, Mapping[str, str]], rng: Random) -> None:
    """Tamper with some records, and check that proven rounds show the same findings as replayed ones."""
    with undone(hands_in):
        for _ in range(rng.randint(1, 4)):
            name = rng.choice([name for name in AUDITED if name in OF_ROUNDS or name in ("events", "submissions")])
            table = Table(hands_in, name)
            row, column = rng.choice(table.rows()), rng.choice([*AUDITED[name].columns])
            change = rng.choice(("change", "empty", "delete", "insert"))
            if change == "change":
                table.change(column, columns[name][column], row)
            elif change == "insert":
                table.insert(row, columns[name])
            else:
                getattr(table, change)(row)
        commit(hands_in)
        page = verify_page(hands_in, Position(hands_in.club_id, Pass.ROUNDS))
        rulesets = rulesets_of(expect_club_records(audited.list_loose_events(hands_in))[0])
        every = Stretch()
        events = list(audited.read_events(hands_in, every, loose=False))
        findings = compare_rounds(hands_in, every, events, rulesets, {})
        findings += compare_figures(hands_in, every, rounds_of(hands_in, findings, tables=SUMMED_UP))
        findings += check_chains(events, audited.read_heads(hands_in, every))
        assert sorted(map(repr, page.findings)) == sorted(map(repr, findings))
        assert page.events == len(events)
