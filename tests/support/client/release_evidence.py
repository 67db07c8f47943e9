"""The evidence file of the newest release, and copies of it with one value changed."""

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from client.offline.verify import read_keys
from schemas.verification.proofs import read_signed
from tests.evidence.releases import FOLDER, RELEASES

NEWEST = RELEASES[-1]
Document = dict[str, Any]


def file_of(release: str, suffix: str) -> Path:
    return FOLDER / f"{release}.{suffix}"


@cache
def newest_file() -> Document:
    return dict(json.loads(file_of(NEWEST, "json").read_text(encoding="utf-8")))


KEYS = read_keys([file_of(NEWEST, "key").read_text(encoding="utf-8")])
OLDER = read_signed(file_of(NEWEST, "checkpoint").read_text(encoding="utf-8"))


def changed_at(path: tuple[str | int, ...], value: object) -> Document:
    """Return the file with another value at one place, which alone is copied."""
    document = copy.copy(newest_file())
    place: Any = document
    for step in path[:-1]:
        place[step] = copy.copy(place[step])
        place = place[step]
    place[path[-1]] = value
    return document


def leaves(document: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(document, dict | list) and document:
        steps = document.items() if isinstance(document, dict) else enumerate(document)
        for step, inner in steps:
            yield from leaves(inner, (*path, step))
    else:
        yield path, document


def other(value: Any, place: int = 0) -> Any:
    """Another value of the same kind, one character of which is another where it is a text."""
    if isinstance(value, bool) or value is None or isinstance(value, list | dict):
        return value is not True
    if isinstance(value, int):
        return value + 1
    place %= len(value)
    return value[:place] + ("x" if value[place] != "x" else "y") + value[place + 1 :]


LEAVES = list(leaves(newest_file()))
