"""Events held against their own bytes, and each against the one before it in its round."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from schemas.evidence.events import TAG
from service.usecases.verification.findings import MOST_NAMED, Finding, FindingKind

_COLUMNS: Final = ("club_id", "id", "round_id", "sequence", "kind", "actor", "request_id", "at")
_CONTENT: Final = 9
_HASH_BYTES: Final = 32
_ID: Final = 4 + 36
_ROUND: Final = slice(2 * _ID, 3 * _ID)
_SEQUENCE: Final = 3 * _ID
"""Where the third and the fourth of the columns begin that a heading is made of: two ids come before, as texts."""
_BEFORE_HASH: Final = bytes([0, 11, 0, 0, 0, _HASH_BYTES])
"""The number of columns of an event's row, and the length of the first."""
_HEADING_LENGTH: Final = len(_BEFORE_HASH) + _HASH_BYTES
_HEADING: Final = _HEADING_LENGTH + 4
_BEFORE_ROUND: Final = bytes([0, 3])
_BEFORE_VERSION: Final = bytes([0, 0, 0, 4])
_BEFORE_LAST: Final = bytes([0, 0, 0, _HASH_BYTES])
"""What is before the columns of a head's row; the round's id comes with its length."""


def are_chained(events: Iterable[bytes], heads: Iterable[bytes]) -> bool:
    """
    Say whether all events of rounds are as they were written, and none is missing; if not, `check_chains` says what.

    A row of COPY's binary format has every column after its length, and so has a heading: the columns are compared
    with it all at once, as they came.

    Args:
        events: rows as `copy_events` gives them.
        heads: rows as `copy_heads` gives them, of the same rounds.
    """
    ends = iter(heads)
    in_round, number, previous, last = b"", 0, b"", b""
    for row in events:
        begin = _HEADING + int.from_bytes(row[_HEADING - 4 : _HEADING], "big")
        length = row[begin : begin + 4]
        end = begin + 4 + int.from_bytes(length, "big")
        heading, content, columns = row[_HEADING:begin], row[begin + 4 : end], row[end:]
        if columns[_ROUND] != in_round:
            if in_round and next(ends, b"") != last:
                return False
            in_round, number, previous = columns[_ROUND], 0, b""
        number += 1
        digits = b"%d" % number
        before = len(previous).to_bytes(4, "big") + previous
        found = sha256(b"\0" + heading + content).digest()
        if (
            heading != TAG + columns + before + length
            or not columns.startswith(len(digits).to_bytes(4, "big") + digits, _SEQUENCE)
            or row[:_HEADING_LENGTH] != _BEFORE_HASH + found
        ):
            return False
        previous = found
        last = _BEFORE_ROUND + in_round + _BEFORE_VERSION + number.to_bytes(4, "big") + _BEFORE_LAST + found
    return (not in_round or next(ends, b"") == last) and next(ends, None) is None


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
