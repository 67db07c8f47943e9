"""Read JSON objects from a file that is one JSON document, or has one a line."""

import json
from collections.abc import Iterator
from typing import Any, Final


def read_objects(content: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    r"""
    Yield each object with its place: the lines of a file, or the document or the elements of its array.

    What is not JSON is yielded as an empty object, so that it is reported and not lost.

    >>> list(read_objects(b'{"a": 1}\n{"a": 2}\n')), list(read_objects(b'[{"a": 1}]'))
    ([('line 1', {'a': 1}), ('line 2', {'a': 2})], [('element 1', {'a': 1})])
    """
    text = content.decode("utf-8-sig", errors="replace")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        yield from _read_lines(text)
        return
    if isinstance(whole, list):
        for number, element in enumerate(whole, 1):
            yield f"element {number}", element if isinstance(element, dict) else {}
    else:
        yield "line 1", whole if isinstance(whole, dict) else {}


def _read_lines(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            read = json.loads(line)
        except (ValueError, RecursionError):
            read = {}
        yield f"line {number}", read if isinstance(read, dict) else {}


_SAMPLE: Final = 50


def find_keys(content: bytes) -> list[set[str]]:
    """Return the keys of each of the first objects of a file; none if it is not JSON."""
    objects = []
    for _, element in read_objects(content):
        objects.append(set(element))
        if len(objects) == _SAMPLE:
            break
    return objects
