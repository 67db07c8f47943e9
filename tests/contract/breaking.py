"""
Which changes of the contract break a client that was written against an older one.

A request must still be taken, so what it may hold must not become narrower. A response must still be understood, so
fields must not go and values must not become wider; fields that come are no break: clients skip what they do not know.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Part = dict[str, Any]

LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
EVERY_TYPE = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


@dataclass(frozen=True, order=True)
class Break:
    """A change that breaks clients: of which operation, at which of its fields if of one, and how."""

    operation: str
    field: str
    change: str

    def __str__(self) -> str:
        return f"`{self.operation}`{f' `{self.field}`' if self.field else ''}: {self.change}"


def find_breaks(old: Part, new: Part) -> list[Break]:
    """List every break between two contracts."""
    return sorted(set(_find_breaks(old, new)))


def find_unnamed(breaks: list[Break], changelog: str) -> list[Break]:
    """List the breaks that no line under a heading Breaking of the changelog's unreleased part names."""
    unreleased = changelog.partition("## [Unreleased]")[2].partition("\n## ")[0]
    # An item may go over several lines.
    items = re.split(r"\n- ", unreleased.partition("### Breaking\n")[2].partition("\n### ")[0])
    return [
        each
        for each in breaks
        if not any(f"`{each.operation}`" in item and (not each.field or f"`{each.field}`" in item) for item in items)
    ]


def _find_breaks(old: Part, new: Part) -> Iterator[Break]:
    after = {(method, path): operation for method, path, operation in _operations(new)}
    for method, path, was in _operations(old):
        name, now = f"{method.upper()} {path}", after.get((method, path))
        if now is None:
            yield Break(name, "", "is gone")
            continue
        if was.get("operationId") != now.get("operationId"):
            yield Break(name, "", f"is called {now.get('operationId')}, and was {was.get('operationId')}")
        yield from (Break(name, "", change) for change in _security(was["security"], now["security"]))
        for found in (_parameters(old, was, new, now), _body(old, was, new, now), _responses(old, was, new, now)):
            yield from (Break(name, field, change) for field, change in found)


def _operations(contract: Part) -> Iterator[tuple[str, str, Part]]:
    """Every operation, with what its path and the whole contract say for it."""
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                shared = item.get("parameters", [])
                secured = {"security": contract.get("security", []), **operation}
                yield method, path, {**secured, "parameters": [*shared, *operation.get("parameters", [])]}


Changes = Iterator[tuple[str, str]]
"""Fields and what changed about them."""


def _security(was: list[Part], now: list[Part]) -> Iterator[str]:
    ways = [set(way) for way in was] or [set()]
    if not all(any(set(way) <= had for way in now or [{}]) for had in ways):
        yield "needs a key that it did not need"
    scopes, still = ({scope for way in ways for scope in way.get("key", ())} for ways in (was, now))
    if still and (gone := scopes - still):
        yield f"is no longer opened by the scope {' or '.join(sorted(gone))}"


def _parameters(old: Part, was: Part, new: Part, now: Part) -> Changes:
    before = {_of(old, given)["name"]: _of(old, given) for given in was["parameters"]}
    after = {_of(new, given)["name"]: _of(new, given) for given in now["parameters"]}
    for name, given in before.items():
        if name not in after or after[name]["in"] != given["in"]:
            yield name, "can no longer be requested"
        else:
            yield from _narrower(old, given.get("schema", {}), new, after[name].get("schema", {}), name)
    for name, given in after.items():
        if given.get("required") and not before.get(name, {}).get("required"):
            yield name, "must be given"


def _body(old: Part, was: Part, new: Part, now: Part) -> Changes:
    before, after = _of(old, was.get("requestBody", {})), _of(new, now.get("requestBody", {}))
    if after.get("required") and not before.get("required"):
        yield "", "needs a body"
    for kind, sent in before.get("content", {}).items():
        if kind not in after.get("content", {}):
            yield "", f"no longer takes {kind}"
        else:
            yield from _narrower(old, sent.get("schema", {}), new, after["content"][kind].get("schema", {}), "")


def _responses(old: Part, was: Part, new: Part, now: Part) -> Changes:
    for status, response in was["responses"].items():
        if status not in now["responses"]:
            yield "", f"no longer responds with {status}"
            continue
        before, after = _of(old, response), _of(new, now["responses"][status])
        for header in before.get("headers", {}).keys() - after.get("headers", {}).keys():
            yield header, f"is no longer a header of {status}"
        for kind, given in before.get("content", {}).items():
            if kind not in after.get("content", {}):
                yield "", f"no longer returns {kind} with {status}"
            else:
                yield from _wider(old, given.get("schema", {}), new, after["content"][kind].get("schema", {}), "")


def _narrower(old: Part, was: Part, new: Part, now: Part, field: str) -> Changes:
    """What could be sent and no longer can."""
    was, now = _plain(old, was), _plain(new, now)
    for kind in sorted(_types(was) - _types(now)):
        yield field, f"no longer takes {kind}"
    for value in sorted(_values(was) - _values(now)) if "enum" in now else []:
        yield field, f"no longer takes {value}"
    if "enum" in now and "enum" not in was:
        yield field, "takes a few values only"
    for rule in ("pattern", "format", "const", "uniqueItems"):
        if now.get(rule) and now[rule] != was.get(rule):
            yield field, f"has another {rule}"
    for bounds, worse in ((LEAST, 1), (MOST, -1)):
        for bound in bounds:
            if bound in now and (bound not in was or (now[bound] - was[bound]) * worse > 0):
                yield field, f"has a narrower {bound}"
    fields = now.get("properties", {})
    for name, part in was.get("properties", {}).items():
        if name in fields:
            yield from _narrower(old, part, new, fields[name], name)
        elif now.get("additionalProperties") is False:
            yield name, "can no longer be sent"
    for name in sorted(set(now.get("required", [])) - set(was.get("required", []))):
        yield name, "must be sent"
    others = was.get("additionalProperties", True), now.get("additionalProperties", True)
    if others[0] is not False and others[1] is False:
        yield field, "takes no other fields"
    yield from _inside(_narrower, old, was, new, now, field)


def _wider(old: Part, was: Part, new: Part, now: Part, field: str) -> Changes:
    """What could be relied on in a response and no longer can."""
    was, now = _plain(old, was), _plain(new, now)
    for kind in sorted(_types(now) - _types(was)):
        yield field, f"can be {kind}"
    if "enum" in was:
        for value in sorted(_values(now) - _values(was)) if "enum" in now else ["anything"]:
            yield field, f"can be {value}"
    for rule in ("format", "const"):
        if rule in was and now.get(rule) != was[rule]:
            yield field, f"has another {rule}"
    fields = now.get("properties", {})
    for name, part in was.get("properties", {}).items():
        if name in fields:
            yield from _wider(old, part, new, fields[name], name)
        else:
            yield name, "is no longer returned"
    for name in sorted(set(was.get("required", [])) - set(now.get("required", []))):
        if name in fields:
            yield name, "can be missing"
    yield from _inside(_wider, old, was, new, now, field)


def _inside(compare: Any, old: Part, was: Part, new: Part, now: Part, field: str) -> Changes:
    """Compare what lists hold, and what objects hold under names of their own."""
    for place in ("items", "additionalProperties"):
        if isinstance(was.get(place), dict) and isinstance(now.get(place), dict):
            yield from compare(old, was[place], new, now[place], field)


def _of(contract: Part, part: Part) -> Part:
    """Follow a reference."""
    if "$ref" not in part:
        return part
    found: Any = contract
    for name in part["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    return {**_of(contract, found), **{name: value for name, value in part.items() if name != "$ref"}}


def _plain(contract: Part, part: Part) -> Part:
    """Write a schema that may be null, or is put together of one other, as that other with its types."""
    part = _of(contract, part)
    for way in ("anyOf", "oneOf", "allOf"):
        options = [_of(contract, option) for option in part.get(way, [])]
        others = [option for option in options if option.get("type") != "null"]
        if options and len(others) == 1:
            types = _types(others[0]) | ({"null"} if len(options) > 1 else set())
            return {**others[0], "type": sorted(types)}
    return part


def _types(part: Part) -> frozenset[str]:
    declared = part.get("type", sorted(EVERY_TYPE))
    types = frozenset([declared] if isinstance(declared, str) else declared)
    return types | {"integer"} if "number" in types else types


def _values(part: Part) -> set[str]:
    return {repr(value) for value in part.get("enum", []) if value is not None}
