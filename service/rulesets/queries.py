"""Rulesets: a club's own, and the presets that it has used."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sqlalchemy import ColumnElement, Text, cast, select
from sqlalchemy.dialects.postgresql import insert

from evidence import digest_of
from schemas.base import WireError
from schemas.rulesets import dump_ruleset, load_ruleset
from scoring.errors import ScoringError
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.errors import NotFound, RulesetConflict
from service.ledger.queries.events import EventKind, record_event
from service.rulesets.models import RulesetRecord


@dataclass(frozen=True, slots=True)
class StoredRuleset:
    """
    A version of a ruleset as it is stored.

    Attributes:
        digest: of the rules as they were when they were added.
        rules: None where what is stored is no ruleset.
    """

    name: str
    version: int
    digest: bytes
    rules: Ruleset | None

    @property
    def is_as_added(self) -> bool:
        """Whether the rules are those that were added."""
        rules = self.rules
        return (
            rules is not None
            and (rules.name, rules.version) == (self.name, self.version)
            and digest_ruleset(rules) == self.digest
        )


CONTENT: Final = cast(RulesetRecord.content, Text).label("ruleset_content")
"""What `parse_ruleset` reads; queries of other records that need their rules select it too."""


def add(transaction: Transaction, ruleset: Ruleset, event: bytes) -> None:
    """
    Keep a ruleset for good.

    A preset is added when the club first uses it, and again at no cost: equal rules under the same name and version are
    there already.

    Args:
        transaction: whose club's it becomes.
        ruleset: its version included.
        event: what the audit trail says of it.

    Raises:
        RulesetConflict: the version is there with other rules.
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
        raise stored_with_other_rules(ruleset)


def stored_with_other_rules(ruleset: Ruleset) -> RulesetConflict:
    """Say that a name and version belong to other rules."""
    return RulesetConflict(f"{ruleset} is stored with other rules; a change is a new version")


def list_digests(transaction: Transaction) -> dict[tuple[str, int], bytes]:
    """Give the digest of every version of every ruleset that the club has stored."""
    record = RulesetRecord
    mine = select(record.name, record.version, record.digest).where(record.club_id == transaction.club_id)
    return {(found.name, found.version): found.digest for found in transaction.execute(mine)}


@lru_cache(maxsize=256)
def digest_ruleset(ruleset: Ruleset) -> bytes:
    """Tell rules apart, whatever they are called."""
    return digest_of(dump_ruleset(ruleset))


def get(transaction: Transaction, name: str, version: int) -> Ruleset:
    """
    Read one version of a ruleset.

    Raises:
        NotFound: the club has none.
    """
    found = find(transaction, name, version)
    if found is None:
        raise NotFound(f"there is no ruleset {name}@{version}")
    return found


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


def list_all(transaction: Transaction) -> list[Ruleset]:
    """List every version of every ruleset that the club has stored, by name and version."""
    mine = select(CONTENT).where(RulesetRecord.club_id == transaction.club_id)
    contents = transaction.execute(mine.order_by(RulesetRecord.name, RulesetRecord.version)).scalars()
    return [parse_ruleset(content) for content in contents]


def list_readable(transaction: Transaction) -> list[StoredRuleset]:
    """List every version of every ruleset that the club has stored, also what cannot be read, by name and version."""
    record = RulesetRecord
    mine = select(record.name, record.version, record.digest, CONTENT).where(record.club_id == transaction.club_id)
    return [
        StoredRuleset(found.name, found.version, found.digest, _find_rules(found.ruleset_content))
        for found in transaction.execute(mine.order_by(record.name, record.version))
    ]


def _find_rules(content: str) -> Ruleset | None:
    try:
        return parse_ruleset(content)
    except (ScoringError, WireError):
        return None


@lru_cache(maxsize=256)
def parse_ruleset(content: str) -> Ruleset:
    """Read a stored ruleset; the same text is read once, for every hand needs its rules and they never change."""
    return load_ruleset(json.loads(content))


def _is(transaction: Transaction, name: str, version: int) -> tuple[ColumnElement[bool], ...]:
    record = RulesetRecord
    return record.club_id == transaction.club_id, record.name == name, record.version == version
