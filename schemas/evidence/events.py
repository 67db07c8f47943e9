"""Audit events as bytes: what is stored is what is hashed and what is served."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from schemas.evidence.errors import refuse
from schemas.evidence.tree import HASH_BYTES, hash_leaf

TAG: Final = b"tablestakes/event/1\n"
"""Says how the bytes after it are to be read; another way of writing events gets another number."""

_LENGTH_BYTES: Final = 4
_FIELDS: Final = ("club", "id", "round", "sequence", "kind", "actor", "request", "at", "previous", "content")


@dataclass(frozen=True, slots=True)
class Event:
    """
    One change: what happened, when, and who made it.

    Attributes:
        club: whose records were changed.
        id: of the event.
        round_id: the round that it happened in; None for what belongs to no round.
        sequence: its number in the round, from 1 without a gap.
        kind: what happened.
        actor: the key that asked for it; None where the server did it, or its owner at the command line.
        request_id: what the request was called.
        at: when, to the microsecond.
        previous: the hash of the event before it in the round; nothing for the first, and for what belongs to no round.
        content: what says it in full, byte for byte.
    """

    club: UUID
    id: UUID
    round_id: UUID | None
    sequence: int | None
    kind: str
    actor: UUID | None
    request_id: str | None
    at: datetime
    previous: bytes
    content: bytes


def write_event(event: Event) -> bytes:
    r"""
    Write an event: the tag, then every field after its length in four bytes, big-endian; what there is not is empty.

    The content comes last, so that it can be kept by itself and the heading before it.

    >>> at = datetime(2026, 11, 20, 21, 5, tzinfo=UTC)
    >>> written = write_event(Event(UUID(int=1), UUID(int=2), None, None, "table.created", None, None, at, b"", b"{}"))
    >>> written[:24], written[-6:]
    (b'tablestakes/event/1\n\x00\x00\x00$', b'\x00\x00\x00\x02{}')
    """
    return write_heading(event) + event.content


def write_heading(event: Event) -> bytes:
    """Write what comes before an event's content, the content's length included."""
    fields = (
        str(event.club).encode(),
        str(event.id).encode(),
        b"" if event.round_id is None else str(event.round_id).encode(),
        b"" if event.sequence is None else str(event.sequence).encode(),
        event.kind.encode(),
        b"" if event.actor is None else str(event.actor).encode(),
        b"" if event.request_id is None else event.request_id.encode(),
        _write_time(event.at),
        event.previous,
    )
    written = [TAG]
    for field in fields:
        written += (len(field).to_bytes(_LENGTH_BYTES, "big"), field)
    written.append(len(event.content).to_bytes(_LENGTH_BYTES, "big"))
    return b"".join(written)


def read_event(written: bytes) -> Event:
    """
    Read what `write_event` wrote, and nothing else: the same event has one way of being written.

    Raises:
        EvidenceError: it is no event, or is not written as it would be.
    """
    fields = _split(written)
    try:
        event = _load(fields)
    except ValueError as error:
        refuse("event-unreadable", f"a field cannot be read: {error}")
    if event.previous and len(event.previous) != HASH_BYTES:
        refuse("event-unreadable", f"the hash before has {len(event.previous)} bytes; {HASH_BYTES}, or none, are right")
    if (event.round_id is None) != (event.sequence is None):
        refuse("event-unreadable", "an event of a round has its number in it, and no other event has one")
    if write_event(event) != written:
        refuse("event-unreadable", "a field is not written in its one form, such as an id in small letters")
    return event


def hash_event(written: bytes) -> bytes:
    """
    Hash an event as a leaf of the tree, which is also how the next event of its round names it.

    >>> hash_event(b"").hex()
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'
    """
    return hash_leaf(written)


def _split(written: bytes) -> dict[str, bytes]:
    if not written.startswith(TAG):
        refuse("event-unreadable", f"the bytes do not begin with {TAG!r}; an event of this format does")
    fields, place = {}, len(TAG)
    for name in _FIELDS:
        first = place + _LENGTH_BYTES
        last = first + int.from_bytes(written[place:first], "big")
        if first > len(written) or last > len(written):
            refuse("event-unreadable", f"the bytes end within the field {name!r}")
        fields[name] = written[first:last]
        place = last
    if place != len(written):
        refuse("event-unreadable", f"{len(written) - place} bytes follow the last field; none are right")
    return fields


def _load(fields: dict[str, bytes]) -> Event:
    text = {name: field.decode() for name, field in fields.items() if name not in ("previous", "content")}
    if not text["at"].endswith("Z"):
        raise ValueError(f"{text['at']!r} is no time in UTC")
    return Event(
        club=UUID(text["club"]),
        id=UUID(text["id"]),
        round_id=UUID(text["round"]) if text["round"] else None,
        sequence=int(text["sequence"]) if text["sequence"] else None,
        kind=text["kind"],
        actor=UUID(text["actor"]) if text["actor"] else None,
        request_id=text["request"] or None,
        at=datetime.fromisoformat(text["at"]),
        previous=fields["previous"],
        content=fields["content"],
    )


def _write_time(at: datetime) -> bytes:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z").encode()
