"""The records that a club must have besides its rounds, from its events."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, time
from hashlib import sha256
from typing import Any
from uuid import UUID

from evidence import EvidenceError
from evidence.events import (
    ChargeRecorded,
    ChargeReversed,
    ClubChanged,
    ClubCreated,
    EventPayload,
    KeyCreated,
    KeyRevoked,
    LinkIssued,
    LinkRevoked,
    PaymentClaimDeclined,
    PaymentClaimed,
    PaymentClaimWithdrawn,
    PaymentRecorded,
    PaymentReversed,
    PlayerErased,
    PlayerJoined,
    PlayerNamed,
    PlayerParted,
    ProposalConfirmed,
    ProposalOpened,
    ProposalWithdrawn,
    RulesetAdded,
    TableChanged,
    TableCreated,
    UnitDefined,
    decode_event,
)
from schemas.base import WireError
from schemas.rulesets import load_ruleset
from scoring.errors import ScoringError
from scoring.ruleset import Ruleset
from service.replays.comparing import Expected, Key, Row
from service.replays.findings import Finding, FindingKind
from service.verification.expected_payments import add_claim, add_payment, erase_notes
from service.verification.expected_proposals import add_proposal

Records = dict[str, dict[Key, dict[str, Any]]]


def expect_club_records(events: Iterable[Any]) -> tuple[Expected, list[Finding]]:
    """
    Return the records that a club must have, from its events that belong to no round.

    Returns:
        The records, and a finding for each event that cannot be decoded, whose records are missing.
    """
    records: Records = defaultdict(dict)
    unreadable = []
    for event in events:
        try:
            payload = decode_event(event.kind, bytes(event.content or b""))
            if payload is not None:
                _add(records, payload, event.id, event.at, event.actor)
        except (EvidenceError, KeyError, ValueError) as error:
            why = f"{event.kind}: {error}"
            unreadable.append(Finding(FindingKind.CONTENT_UNPLAYABLE, "events", {"id": str(event.id)}, "content", why))
    return records, unreadable


def rulesets_of(records: Expected) -> dict[str, Ruleset]:
    """Return the valid rulesets of a club, by name and version, from its records."""
    rulesets = {}
    for (name, version), row in records.get("rulesets", {}).items():
        try:
            rulesets[f"{name}@{version}"] = load_ruleset(row["content"])
        except (ScoringError, WireError):
            continue
    return rulesets


def _add(records: Records, event: EventPayload, event_id: UUID, at: datetime, actor: UUID | None) -> None:
    """
    Add the record of an event.

    Raises:
        KeyError: it changes a club or a table, revokes a key or a link, takes back a payment or a charge, ends a
            proposal or a claim, parts an alias, or erases a name, a note or a reason, that no earlier event created.
        ValueError: it names no version of a ruleset, or no time of day, or it ends a proposal that cannot end so.
    """
    match event:
        case ClubCreated():
            records["clubs"][(event.club,)] = {
                "name": event.name,
                "created_at": at,
                "time_zone": "UTC",
                "evening_begins": time(6),
                "second_auditor": False,
            }
        case ClubChanged():
            begins = time.fromisoformat(event.evening_begins)
            records["clubs"][(event.club,)] |= {
                "time_zone": event.time_zone,
                "evening_begins": begins,
                "second_auditor": event.second_auditor,
            }
        case PlayerNamed():
            records["players"][(event.player,)] = {
                "display_name": _of_name("display_name", event),
                "salt": _of_name("salt", event),
                "named_at": at,
            }
        case PlayerErased():
            erase_notes(records, event)
            if records["players"].pop((event.player,), None) is None and not event.notes:
                raise KeyError(event.player)
        case PlayerJoined():
            records["aliases"][(event.alias,)] = {"player": event.player, "id": event_id, "joined_at": at}
        case PlayerParted():
            if records["aliases"].pop((event.alias,))["player"] != event.player:
                raise KeyError(event.alias)
        case PaymentRecorded() | PaymentReversed() | ChargeRecorded() | ChargeReversed():
            add_payment(records, event, event_id, at)
        case ProposalOpened() | ProposalConfirmed() | ProposalWithdrawn():
            add_proposal(records, event, event_id, at, actor)
        case PaymentClaimed() | PaymentClaimDeclined() | PaymentClaimWithdrawn():
            add_claim(records, event, event_id, at)
        case KeyCreated():
            records["api_keys"][(event.key,)] = _key_record(event, at, actor)
        case KeyRevoked():
            records["api_keys"][(event.key,)]["revoked_at"] = event.revoked_at
        case LinkIssued():
            records["links"][(event.link,)] = _link_record(event, at)
        case LinkRevoked():
            records["links"][(event.link,)]["revoked_at"] = at
        case RulesetAdded():
            document, digest = event.document, sha256(event.ruleset).digest()
            key = document["name"], document["version"]
            records["rulesets"][key] = {"content": document, "digest": digest, "created_at": at}
        case UnitDefined():
            records["units"][(event.code,)] = {"name": event.name, "digits": event.digits, "defined_at": at}
        case TableCreated():
            records["tables"][(event.id,)] = {**_settings(event), "created_at": at, "archived_at": None}
        case TableChanged():
            records["tables"][(event.id,)] |= {**_settings(event), "archived_at": event.archived_at}


def _link_record(event: LinkIssued, at: datetime) -> dict[str, Any]:
    """Return the columns of a link, except its key."""
    return {
        "table_id": event.table,
        "round_id": event.round,
        "key_id": event.key,
        "kind": event.link_kind.value,
        "player": event.player,
        "label": _hashed("label", event.label),
        "scopes": list(event.scopes),
        "created_at": at,
        "expires_at": event.expires_at,
        "revoked_at": None,
        "secret_sha256": _secret(event.secret),
    }


def _settings(event: TableCreated | TableChanged) -> dict[str, Any]:
    """Return the columns of a table that its creation and its changes have."""
    name, _, version = event.ruleset.rpartition("@")
    return {
        "name": event.name,
        "ruleset_name": name,
        "ruleset_version": int(version),
        "point_value": event.point_value,
        "unit": event.unit,
        "unit_digits": event.unit_digits,
        "charge_per": event.charge_per,
        "charge_amount": event.charge_amount,
        "minimum_stack": event.minimum_stack,
        "correction_window_minutes": event.correction_window_minutes,
    }


def _key_record(event: KeyCreated, at: datetime, actor: UUID | None) -> dict[str, Any]:
    """Return the record of a key. The actor is the key that created it; the operator's command has none."""
    return {
        "name": event.name,
        "prefix": event.prefix,
        "scopes": list(event.scopes),
        "created_at": at,
        "expires_at": event.expires_at,
        "revoked_at": None,
        "secret_sha256": _secret(event.secret),
        "player": event.player,
        "created_by": actor,
        "replaces": event.replaces,
    }


def _of_name(column: str, event: PlayerNamed) -> Callable[[Row], Any]:
    """Return what a column of a player must be: the stored value, if name and salt have the digest of the event."""

    def right(row: Row) -> Any:
        name, salt = row["display_name"] or "", bytes(row["salt"] or b"")
        is_right = PlayerNamed.of(event.player, name, salt) == event
        return row[column] if is_right else f"one of the HMAC-SHA-256 {event.digest.hex()}"

    return right


def _hashed(column: str, digest: bytes) -> Callable[[Row], str]:
    def right(row: Row) -> str:
        kept = str(row[column] or "")
        return kept if sha256(kept.encode()).digest() == digest else f"one of the SHA-256 {digest.hex()}"

    return right


def _secret(digest: bytes) -> Callable[[Row], bytes | str]:
    def right(row: Row) -> bytes | str:
        kept = bytes(row["secret_sha256"] or b"")
        return kept if sha256(kept).digest() == digest else f"one of the SHA-256 {digest.hex()}"

    return right
