"""What must be recorded of a club beside its rounds: its keys, rulesets and tables, as events tell them."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from hashlib import sha256
from typing import Any

from evidence import EvidenceError
from evidence.events import (
    ClubCreated,
    EventPayload,
    KeyCreated,
    KeyRevoked,
    LinkRevoked,
    RulesetAdded,
    TableCreated,
    decode_event,
)
from schemas.base import WireError
from schemas.rulesets import load_ruleset
from scoring.errors import ScoringError
from scoring.ruleset import Ruleset
from service.verification.comparing import Key, Row, Told
from service.verification.findings import Finding, FindingKind

Records = dict[str, dict[Key, dict[str, Any]]]


def club_records(events: Iterable[Any]) -> tuple[Told, list[Finding]]:
    """
    Say what must be recorded of a club, from its events that belong to no round.

    Returns:
        The records, and the events that cannot be read: what these leave out is not in the records.
    """
    records: Records = defaultdict(dict)
    unreadable = []
    for event in events:
        try:
            payload = decode_event(event.kind, bytes(event.content or b""))
            if payload is not None:
                _add(records, payload, event.at)
        except (EvidenceError, KeyError, ValueError) as error:
            why = f"{event.kind}: {error}"
            unreadable.append(Finding(FindingKind.CONTENT_UNPLAYABLE, "events", {"id": str(event.id)}, "content", why))
    return records, unreadable


def rulesets_of(told: Told) -> dict[str, Ruleset]:
    """Give a club's rulesets, by name and version, as events tell them; without those that cannot be read."""
    rulesets = {}
    for (name, version), row in told.get("rulesets", {}).items():
        try:
            rulesets[f"{name}@{version}"] = load_ruleset(row["content"])
        except (ScoringError, WireError):
            continue
    return rulesets


def _add(records: Records, event: EventPayload, at: datetime) -> None:
    """
    Add what an event says.

    Raises:
        KeyError: it says something of a key of which no event before it speaks.
        ValueError: it names no version of a ruleset.
    """
    match event:
        case ClubCreated():
            records["clubs"][(event.club,)] = {"name": event.name, "created_at": at}
        case KeyCreated():
            records["api_keys"][(event.key,)] = {
                "name": event.name,
                "prefix": event.prefix,
                "scopes": list(event.scopes),
                "created_at": at,
                "expires_at": event.expires_at,
                "revoked_at": None,
                "secret_sha256": _secret(event.secret),
            }
        case KeyRevoked():
            records["api_keys"][(event.key,)]["revoked_at"] = event.revoked_at
        case LinkRevoked():
            records["revoked_links"][event.round, event.expires_at] = {"revoked_at": at}
        case RulesetAdded():
            document, digest = event.document, sha256(event.ruleset).digest()
            key = document["name"], document["version"]
            records["rulesets"][key] = {"content": document, "digest": digest, "created_at": at}
        case TableCreated():
            name, _, version = event.ruleset.rpartition("@")
            records["tables"][(event.id,)] = {
                "name": event.name,
                "ruleset_name": name,
                "ruleset_version": int(version),
                "point_value": event.point_value,
                "currency": event.currency,
                "minimum_stack": event.minimum_stack,
                "created_at": at,
                "correction_window_minutes": event.correction_window_minutes,
            }


def _secret(digest: bytes) -> Callable[[Row], bytes | str]:
    def right(row: Row) -> bytes | str:
        kept = bytes(row["secret_sha256"] or b"")
        return kept if sha256(kept).digest() == digest else f"one of the SHA-256 {digest.hex()}"

    return right
