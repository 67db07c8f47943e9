"""Paths and filters of requests."""

from collections.abc import Mapping
from urllib.parse import quote

from client.errors import UnreadableError


def drop_none(filters: Mapping[str, str | None]) -> dict[str, str]:
    """Return the filters that have a value."""
    return {name: value for name, value in filters.items() if value is not None}


def build_path(*parts: str) -> str:
    """
    Build the path of a resource, with every part quoted.

    >>> build_path("rounds", "../tables?"), build_path("rulesets", "turbo@1")
    ('/v1/rounds/..%2Ftables%3F', '/v1/rulesets/turbo@1')

    Raises:
        UnreadableError: a part is empty, which would be the path of another resource.
    """
    if not all(parts):
        raise UnreadableError("a name or an id is empty; expected the name or the id of an existing record")
    return "/v1/" + "/".join(quote(part, safe="@") for part in parts)
