"""Audit events as bytes: the same bytes are stored, hashed and served."""

from dataclasses import dataclass
from datetime import MAXYEAR, UTC, datetime
from struct import Struct
from typing import Final
from uuid import UUID

from evidence.errors import refuse
from evidence.tree import HASH_BYTES, hash_leaf

TAG: Final = b"tablestakes/event/1\n"
"""The encoding of the bytes after it; another way of writing events gets another number."""

_LENGTH_BYTES: Final = 4
_PREFIX: Final = Struct(">I").pack
_FIELDS: Final = ("club", "id", "round", "sequence", "kind", "actor", "request", "at", "previous", "content")


@dataclass(frozen=True, slots=True)
class Event:
    """
    An event: what happened, when, and who did it.

    Attributes:
        club: whose records were changed.
        id: of the event.
        round_id: the round; None for an event outside of rounds.
        sequence: its number in the round, from 1 without gaps.
        kind: what happened.
        actor: the key of the request; None for the server itself and its command line.
        request_id: the id of the request.
        at: the time, to the microsecond.
        previous: the hash of the round's previous event; empty for the first, and outside of rounds.
        content: the encoded payload.
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
    Encode an event: the tag, then every field after its length in four bytes, big-endian; None is empty.

    The content comes last, so that it can be stored separately from the heading.

    >>> at = datetime(2026, 11, 20, 21, 5, tzinfo=UTC)
    >>> written = write_event(Event(UUID(int=1), UUID(int=2), None, None, "table.created", None, None, at, b"", b"{}"))
    >>> written[:24], written[-6:]
    (b'tablestakes/event/1\n\x00\x00\x00$', b'\x00\x00\x00\x02{}')
    """
    return write_heading(event) + event.content


def write_heading(event: Event) -> bytes:
    """Encode the heading of an event: all bytes before its content, including the content's length."""
    round_id = "" if event.round_id is None else str(event.round_id)
    headings = Headings(event.club, event.actor, event.request_id, event.at)
    return headings.write(str(event.id), round_id, event.sequence, event.kind, event.previous, event.content)


class Headings:
    """Encodes the headings of many events of one request; their common fields are encoded once."""

    def __init__(self, club: UUID, actor: UUID | None, request_id: str | None, at: datetime) -> None:
        self._start = TAG + _prefixed(str(club).encode())
        by_whom = (b"" if actor is None else str(actor).encode(), (request_id or "").encode(), _write_time(at))
        self._by_whom = b"".join(map(_prefixed, by_whom))

    def write(
        self, event_id: str, round_id: str, sequence: int | None, kind: str, previous: bytes, content: bytes
    ) -> bytes:
        """Encode the heading of one event; ids are texts, empty for None."""
        number = b"" if sequence is None else b"%d" % sequence
        return b"".join(
            (
                self._start,
                _prefixed(event_id.encode()),
                _prefixed(round_id.encode()),
                _prefixed(number),
                _prefixed(kind.encode()),
                self._by_whom,
                _prefixed(previous),
                _PREFIX(len(content)),
            )
        )


def read_event(written: bytes) -> Event:
    """
    Parse an event. Only the bytes that `write_event` returns are accepted.

    Raises:
        EvidenceError: the bytes are not an event in this encoding.
    """
    fields = _split(written)
    try:
        event = _load(fields)
    except ValueError as error:
        refuse("event-unreadable", f"a field of the event cannot be read: {error}")
    if event.previous and len(event.previous) != HASH_BYTES:
        refuse(
            "event-unreadable", f"the field 'previous' has {len(event.previous)} bytes; expected {HASH_BYTES} or none"
        )
    if (event.round_id is None) != (event.sequence is None):
        refuse(
            "event-unreadable",
            "the event has a round without a number or a number without a round; expected both or neither",
        )
    if write_event(event) != written:
        refuse("event-unreadable", "a field is not written in its canonical form, such as an id in small letters")
    return event


def hash_event(written: bytes) -> bytes:
    """
    Hash an event as a leaf of the tree; the round's next event contains the same hash.

    >>> hash_event(b"").hex()
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'
    """
    return hash_leaf(written)


def _prefixed(field: bytes) -> bytes:
    return _PREFIX(len(field)) + field


def _split(written: bytes) -> dict[str, bytes]:
    if not written.startswith(TAG):
        refuse(
            "event-unreadable", f"the bytes of the event do not begin with {TAG!r}, which marks an event of this format"
        )
    fields, place = {}, len(TAG)
    for name in _FIELDS:
        first = place + _LENGTH_BYTES
        last = first + int.from_bytes(written[place:first], "big")
        if first > len(written) or last > len(written):
            refuse("event-unreadable", f"the bytes of the event end within the field {name!r}")
        fields[name] = written[first:last]
        place = last
    if place != len(written):
        refuse("event-unreadable", f"{len(written) - place} bytes follow the last field of the event; expected none")
    return fields


def _load(fields: dict[str, bytes]) -> Event:
    text = {name: field.decode() for name, field in fields.items() if name not in ("previous", "content")}
    at = datetime.fromisoformat(text["at"])
    # Time is added to it: a settlement becomes final some time after the event.
    if not text["at"].endswith("Z") or at.year == MAXYEAR:
        raise ValueError(f"{text['at']!r} is no time in UTC before the year {MAXYEAR}")
    return Event(
        club=UUID(text["club"]),
        id=UUID(text["id"]),
        round_id=UUID(text["round"]) if text["round"] else None,
        sequence=int(text["sequence"]) if text["sequence"] else None,
        kind=text["kind"],
        actor=UUID(text["actor"]) if text["actor"] else None,
        request_id=text["request"] or None,
        at=at,
        previous=fields["previous"],
        content=fields["content"],
    )


def _write_time(at: datetime) -> bytes:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z").encode()
