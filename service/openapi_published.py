"""The contract as it is published: shorter than the whole contract, for people and for generators of clients."""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final

from evidence.events import EventKind
from schemas.feed.events import EVENTS
from schemas.json_schema import name_schema
from service.openapi_components import find_schemas

INTERNAL: Final = "x-internal"
"""Marks operations that are for the pages of the service."""
WHOLE: Final = "openapi-audit.yaml"
"""The file of the whole contract."""
_COMPONENTS: Final = "#/components/"


def publish(contract: dict[str, Any]) -> dict[str, Any]:
    """
    Return the contract without examples of bodies, contents of events, and operations of the pages of the service.

    Parameters and headers that occur more than once are components. The argument does not change.
    """
    published = deepcopy(contract)
    components = published["components"]
    paths = {path: _without_internal(item) for path, item in published["paths"].items()}
    published["paths"] = {path: item for path, item in paths.items() if set(item) - {"parameters"}}
    tags = {tag for operation in _list_operations(published) for tag in operation.get("tags", ())}
    published["tags"] = [tag for tag in published["tags"] if tag["name"] in tags]
    components["schemas"]["Event"] = _describe_any_event(contract)
    del components["examples"]
    for media in _list_media(published):
        media.pop("examples", None)
    used = find_schemas(published, published["paths"], published["webhooks"], components["responses"])
    components["schemas"] = {name: schema for name, schema in components["schemas"].items() if name in used}
    _share_parameters(published)
    _share_headers(published)
    return published


def _describe_any_event(contract: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of events of all kinds, without the content of each kind."""
    schema = contract["components"]["schemas"][name_schema(EVENTS[EventKind.HAND_RECORDED])]
    described = {
        "kind": {
            "type": "string",
            "maxLength": 100,
            "example": str(EventKind.HAND_RECORDED),
            "description": "Kind of the event. Ignore kinds that you do not know.",
        },
        "content": {
            "type": "object",
            "description": f"What happened, as it is signed. `{WHOLE}` has the fields of each kind.",
        },
        "result": {
            "type": ["object", "null"],
            "description": "Points and stacks after hands and corrections, as the records have them.",
        },
    }
    required = [name for name in schema["required"] if name != "result"]
    described = {"properties": schema["properties"] | described, "required": required}
    return {**schema, **described, "description": "An event of the feed."}


def _without_internal(item: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in item.items() if name == "parameters" or not part.get(INTERNAL)}


def _list_operations(contract: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for item in (*contract["paths"].values(), *contract["webhooks"].values()):
        yield from (part for name, part in item.items() if name != "parameters")


def _list_responses(contract: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for operation in _list_operations(contract):
        yield from operation["responses"].values()
    yield from contract["components"]["responses"].values()


def _list_media(contract: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every body of a request or a response."""
    for described in (
        *_list_responses(contract),
        *(each.get("requestBody", {}) for each in _list_operations(contract)),
    ):
        yield from described.get("content", {}).values()


def _share_parameters(contract: dict[str, Any]) -> None:
    items = contract["paths"].values()
    holders = [holder for holder in (*items, *_list_operations(contract)) if "parameters" in holder]
    named = [(each["name"], each) for holder in holders for each in holder["parameters"]]
    shared = _share(named)
    contract["components"]["parameters"] = shared
    for holder in holders:
        holder["parameters"] = [_refer("parameters", each["name"], each, shared) for each in holder["parameters"]]


def _share_headers(contract: dict[str, Any]) -> None:
    holders = [response for response in _list_responses(contract) if "headers" in response]
    shared = _share([(name, header) for holder in holders for name, header in holder["headers"].items()])
    contract["components"]["headers"] = shared
    for holder in holders:
        holder["headers"] = {
            name: _refer("headers", name, header, shared) for name, header in holder["headers"].items()
        }


def _share(named: list[tuple[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """
    Return the most frequent part of each name, if it occurs more than once.

    >>> _share([("limit", {"in": "query"}), ("limit", {"in": "query"}), ("limit", {}), ("cursor", {})])
    {'limit': {'in': 'query'}}
    """
    counted = Counter((name, repr(part)) for name, part in named)
    parts = {(name, repr(part)): part for name, part in named}
    shared: dict[str, dict[str, Any]] = {}
    for (name, written), times in counted.most_common():
        if times > 1:
            shared.setdefault(name, parts[name, written])
    return dict(sorted(shared.items()))


def _refer(kind: str, name: str, part: dict[str, Any], shared: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {"$ref": f"{_COMPONENTS}{kind}/{name}"} if shared.get(name) == part else part
