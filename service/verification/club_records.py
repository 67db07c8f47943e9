"""The records that a club must have besides its rounds, from its events."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, time
from hashlib import sha256
from typing import Any, Final
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
    MetadataChanged,
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
from service.texts.models import TextField
from service.verification.expected_payments import add_claim, add_payment
from service.verification.expected_proposals import add_proposal
from service.verification.expected_texts import expect_text, list_erased, stored_text, without_erased

Records = dict[str, dict[Key, dict[str, Any]]]
Owner = tuple[UUID | None, UUID | None, str | None]
"""What has metadata: the IDs of a record and of its round, or a player."""
_DIGEST: Final = "digest of the text"
"""Of a record with a text of its own, the digest in the event."""


def expect_club_records(events: Iterable[Any]) -> tuple[Expected, list[Finding]]:
    """
    Return the records that a club must have, from its events that belong to no round.

    Returns:
        The records, and a finding for each event that cannot be decoded, whose records are missing.
    """
    records: Records = defaultdict(dict)
    metadata: dict[tuple[Owner, bytes], int] = defaultdict(int)
    erased: set[bytes] = set()
    unreadable = []
    for event in events:
        try:
            payload = decode_event(event.kind, bytes(event.content or b""))
            if isinstance(payload, MetadataChanged):
                _count_metadata(metadata, payload)
            elif payload is not None:
                erased.update(list_erased(payload))
                _add(records, payload, event.id, event.at, event.actor)
        except (EvidenceError, KeyError, ValueError) as error:
            why = f"{event.kind}: {error}"
            unreadable.append(Finding(FindingKind.CONTENT_UNPLAYABLE, "events", {"id": str(event.id)}, "content", why))
    for ((record_id, round_id, player), digest), times in metadata.items():
        if times:
            row = expect_text(TextField.METADATA, digest, record_id, round_id, player)
            records["texts"][(digest,)] = dict(row)
    records["texts"] = {key: dict(row) for key, row in without_erased(records["texts"], erased).items()}
    _erase_in_records(records, erased)
    return records, unreadable


def _count_metadata(metadata: dict[tuple[Owner, bytes], int], event: MetadataChanged) -> None:
    """Count that metadata were set or replaced; the events can be in another order than the changes."""
    owner = event.record, event.round, event.player
    if event.metadata is not None:
        metadata[owner, event.metadata] += 1
    if event.replaced is not None:
        metadata[owner, event.replaced] -= 1


_INLINE: Final = {"api_keys": "name", "links": "label"}
"""The columns of texts that can be erased in records of their own, each with a salt."""


def _erase_in_records(records: Records, erased: set[bytes]) -> None:
    """Expect that names of keys and labels of links are gone if they were erased."""
    for table, column in _INLINE.items():
        for row in records[table].values():
            digest = row.pop(_DIGEST)
            for each in (column, f"{column}_salt"):
                is_erased = digest in erased
                row[each] = None if is_erased else stored_text(each, column, f"{column}_salt", digest)


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
            proposal or a claim, parts an alias, or erases a name, that no earlier event created.
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
                "display_name": stored_text("display_name", "display_name", "salt", event.digest),
                "salt": stored_text("salt", "display_name", "salt", event.digest),
                "named_at": at,
            }
        case PlayerErased():
            if records["players"].pop((event.player,), None) is None and not event.texts:
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
        _DIGEST: event.label,
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
        "reference": event.reference,
    }


def _key_record(event: KeyCreated, at: datetime, actor: UUID | None) -> dict[str, Any]:
    """Return the record of a key. The actor is the key that created it; the operator's command has none."""
    return {
        _DIGEST: event.name,
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


def _secret(digest: bytes) -> Callable[[Row], bytes | str]:
    def right(row: Row) -> bytes | str:
        kept = bytes(row["secret_sha256"] or b"")
        return kept if sha256(kept).digest() == digest else f"one of the SHA-256 {digest.hex()}"

    return right
