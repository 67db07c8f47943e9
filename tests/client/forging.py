"""What a forger with a signing key can make: files whose events say something else, chained, joined and signed anew."""

import copy
import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from schemas.evidence import (
    Checkpoint,
    Edge,
    Event,
    SigningKey,
    hash_event,
    hashes_of,
    inclusion_ranges,
    read_event,
    sign_note,
    write_event,
)
from schemas.hands import canonical_json

Document = dict[str, Any]
Change = Callable[[str, Document], object]
"""Changes what an event of a kind says."""

FORGER = SigningKey.make("tablestakes")


def events_of(document: Document, part: str = "events") -> list[Event]:
    """Read the events of a file."""
    return [read_event(b64decode(each["event"])) for each in document[part]]


def forge(document: Document, change: Change, *, without: str = "", kind: dict[str, str] | None = None) -> Document:
    """
    Change what events say, leave out those of a kind, or call them otherwise; then chain, join and sign the rest.

    The revisions of the file stay as they are.
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
            made = replace(
                event,
                content=canonical_json(content),
                kind=named,
                sequence=sequence,
                previous=before if sequence else b"",
            )
            parts[part].append(write_event(made))
            before = hash_event(parts[part][-1])
    return _join(copy.deepcopy(document), parts)


def _join(document: Document, parts: dict[str, list[bytes]]) -> Document:
    written = [*parts["related"], *parts["events"]]
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
    origin = f"tablestakes/clubs/{document['club']}"
    document["related"], document["events"] = proved[: len(parts["related"])], proved[len(parts["related"]) :]
    document["checkpoint"] = sign_note(Checkpoint(origin, edge.size, edge.root).text, [FORGER]).written
    document["keys"] = [FORGER.verifier.written]
    return document
