"""What must be recorded of a club beside its rounds: its keys, rulesets and tables, as events tell them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import orjson

from schemas.base import WireError
from schemas.rulesets import load_ruleset
from scoring.errors import ScoringError
from scoring.ruleset import Ruleset
from service.audit import EventKind
from service.usecases.verification.comparing import Key, Row, Told
from service.usecases.verification.findings import Finding, FindingKind
from service.usecases.verification.told import is_untold

Records = dict[str, dict[Key, dict[str, Any]]]
Content = Mapping[str, Any]


def club_records(events: Iterable[Any]) -> tuple[Told, list[Finding]]:
    """
    Say what must be recorded of a club, from its events that belong to no round.

    Returns:
        The records, and the events that cannot be read, or tell too little: what these leave out is not in the records.
    """
    records: Records = defaultdict(dict)
    unreadable = []
    for event in events:
        try:
            if event.kind in _TELLING:
                _TELLING[event.kind](records, orjson.loads(event.content), event.at)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            kind = FindingKind.CONTENT_UNTOLD if is_untold(error) else FindingKind.CONTENT_UNPLAYABLE
            why = f"{event.kind}: {type(error).__name__} {error}"
            unreadable.append(Finding(kind, "events", {"id": str(event.id)}, "content", why))
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


def _club(records: Records, content: Content, at: datetime) -> None:
    records["clubs"][(UUID(content["club"]),)] = {"name": content["name"], "created_at": at}


def _key(records: Records, content: Content, at: datetime) -> None:
    told = records["api_keys"][(UUID(content["key"]),)] = {
        "name": content["name"],
        "prefix": content["prefix"],
        "scopes": content["scopes"],
        "created_at": at,
        "expires_at": _time(content["expires_at"]),
        "revoked_at": None,
    }
    told["secret_sha256"] = _secret(content["secret"])


def _secret(told: str) -> Callable[[Row], bytes | str]:
    def right(row: Row) -> bytes | str:
        kept = bytes(row["secret_sha256"] or b"")
        return kept if sha256(kept).hexdigest() == told else f"one of the SHA-256 {told}"

    return right


def _key_ends(records: Records, content: Content, _: datetime) -> None:
    told = records["api_keys"][(UUID(content["key"]),)]
    del told["revoked_at"]
    told["revoked_at"] = _time(content["revoked_at"])


def _ruleset(records: Records, content: Content, at: datetime) -> None:
    key = content["name"], content["version"]
    digest = sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).digest()
    records["rulesets"][key] = {"content": content, "digest": digest, "created_at": at}


def _table(records: Records, content: Content, at: datetime) -> None:
    name, _, version = content["ruleset"].rpartition("@")
    told = records["tables"][(UUID(content["id"]),)] = {
        "name": content["name"],
        "ruleset_name": name,
        "ruleset_version": int(version),
        **{column: content[column] for column in ("point_value", "currency", "minimum_stack")},
        "created_at": at,
    }
    told["correction_window_minutes"] = content["correction_window_minutes"]


def _link_ends(records: Records, content: Content, at: datetime) -> None:
    records["revoked_links"][UUID(content["round"]), _time(content["expires_at"])] = {"revoked_at": at}


_TELLING: Final[Mapping[str, Callable[[Records, Content, datetime], None]]] = {
    EventKind.CLUB_CREATED: _club,
    EventKind.KEY_CREATED: _key,
    EventKind.KEY_REVOKED: _key_ends,
    EventKind.LINK_REVOKED: _link_ends,
    EventKind.RULESET_ADDED: _ruleset,
    EventKind.TABLE_CREATED: _table,
}


def _time(written: str | None) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)
