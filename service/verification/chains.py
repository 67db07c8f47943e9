"""Events compared with their own bytes, and each with the one before it in its round."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from evidence.envelope import TAG
from service.replays.findings import MOST_NAMED, Finding, FindingKind
from service.verification.queries.audited import Event

_COLUMNS: Final = ("club_id", "id", "round_id", "sequence", "kind", "actor", "request_id", "at")
_LENGTH_BYTES: Final = 4


def check_chains(events: Iterable[Event], heads: Mapping[str, tuple[int, bytes]]) -> Iterator[Finding]:
    """
    Check events in the order of their rounds and numbers.

    A heading is written again from the columns and compared with the stored one, which is faster than parsing it and
    shows the same.

    Args:
        events: of rounds in order, or of no round.
        heads: of each round among them the version and the hash of its last event.
    """
    round_id, number, previous = b"", 0, b""
    unseen = dict(heads)
    for event in events:
        if event.round_id != round_id:
            yield from _check_end(round_id, number, previous, unseen)
            round_id, number, previous = event.round_id, 0, b""
        if _write_heading(event, previous) != event.heading:
            yield from _name_differences(event, previous)
        digest = sha256(b"\0" + event.heading + event.content).digest()
        if digest != event.hash:
            yield _finding(FindingKind.EVENT_HASH, event, "hash", event.hash.hex(), digest.hex())
        if event.round_id:
            number += 1
            if event.sequence != b"%d" % number:
                yield from _name_gap(event, number)
                number = int(event.sequence or number)
            previous = digest
    yield from _check_end(round_id, number, previous, unseen)
    for lost in unseen:
        yield Finding(FindingKind.EVENT_MISSING, "events", {"round_id": lost, "sequence": 1})


def _write_heading(event: Event, previous: bytes) -> bytes:
    """Return the heading of an event with these columns, after an event of this hash."""
    written = [TAG]
    for field in (*event[: len(_COLUMNS)], previous):
        written += (len(field).to_bytes(_LENGTH_BYTES, "big"), field)
    written.append(len(event.content).to_bytes(_LENGTH_BYTES, "big"))
    return b"".join(written)


def _name_differences(event: Event, previous: bytes) -> Iterator[Finding]:
    """Yield the columns that differ from the heading."""
    headed = _split(event.heading)
    if headed is None:
        yield _finding(FindingKind.EVENT_UNREADABLE, event, "heading", event.heading.hex())
        return
    for column, stored, right in zip(_COLUMNS, event, headed, strict=False):
        if stored != right:
            yield _finding(FindingKind.EVENT_DIFFERS, event, column, stored.decode(), right.decode(errors="replace"))
    *_, named, size = headed
    if named != previous:
        yield _finding(FindingKind.CHAIN_BROKEN, event, "heading", named.hex(), previous.hex())
    length = int.from_bytes(size, "big")
    if length != len(event.content):
        yield _finding(FindingKind.EVENT_DIFFERS, event, "content", len(event.content), length)


def _split(heading: bytes) -> list[bytes] | None:
    """Return the nine fields of a heading and the length of the content; None where it is no heading."""
    if not heading.startswith(TAG):
        return None
    fields, place = [], len(TAG)
    for _ in range(len(_COLUMNS) + 1):
        first = place + 4
        place = first + int.from_bytes(heading[first - 4 : first], "big")
        fields.append(heading[first:place])
    return [*fields, heading[place:]] if place + 4 == len(heading) else None


def _name_gap(event: Event, number: int) -> Iterator[Finding]:
    sequence = int(event.sequence or 0)
    if sequence < number:
        yield _finding(FindingKind.EVENT_SURPLUS, event, "sequence", sequence, number)
    for missing in range(number, min(sequence, number + MOST_NAMED)):
        key = {"round_id": event.round_id.decode(), "sequence": missing}
        yield Finding(FindingKind.EVENT_MISSING, "events", key)


def _check_end(round_id: bytes, number: int, last: bytes, unseen: dict[str, tuple[int, bytes]]) -> Iterator[Finding]:
    """Compare the last event of a round with the round's head."""
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


def _finding(kind: FindingKind, event: Event, column: str, value: Any = None, right: Any = None) -> Finding:
    key = {"club_id": event.club_id.decode(), "id": event.id.decode()}
    return Finding(kind, "events", key, column, value, right)
