"""What of the API is deprecated: operations, query parameters and fields."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from service.openapi_components import find_schemas

_LEAST_NOTICE: Final = timedelta(days=365)
_TEXT: Final = {"type": "string"}
_LINK: Final = '`<…>; rel="deprecation"`: what replaces the deprecated part.'
_HEADERS: Final = {
    "Deprecation": {"schema": _TEXT, "description": "When a part of this operation was deprecated (RFC 9745)."},
    "Sunset": {"schema": _TEXT, "description": "When that part ends (RFC 8594)."},
}


@dataclass(frozen=True, slots=True)
class Deprecation:
    """
    The announced end of an operation, a query parameter or a field.

    Attributes:
        part: `list_rounds` is an operation, `list_rounds?from` its query parameter, `Round.reference` a field.
        announced: when it was deprecated.
        ends: when it stops working.
        replacement: URL of a page that describes what replaces it.
    """

    part: str
    announced: date
    ends: date
    replacement: str

    def __post_init__(self) -> None:
        """Refuse an end that breaks the promise of docs/versioning.md."""
        if self.ends < self.announced + _LEAST_NOTICE:
            raise ValueError(f"{self.part} ends on {self.ends}; expected twelve months after {self.announced} or later")

    @property
    def operation(self) -> str | None:
        """The ID of the operation; None for a field."""
        return None if "." in self.part else self.part.partition("?")[0]

    @property
    def parameter(self) -> str | None:
        """The name of the query parameter; None for an operation or a field."""
        return self.part.partition("?")[2] or None


DEPRECATIONS: Final[tuple[Deprecation, ...]] = ()
"""Everything that is deprecated at present."""


def describe_deprecations(contract: dict[str, Any], deprecations: Sequence[Deprecation]) -> None:
    """
    Mark what is deprecated in an OpenAPI document, and describe the headers of its responses.

    Raises:
        KeyError: the document does not have the part.
    """
    for deprecation in deprecations:
        _find_part(contract, deprecation)["deprecated"] = True
        for operation in find_operations(contract, deprecation):
            for response in operation["responses"].values():
                if "$ref" not in response:
                    _describe_headers(response.setdefault("headers", {}))


def find_operations(contract: dict[str, Any], deprecation: Deprecation) -> Iterator[dict[str, Any]]:
    """Yield the operations that have a deprecated part: of a field, those with it in a request or a response."""
    for operation in _operations(contract):
        if deprecation.operation is None:
            schemas = find_schemas(contract, operation.get("requestBody"), operation["responses"])
            has_part = deprecation.part.partition(".")[0] in schemas
        else:
            has_part = deprecation.operation == operation["operationId"]
        if has_part:
            yield operation


def _find_part(contract: dict[str, Any], deprecation: Deprecation) -> dict[str, Any]:
    if deprecation.operation is None:
        schema, _, field = deprecation.part.partition(".")
        found: dict[str, Any] = contract["components"]["schemas"][schema]["properties"][field]
        return found
    operations: dict[str, dict[str, Any]] = {each["operationId"]: each for each in _operations(contract)}
    operation = operations[deprecation.operation]
    if deprecation.parameter is None:
        return operation
    parameters: dict[str, dict[str, Any]] = {
        each["name"]: each for each in operation["parameters"] if each["in"] == "query"
    }
    return parameters[deprecation.parameter]


def _operations(contract: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in contract["paths"].values():
        yield from (operation for operation in path.values() if "operationId" in operation)


def _describe_headers(headers: dict[str, Any]) -> None:
    headers |= _HEADERS
    if 'rel="deprecation"' not in headers.get("Link", {}).get("description", ""):
        described = [headers["Link"]["description"]] if "Link" in headers else []
        headers["Link"] = {"schema": _TEXT, "description": " ".join([*described, _LINK])}
