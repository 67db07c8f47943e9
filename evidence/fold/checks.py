"""Raise errors for events that contradict each other."""

from typing import NoReturn

from evidence.codec import show_place, show_value
from evidence.errors import EvidenceError
from scoring.errors import Mistake, Path


def expect(path: Path, found: object, right: object) -> None:
    """
    Check that a value of an event agrees with the events before it.

    Raises:
        EvidenceError: the value differs.
    """
    if found != right:
        contradict(path, f"`{show_place(path)}` is {_show(found)}; expected {_show(right)}")


def contradict(path: Path, detail: str) -> NoReturn:
    """
    Refuse a value of an event.

    Raises:
        EvidenceError: always.
    """
    raise EvidenceError((Mistake("event-content", path, detail),))


def refuse_event(detail: str) -> NoReturn:
    """
    Refuse an event that cannot follow those before it.

    Raises:
        EvidenceError: always.
    """
    raise EvidenceError((Mistake("event-impossible", (), detail),))


def _show(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_show, value))}]"
    return show_value(value) if value is None else str(value)
