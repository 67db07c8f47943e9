"""Paths and queries of requests."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from client.errors import UnreadableError

Value = str | int | bool | Sequence[str] | None
"""A value of a query; None if it is not sent."""


def write_query(values: Mapping[str, Value]) -> dict[str, str]:
    """
    Write the values of a query as texts, without those that are not given.

    >>> write_query({"limit": 5, "foul": True, "dry_run": False, "kind": ["a", "b"], "table": None})
    {'limit': '5', 'foul': 'true', 'dry_run': 'false', 'kind': 'a,b'}
    """
    return {name: _write(value) for name, value in values.items() if value is not None}


def _write(value: str | int | Sequence[str]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int) else ",".join(value)


def build_path(template: str, **values: str | int) -> str:
    """
    Build the path of a resource, with every value quoted.

    >>> build_path("/v1/rounds/{round_id}/hands", round_id="../tables?")
    '/v1/rounds/..%2Ftables%3F/hands'
    >>> build_path("/v1/rulesets/{reference}", reference="turbo@1")
    '/v1/rulesets/turbo@1'
    >>> build_path("/v1/players/{player}", player="..")
    '/v1/players/%2E%2E'

    Raises:
        UnreadableError: a value is empty.
    """
    if "" in values.values():
        raise UnreadableError("a name or an id is empty; expected the name or the id of an existing record")
    return template.format_map({name: _quote(str(value)) for name, value in values.items()})


def _quote(text: str) -> str:
    """Quote a segment of a path. One of dots only would be a step in the path."""
    return "%2E" * len(text) if text in (".", "..") else quote(text, safe="@")
