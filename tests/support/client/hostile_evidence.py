"""Evidence files with random changes, as somebody writes them who wants `ofc verify` to fail without a verdict."""

import copy
import json
from random import Random
from typing import Any, Final

from tests.support.client.forged_evidence import events_of, forge
from tests.support.client.release_evidence import newest_file

Document = dict[str, Any]

VALUES: Final = (
    *(None, True, False, 0, 1, -1, 2, 255, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**40, 0.5, -0.0, 1e308),
    *("", " ", "x", "0", "-1", "As", "As Ks", "\x00", "\u202e", "é" * 3, "AAAA", "====", "a" * 5000),
    *("9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "2026-02-30T25:61:61Z", "2026-11-20T20:15:00+99:99"),
    *("00000000-0000-0000-0000-000000000000", "10^9", "1e999", "final", "voided", "hi-lo@1", "__class__", "💶"),
    *([], {}, [None], [[]], {"": None}, {"1": None}, {"0": -1}, [1, 1], [{}], {"code": []}, [0] * 200),
)
"""Values of every kind, and those at the limits of a kind."""


_DEEPER: Final = 0.8
"""How often a change is inside of the part that was chosen, and not of the whole part."""


_LINES: Final = (*("0", "9999999999999999999", "-1", "٣", "", " ", "— x", "— tablestakes ", "— tablestakes AAAA"),)
"""Lines of a checkpoint at the limits of what it can hold."""


def change(document: Document, chosen: Random) -> Document:
    """Return a copy of an evidence file with one to three changes, of which some are in signed events."""
    if chosen.random() < 0.3:
        kind = chosen.choice(_kinds(document))
        document = forge(document, lambda of, content: of == kind and change_once(content, chosen))
    changed = copy.deepcopy(document)
    for _ in range(chosen.choice((0, 1, 1, 1, 2, 3))):
        change_once(changed, chosen)
    return changed


def change_once(document: Any, chosen: Random) -> None:
    """Replace, remove, add, exchange or repeat something at a random place of a document."""
    place = _choose(document, chosen)
    if place is None:
        return
    inside, step = place
    match chosen.randrange(7):
        case 0 | 1 | 2:
            inside[step] = copy.deepcopy(chosen.choice(VALUES))
        case 3:
            del inside[step]
        case 4 if isinstance(inside, dict):
            inside[chosen.choice(("", "x", "-1", "٣", "code"))] = inside[step]
        case 4:
            inside.insert(chosen.randrange(len(inside) + 1), copy.deepcopy(inside[step]))
        case 5:
            other, at = _choose(document, chosen) or place
            inside[step] = copy.deepcopy(other[at])
        case _:
            inside[step] = _near(inside[step], chosen)


def _near(value: Any, chosen: Random) -> Any:
    """Return a value of the same kind that differs a little."""
    if isinstance(value, str) and value:
        at = chosen.randrange(len(value))
        return value[:at] + chosen.choice("0x-\n ٣\x7f=") + value[at + chosen.randrange(2) :]
    if isinstance(value, list):
        return value[: chosen.randrange(len(value) + 1)] * chosen.randrange(1, 3)
    if isinstance(value, (int, float)):
        return -value if chosen.random() < 0.5 else value * 10 ** chosen.randrange(25)
    return [value]


def _choose(document: Any, chosen: Random) -> tuple[Any, Any] | None:
    """Return a random place of a document, as its container and the key or index in it; outer ones more often."""
    place = None
    while isinstance(document, dict | list) and document and (place is None or chosen.random() < _DEEPER):
        step = chosen.choice(list(document)) if isinstance(document, dict) else chosen.randrange(len(document))
        place = document, step
        document = document[step]
    return place


def _kinds(document: Document) -> list[str]:
    return sorted({event.kind for part in ("related", "events") for event in events_of(document, part)})


def hostile_file(seed: int) -> str:
    """Return the text of a file with the changes of a seed."""
    chosen = Random(seed)
    text = json.dumps(change(newest_file(), chosen))
    # Texts with half a character cannot be in an event, but in the file around it.
    return text.replace("e", "\\ud800", 1) if chosen.random() < 0.01 else text


def hostile_note(seed: int) -> str:
    """Return the file's checkpoint with the changes of a seed: characters and lines."""
    chosen = Random(seed)
    lines = newest_file()["checkpoint"].split("\n")
    for _ in range(chosen.randint(1, 3)):
        at = chosen.randrange(len(lines))
        match chosen.randrange(4):
            case 0:
                lines[at] = chosen.choice(_LINES)
            case 1:
                lines.insert(at, chosen.choice(lines))
            case 2:
                del lines[at]
            case _:
                lines[at] = _near(lines[at] or "x", chosen)
        lines = lines or [""]
    return "\n".join(lines)
