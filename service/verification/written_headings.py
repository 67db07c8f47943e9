"""Headings of events written from arrays, those of one layout at once."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from uuid import UUID

import numpy as np

from evidence.envelope import TAG
from service.recomputations.packed.rounds import Integers
from service.verification.matrices import alike, bytes_of, join, lay
from service.verification.queries.at_once import EPOCH, KINDS, KeptEvents, written_ids

_LENGTH: Final = np.dtype(">u4")
_EPOCH: Final = np.datetime64(EPOCH.replace(tzinfo=None), "us")


class WrittenHeadings(NamedTuple):
    """
    What is to be kept of some events before what they say.

    Attributes:
        places: [events], where they stand among all.
        heading: where the heading starts; the last four bytes are the length of the content once more.
        written: [events, bytes]: what the request was called, and the heading, each after its length.
    """

    places: Integers
    heading: int
    written: Any


def write_headings(club_id: UUID, events: KeptEvents, sizes: Integers) -> Iterator[WrittenHeadings]:
    """
    Write the headings of events from their columns.

    Args:
        club_id: whose events.
        events: of rounds, in order, and in each round numbered from 1.
        sizes: [events], how long their contents are; those that have -1 are left out.
    """
    rows = events.rows
    ids, rounds, actors = (written_ids(rows[name]) for name in ("id", "round", "actor"))
    times, previous = _written_times(rows["at"]), np.roll(rows["hash"], 1, axis=0)
    lengths = sizes.astype(_LENGTH).view(np.uint8).reshape(-1, _LENGTH.itemsize)
    requests = np.frombuffer(b"".join([written[: _LENGTH.itemsize] for written in events.written]), _LENGTH)
    layouts = rows["has_actor"], requests, rows["kind"], rows["sequence"], sizes >= 0
    for places in alike(layouts):
        has_actor, request, kind, number, is_wanted = (layout[places[0]] for layout in layouts)
        if not is_wanted:
            continue
        named = lay(events.written, places, _LENGTH.itemsize + int(request))
        heading = [
            bytes_of(TAG),
            *_field(bytes_of(str(club_id).encode())),
            *_field(ids[places]),
            *_field(rounds[places]),
            *_field(bytes_of(b"%d" % number)),
            *_field(bytes_of(KINDS[kind].encode())),
            *_field(actors[places] if has_actor else bytes_of(b"")),
            named,
            *_field(times[places]),
            *_field(bytes_of(b"") if number == 1 else previous[places]),
            lengths[places],
        ]
        in_heading = sum(part.shape[-1] for part in heading)
        parts = [named, _length(in_heading), *heading, lengths[places]]
        yield WrittenHeadings(places, named.shape[-1] + _LENGTH.itemsize, join(len(places), parts))


def _field(content: Any) -> tuple[Any, Any]:
    """Write a field of headings: after its length."""
    return _length(content.shape[-1]), content


def _length(size: int) -> Any:
    return bytes_of(size.to_bytes(_LENGTH.itemsize, "big"))


def _written_times(times: Any) -> Any:
    """Write times, as the database counts them, as headings do: [times, 27]; of many in a row that are equal, one."""
    changes = np.flatnonzero(np.diff(times, prepend=times[:1] - 1))
    moments = _EPOCH + times[changes].astype("timedelta64[us]")
    texts = np.char.add(np.datetime_as_string(moments, unit="us"), "Z").astype("S27")
    written = texts.view(np.uint8).reshape(-1, texts.itemsize)
    return written[np.repeat(np.arange(len(changes)), np.diff(changes, append=len(times)))]
