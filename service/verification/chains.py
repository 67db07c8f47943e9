"""Events held against their own bytes, and each against the one before it in its round."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import numpy as np

from evidence.envelope import TAG
from service.recomputations.packed.rounds import Flags
from service.verification.findings import MOST_NAMED, Finding, FindingKind
from service.verification.matrices import hashes_of
from service.verification.queries.at_once import KeptEvents, digests_of
from service.verification.written_headings import write_headings

_COLUMNS: Final = ("club_id", "id", "round_id", "sequence", "kind", "actor", "request_id", "at")
_CONTENT: Final = 9
_LENGTH_BYTES: Final = 4


def are_as_told(club_id: UUID, events: KeptEvents, contents: Sequence[bytes | None]) -> Flags:
    """
    Say which events are as they were written: of their columns, of the event before, and of what they say.

    Args:
        club_id: whose events.
        events: of rounds, in order, and in each round numbered from 1.
        contents: what each must say; of those that have None it is not known, and they are not.
    """
    rows = events.rows
    are_right: Flags = np.zeros(len(rows), np.bool_)
    sizes = np.fromiter((-1 if content is None else len(content) for content in contents), np.int64, len(contents))
    for headings in write_headings(club_id, events, sizes):
        some, start = headings.places, headings.heading
        told = [
            (written, contents[place] or b"", events.written[place])
            for place, written in zip(some.tolist(), digests_of(headings.written), strict=True)
        ]
        hashes = hashes_of(b"\0" + written[start:-_LENGTH_BYTES] + content for written, content, _ in told)
        are_kept = [written + content == kept for written, content, kept in told]
        are_right[some] = (hashes == rows["hash"][some]).all(axis=1) & are_kept
    return are_right


def check_chains(events: Iterable[list[bytes]], heads: Mapping[str, tuple[int, bytes]]) -> Iterator[Finding]:
    """
    Check events in the order of their rounds and numbers.

    A heading is written again from the columns and compared with the one that is kept, which is faster than reading it
    and the same.

    Args:
        events: their columns as bytes, and then heading, content and hash.
        heads: of each round among them the version and the hash of its last event.
    """
    round_id, number, previous = b"", 0, b""
    unseen = dict(heads)
    for event in events:
        in_round, heading, content, stored = event[2], event[8], event[9], event[10]
        if in_round != round_id:
            yield from _check_end(round_id, number, previous, unseen)
            round_id, number, previous = in_round, 0, b""
        fields = event[:8]
        written = [TAG]
        for field in fields:
            written += (len(field).to_bytes(4, "big"), field)
        written += (len(previous).to_bytes(4, "big"), previous, len(content).to_bytes(4, "big"))
        if b"".join(written) != heading:
            yield from _name_differences(event, previous)
        found = sha256(b"\0" + heading + content).digest()
        if found != stored:
            yield _finding(FindingKind.EVENT_HASH, event, "hash", stored.hex(), found.hex())
        if in_round:
            number += 1
            if event[3] != b"%d" % number:
                yield from _name_gap(event, number)
                number = int(event[3] or number)
            previous = found
    yield from _check_end(round_id, number, previous, unseen)
    for lost in unseen:
        yield Finding(FindingKind.EVENT_MISSING, "events", {"round_id": lost, "sequence": 1})


def _name_differences(event: list[bytes], previous: bytes) -> Iterator[Finding]:
    """Say which columns are not what the heading says."""
    told = _split(event[8])
    if told is None:
        yield _finding(FindingKind.EVENT_UNREADABLE, event, "heading", event[8].hex())
        return
    for column, kept, right in zip(_COLUMNS, event, told, strict=False):
        if kept != right:
            kind = FindingKind.EVENT_DIFFERS
            yield _finding(kind, event, column, kept.decode(), right.decode(errors="replace"))
    if told[8] != previous:
        yield _finding(FindingKind.CHAIN_BROKEN, event, "heading", told[8].hex(), previous.hex())
    if int.from_bytes(told[9], "big") != len(event[_CONTENT]):
        yield _finding(
            FindingKind.EVENT_DIFFERS, event, "content", len(event[_CONTENT]), int.from_bytes(told[9], "big")
        )


def _split(heading: bytes) -> list[bytes] | None:
    """Take a heading apart: nine fields, and the length of the content."""
    if not heading.startswith(TAG):
        return None
    fields, place = [], len(TAG)
    for _ in range(_CONTENT):
        first = place + 4
        place = first + int.from_bytes(heading[first - 4 : first], "big")
        fields.append(heading[first:place])
    return [*fields, heading[place:]] if place + 4 == len(heading) else None


def _name_gap(event: list[bytes], number: int) -> Iterator[Finding]:
    found = int(event[3] or 0)
    if found < number:
        yield _finding(FindingKind.EVENT_SURPLUS, event, "sequence", found, number)
    for missing in range(number, min(found, number + MOST_NAMED)):
        key = {"round_id": event[2].decode(), "sequence": missing}
        yield Finding(FindingKind.EVENT_MISSING, "events", key)


def _check_end(round_id: bytes, number: int, last: bytes, unseen: dict[str, tuple[int, bytes]]) -> Iterator[Finding]:
    """Hold the last event of a round against the round's head."""
    if not round_id:
        return
    name = round_id.decode()
    version, last_event = unseen.pop(name, (number, last))
    for missing in range(number + 1, min(version, number + MOST_NAMED) + 1):
        yield Finding(FindingKind.EVENT_MISSING, "events", {"round_id": name, "sequence": missing})
    if version < number:
        yield Finding(FindingKind.EVENT_SURPLUS, "round_heads", {"round_id": name}, "version", version, number)
    if last_event != last:
        key = {"round_id": name}
        yield Finding(FindingKind.CHAIN_BROKEN, "round_heads", key, "last_event", last_event.hex(), last.hex())


def _finding(kind: FindingKind, event: list[bytes], column: str, found: Any = None, right: Any = None) -> Finding:
    key = {"club_id": event[0].decode(), "id": event[1].decode()}
    return Finding(kind, "events", key, column, found, right)
