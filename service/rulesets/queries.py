"""Stored rulesets: custom ones, and the presets that the club has used."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sqlalchemy import ColumnElement, Text, cast, select, text
from sqlalchemy.dialects.postgresql import insert

from evidence import digest_of
from schemas.base import WireError
from schemas.rulesets import dump_ruleset, load_ruleset
from scoring.errors import ScoringError
from scoring.ruleset import Ruleset
from service.audit_trail.queries.events import EventKind, record_event
from service.db import Transaction
from service.db.paging import count_rows
from service.errors import NotFound, RulesetConflict
from service.rulesets.models import RulesetRecord


@dataclass(frozen=True, slots=True)
class StoredRuleset:
    """
    A stored version of a ruleset.

    Attributes:
        digest: the digest of the rules when they were added.
        rules: the rules; None if the stored content is not a valid ruleset.
    """

    name: str
    version: int
    digest: bytes
    rules: Ruleset | None

    @property
    def is_as_added(self) -> bool:
        """Whether the rules are unchanged since they were added."""
        rules = self.rules
        return (
            rules is not None
            and (rules.name, rules.version) == (self.name, self.version)
            and digest_ruleset(rules) == self.digest
        )


CONTENT: Final = cast(RulesetRecord.content, Text).label("ruleset_content")
"""The column that `parse_ruleset` reads, for queries of other records that need their rules."""


def add(transaction: Transaction, ruleset: Ruleset, event: bytes) -> None:
    """
    Insert a ruleset, unless the same version is stored with the same rules.

    A preset is inserted when the club first uses it.

    Args:
        transaction: a transaction of the club.
        ruleset: the ruleset with its version.
        event: the event to record.

    Raises:
        RulesetConflict: the version is stored with other rules.
    """
    content = dump_ruleset(ruleset)
    digest = digest_ruleset(ruleset)
    statement = (
        insert(RulesetRecord)
        .values(
            club_id=transaction.club_id,
            name=ruleset.name,
            version=ruleset.version,
            content=content,
            digest=digest,
            created_at=transaction.now,
        )
        .on_conflict_do_nothing()
        .returning(RulesetRecord.version)
    )
    if transaction.execute(statement).first() is not None:
        record_event(transaction, EventKind.RULESET_ADDED, event)
        return
    there = transaction.execute(select(RulesetRecord.digest).where(*_is(transaction, ruleset.name, ruleset.version)))
    if there.scalar_one() != digest:
        raise ruleset_conflict(ruleset)


def ruleset_conflict(ruleset: Ruleset) -> RulesetConflict:
    """Return the error for a version that is stored with other rules."""
    return RulesetConflict(f"{ruleset} is stored with other rules; expected a new version for a change")


def list_digests(transaction: Transaction) -> dict[tuple[str, int], bytes]:
    """Return the digest of every stored version of every ruleset, by name and version."""
    record = RulesetRecord
    mine = select(record.name, record.version, record.digest).where(record.club_id == transaction.club_id)
    return {(row.name, row.version): row.digest for row in transaction.execute(mine)}


@lru_cache(maxsize=256)
def digest_ruleset(ruleset: Ruleset) -> bytes:
    """Compute the digest of a ruleset."""
    return digest_of(dump_ruleset(ruleset))


def get(transaction: Transaction, name: str, version: int) -> Ruleset:
    """
    Read one version of a ruleset.

    Raises:
        NotFound: the club has not stored this version.
    """
    ruleset = find(transaction, name, version)
    if ruleset is None:
        raise NotFound(f"there is no ruleset {name}@{version}")
    return ruleset


def find(transaction: Transaction, name: str, version: int) -> Ruleset | None:
    """Find one version of a ruleset that the club has stored."""
    content = transaction.execute(select(CONTENT).where(*_is(transaction, name, version))).scalar_one_or_none()
    return None if content is None else parse_ruleset(content)


def find_newest(transaction: Transaction, name: str) -> Ruleset | None:
    """Find the newest version of a ruleset that the club has stored."""
    mine = RulesetRecord.club_id == transaction.club_id
    newest = select(CONTENT).where(mine, RulesetRecord.name == name).order_by(RulesetRecord.version.desc()).limit(1)
    content = transaction.execute(newest).scalar_one_or_none()
    return None if content is None else parse_ruleset(content)


_USED_AT_TABLE: Final = text("""
    SELECT ruleset_name AS name, ruleset_version AS version FROM tables WHERE club_id = :club_id AND id = :table_id
    UNION SELECT ruleset_name, ruleset_version FROM round_heads WHERE club_id = :club_id AND table_id = :table_id
""")


def list_used(transaction: Transaction) -> set[tuple[str, int]] | None:
    """Return name and version of the rulesets of the only visible table and its rounds; None if all are visible."""
    if transaction.table_id is None:
        return None
    parameters = {"club_id": transaction.club_id, "table_id": transaction.table_id}
    return {(row.name, row.version) for row in transaction.execute(_USED_AT_TABLE, parameters)}


def list_all(transaction: Transaction) -> list[Ruleset]:
    """List every version of every ruleset that the club has stored, by name and version."""
    mine = select(CONTENT).where(RulesetRecord.club_id == transaction.club_id)
    contents = transaction.execute(mine.order_by(RulesetRecord.name, RulesetRecord.version)).scalars()
    return [parse_ruleset(content) for content in contents]


def count_others(transaction: Transaction, names: Collection[str], limit: int) -> int:
    """Count the stored versions of rulesets with other names than these, up to a limit."""
    mine = select(RulesetRecord.name).where(RulesetRecord.club_id == transaction.club_id)
    return count_rows(transaction, mine.where(RulesetRecord.name.not_in(names)), limit)


def list_readable(transaction: Transaction) -> list[StoredRuleset]:
    """List every stored version of every ruleset by name and version, including invalid ones."""
    record = RulesetRecord
    mine = select(record.name, record.version, record.digest, CONTENT).where(record.club_id == transaction.club_id)
    return [
        StoredRuleset(row.name, row.version, row.digest, _find_rules(row.ruleset_content))
        for row in transaction.execute(mine.order_by(record.name, record.version))
    ]


def _find_rules(content: str) -> Ruleset | None:
    try:
        return parse_ruleset(content)
    except (ScoringError, WireError):
        return None


@lru_cache(maxsize=256)
def parse_ruleset(content: str) -> Ruleset:
    """Parse a stored ruleset. Results are cached, because every hand needs its rules and they never change."""
    return load_ruleset(json.loads(content))


def _is(transaction: Transaction, name: str, version: int) -> tuple[ColumnElement[bool], ...]:
    record = RulesetRecord
    return record.club_id == transaction.club_id, record.name == name, record.version == version
