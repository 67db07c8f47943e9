"""All formats of files, by name."""

import json
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import chain, islice
from typing import Final

from client.errors import UnreadableError
from client.formats.declaration import Format

_MODULES: Final = (
    "poker_arena",
    "chipzen",
    "giovinco",
    "pppoker",
    "swc",
    "recorder",
    "scorer_json",
    "pokernow",
    "csv_boards",
    "text",
)
"""The most particular first: a file is read as the first format that detects it."""
_SHOWN: Final = 60
_SAMPLE: Final = 50
"""Lines by which a file is recognized."""
_DOCUMENT: Final = frozenset({"seats", "ruleset", "table"})


@cache
def list_formats() -> tuple[Format, ...]:
    """
    Return every format.

    >>> [each.name for each in list_formats()][:3]
    ['poker-arena', 'chipzen', 'giovinco']
    """
    return tuple(import_module(f"client.formats.{name}").FORMAT for name in _MODULES)


def get_format(name: str) -> Format:
    """
    Return a format by its name.

    Raises:
        UnreadableError: there is none.
    """
    for each in list_formats():
        if each.name == name:
            return each
    raise UnreadableError(
        f"{name!r} is not a format; expected one of {', '.join(each.name for each in list_formats())}"
    )


def find_format(content: bytes, source: str) -> Format:
    """
    Return the format of a file, by its content.

    Raises:
        UnreadableError: no format detects it; the message has its beginning and the formats.
    """
    for each in list_formats():
        if each.detect(content):
            return each
    known = ", ".join(each.name for each in list_formats())
    raise UnreadableError(f"{source}: {_describe(content)}; expected one of the formats {known} (see `ofc formats`)")


def refuse_foreign(lines: Iterator[bytes], source: str) -> Iterator[bytes]:
    """
    Return the lines of a file of round documents.

    Raises:
        UnreadableError: the file begins like that of another tool, or like no document at all.
    """
    sample = list(islice(lines, _SAMPLE))
    first = next((line for line in sample if line.strip()), b"")
    if not first or _is_document(first):
        return chain(sample, lines)
    content = b"".join(sample)
    form = next((each for each in list_formats() if each.detect(content)), None)
    if form is not None:
        raise UnreadableError(
            f"{source}: this looks like {form.title}; expected round documents, or --format {form.name}"
        )
    if not first.lstrip().startswith(b"{"):
        find_format(content, source)
    return chain(sample, lines)


def _is_document(line: bytes) -> bool:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and not _DOCUMENT.isdisjoint(document)


def _describe(content: bytes) -> str:
    if not content.strip():
        return "the file is empty"
    line = next(_lines(content), "")
    shown = line[:_SHOWN] + ("…" if len(line) > _SHOWN else "")
    return f"the format is not known; the file begins with {shown!r}"


def _lines(content: bytes) -> Iterator[str]:
    for line in content[:4096].decode("utf-8", errors="replace").splitlines():
        if line.strip():
            yield line.strip()
