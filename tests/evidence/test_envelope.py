"""Events as bytes: read back as they were written, and in no other way."""

from contextlib import suppress
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import Event, EvidenceError, hash_event, read_event, write_event

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=20)
PLACES = st.none() | st.tuples(st.uuids(), st.integers(1, 2**31 - 1))


@st.composite
def events(draw: st.DrawFn) -> Event:
    round_id, sequence = draw(PLACES) or (None, None)
    return Event(
        club=draw(st.uuids()),
        id=draw(st.uuids()),
        round_id=round_id,
        sequence=sequence,
        kind=draw(TEXTS),
        actor=draw(st.none() | st.uuids()),
        request_id=draw(st.none() | TEXTS),
        at=draw(st.datetimes(timezones=st.just(UTC))),
        previous=draw(st.just(b"") | st.binary(min_size=32, max_size=32)),
        content=draw(st.binary(max_size=50)),
    )


OPENED = Event(
    club=UUID("0193f0c0-0000-7000-8000-000000000001"),
    id=UUID("0193f0c0-0000-7000-8000-000000000002"),
    round_id=UUID("0193f0c0-0000-7000-8000-000000000003"),
    sequence=1,
    kind="round.opened",
    actor=None,
    request_id="evening",
    at=datetime(2026, 11, 20, 21, 5, 0, 250_000, tzinfo=UTC),
    previous=b"",
    content=b"{}",
)
WRITTEN = (
    b"tablestakes/event/1\n"
    b"\x00\x00\x00$0193f0c0-0000-7000-8000-000000000001"
    b"\x00\x00\x00$0193f0c0-0000-7000-8000-000000000002"
    b"\x00\x00\x00$0193f0c0-0000-7000-8000-000000000003"
    b"\x00\x00\x00\x011"
    b"\x00\x00\x00\x0cround.opened"
    b"\x00\x00\x00\x00"
    b"\x00\x00\x00\x07evening"
    b"\x00\x00\x00\x1b2026-11-20T21:05:00.250000Z"
    b"\x00\x00\x00\x00"
    b"\x00\x00\x00\x02{}"
)


def test_an_event_is_written_to_the_byte_as_it_is_documented() -> None:
    assert write_event(OPENED) == WRITTEN
    assert hash_event(WRITTEN).hex() == "0feddff1b021da8c6631395eea85c9b037d187d7aec409dd30eef5c31861f3a7"


@given(event=events())
def test_an_event_is_read_as_it_was_written(event: Event) -> None:
    assert read_event(write_event(event)) == event


@given(event=events(), place=st.integers(0), byte=st.integers(0, 255))
def test_bytes_that_were_changed_are_no_event_or_another_one_with_another_hash(
    event: Event, place: int, byte: int
) -> None:
    written = write_event(event)
    place %= len(written)
    changed = written[:place] + bytes([byte]) + written[place + 1 :]
    if changed == written:
        return
    with suppress(EvidenceError):
        assert write_event(read_event(changed)) == changed
    assert hash_event(changed) != hash_event(written)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "do not begin with"),
        (WRITTEN[:-1], "end within the field 'content'"),
        (WRITTEN[:22], "end within the field 'club'"),
        (WRITTEN + b"x", "1 bytes follow the last field"),
        (WRITTEN.replace(b"f0c0", b"F0C0"), "not written in its canonical form"),
        (WRITTEN.replace(b"\x011", b"\x0201"), "not written in its canonical form"),
        (WRITTEN.replace(b"\x011", b"\x01x"), "cannot be read"),
        (
            WRITTEN.replace(b"\x00\x00\x00\x011", b"\x00\x00\x00\x00"),
            "a round without a number",
        ),
        (WRITTEN.replace(b"evening", b"even\xffng"), "cannot be read"),
        (WRITTEN.replace(b"250000Z", b"25000 Z"), "cannot be read"),
        (WRITTEN.replace(b"2026-11-20T21:05:00.250000Z", b"0001-01-01T00:00:00.0+12:00"), "no time in UTC"),
        (
            WRITTEN.replace(b"\x00\x00\x00\x00\x00\x00\x00\x02{}", b"\x00\x00\x00\x01p\x00\x00\x00\x02{}"),
            "'previous' has 1 bytes",
        ),
    ],
)
def test_an_invalid_event_is_refused_with_the_reason(data: bytes, message: str) -> None:
    with pytest.raises(EvidenceError, match=message):
        read_event(data)
