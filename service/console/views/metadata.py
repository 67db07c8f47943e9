"""Metadata in the forms of the console: one entry a line."""

from collections.abc import Mapping

from schemas.base import WireError, show
from schemas.metadata import Metadata
from scoring.errors import Mistake


def write_entries(metadata: Metadata) -> str:
    r"""
    Return metadata as the text of a form, by their keys.

    >>> write_entries({"floor": "2", "city": "Lyon"})
    'city=Lyon\nfloor=2'
    """
    return "\n".join(f"{key}={text}" for key, text in sorted(metadata.items()))


def read_entries(written: str) -> dict[str, str]:
    r"""
    Return the metadata of the text of a form, as a request of the API has them. A line without a text has an empty one.

    >>> read_entries("city = Lyon\r\n\r\nfloor=2=ground\nattic")
    {'city': 'Lyon', 'floor': '2=ground', 'attic': ''}

    Raises:
        WireError: two lines have the same key.
    """
    entries: dict[str, str] = {}
    for number, line in enumerate(written.splitlines(), start=1):
        if not line.strip():
            continue
        key, _, text = (part.strip() for part in line.partition("="))
        if key in entries:
            detail = f"line {number} has the key {show(key)} again; expected each key once"
            raise WireError((Mistake("json-key-twice", ("metadata",), detail),))
        entries[key] = text
    return entries


def edit_entries(metadata: Metadata, form: Mapping[str, str]) -> tuple[str, str]:
    """Return the texts of a form: what was sent, or else the metadata as they are, and what its page showed."""
    text = write_entries(metadata)
    return form.get("metadata", text), form.get("shown:metadata", text)


def read_changed(form: Mapping[str, str]) -> dict[str, str] | None:
    """Return the metadata of a form if they differ from what its page showed; None if they are the same."""
    shown = form.get("shown:metadata", "")
    entries = read_entries(form.get("metadata", shown))
    return None if entries == read_entries(shown) else entries
