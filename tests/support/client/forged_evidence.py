"""Evidence files with changed events, chained, proved and signed again with a forger's key."""

import copy
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence import (
    Checkpoint,
    Edge,
    Event,
    MapEntry,
    SigningKey,
    canonical_json,
    hash_event,
    hashes_of,
    inclusion_ranges,
    prove_entry,
    read_event,
    root_of,
    sign_note,
    update_map,
    write_event,
)
from evidence.events import CheckpointSealed

Document = dict[str, Any]
Change = Callable[[str, Document], object]
"""Changes the content of an event of a kind."""

FORGER = SigningKey.make("tablestakes")


def events_of(document: Document, part: str = "events") -> list[Event]:
    """Return the events of a file."""
    return [read_event(b64decode(each["event"])) for each in document[part]]


def forge(
    document: Document,
    change: Change,
    *,
    without: str = "",
    kind: dict[str, str] | None = None,
    at: datetime | None = None,
    more: Sequence[tuple[str, Document]] = (),
) -> Document:
    """
    Change events, remove those of a kind, rename their kinds or move them all to a time; then chain, prove and sign
    the events again.

    Added events follow the last one of the round. The revisions of the file remain unchanged.
    """
    parts: dict[str, list[bytes]] = {}
    for part in ("related", "events"):
        before, parts[part] = b"", []
        for event in events_of(document, part):
            if event.kind == without:
                continue
            content = json.loads(event.content)
            change(event.kind, content)
            sequence = None if event.round_id is None else len(parts[part]) + 1
            named = (kind or {}).get(event.kind, event.kind)
            forgery = replace(
                event,
                content=canonical_json(content),
                kind=named,
                at=at or event.at,
                sequence=sequence,
                previous=before if sequence else b"",
            )
            parts[part].append(write_event(forgery))
            before = hash_event(parts[part][-1])
    last = events_of(document)[-1]
    for added, content in more:
        sequence = len(parts["events"]) + 1
        payload = canonical_json({"round": document["round"], **content})
        forgery = replace(last, id=uuid7(), kind=added, sequence=sequence, previous=before, content=payload)
        parts["events"].append(write_event(forgery))
        before = hash_event(parts["events"][-1])
    return _join(copy.deepcopy(document), parts)


def _join(document: Document, parts: dict[str, list[bytes]]) -> Document:
    sealed = _seal(document, parts["events"])
    written = [*parts["related"], *parts["events"], sealed]
    edge = Edge()
    nodes = {place: node for each in written for place, node in edge.append(hash_event(each))}
    proved = [
        {
            "event": b64encode(each).decode(),
            "position": position,
            "proof": [b64encode(node).decode() for node in hashes_of(inclusion_ranges(position, len(written)), nodes)],
        }
        for position, each in enumerate(written)
    ]
    sign(document, edge)
    *proved, document["sealed"] = proved
    document["related"], document["events"] = proved[: len(parts["related"])], proved[len(parts["related"]) :]
    return document


def sign(document: Document, edge: Edge) -> None:
    """Sign a tree."""
    signed = Checkpoint(f"tablestakes/clubs/{document['club']}", edge.size, edge.root)
    document["checkpoint"] = sign_note(signed.text, [FORGER]).written
    document["keys"] = [FORGER.verifier.written]


def _seal(document: Document, events: list[bytes]) -> bytes:
    """Return the last event of a checkpoint, for a map of rounds with the round of the file and some others."""
    round_id = UUID(document["round"])
    others = [MapEntry.of(UUID(int=number), 1, bytes(32)) for number in range(20)]
    tiles = update_map([*others, MapEntry.of(round_id, len(events), hash_event(events[-1]))], lambda _: {})
    proof = prove_entry(round_id, tiles)
    assert proof is not None
    document["newest"] = dump_newest(*proof)
    sealed = CheckpointSealed(map_root=root_of(tiles[""]))
    at = datetime(2026, 11, 20, 22, tzinfo=UTC)
    club = UUID(document["club"])
    return write_event(Event(club, uuid7(), None, None, sealed.kind, None, None, at, b"", sealed.encode()))


def dump_newest(entry: MapEntry, proof: Sequence[bytes]) -> Document:
    """Return the entry of a round as in an evidence file."""
    return {
        "sequence": entry.sequence,
        "event": b64encode(entry.event).decode(),
        "proof": [b64encode(node).decode() for node in proof],
    }
