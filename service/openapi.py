"""The OpenAPI document: generated from the code, committed, and checked to be in step."""

import re
from collections.abc import Iterator
from functools import cached_property
from http import HTTPStatus
from inspect import cleandoc
from typing import Any, Final

import flask_smorest
import yaml
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask

from schemas import pages
from schemas.base import WireSchema
from schemas.json_schema import FIELD_TYPES, OPENAPI_VERSION, name_schema
from schemas.problems import ProblemSchema
from service.examples import add_examples
from service.scopes import OPENS
from service.version import VERSION

TITLE: Final = "Tablestakes"
PROBLEM_TYPE: Final = "application/problem+json"

DESCRIPTION: Final = """\
Scores and settles finished hands of Open Face Chinese poker: fouls, rows, royalties, Fantasyland and table stakes.

A client sends what happened (cards, button, stacks) and reads what it comes to (points, fouls, transfers). Cards are \
rank then suit, `"As"`; rows are arrays of cards; points are whole numbers; a foul is a result, not an error.

A key may ask so many times a minute: every answer to one says in `RateLimit-Policy` how many times (`q`), and in \
`RateLimit` how many are left (`r`) and after how many seconds the next minute begins (`t`).
"""


KEY_DESCRIPTION: Final = (
    "One of the club's keys. Each operation names the scope that a key needs, or some of which one is enough.\n\n"
    + "\n\n".join(f"- `{scope}`: {opened}" for scope, opened in OPENS.items())
)

REQUEST_ID: Final = {
    "Request-Id": {"schema": {"type": "string", "format": "uuid"}, "description": "What the service's log calls it."}
}
_OF_A_STATUS: Final = {
    HTTPStatus.UNAUTHORIZED: {
        "WWW-Authenticate": {"schema": {"type": "string", "const": "Bearer"}, "description": "How a key is sent."}
    },
    HTTPStatus.TOO_MANY_REQUESTS: {
        "Retry-After": {
            "schema": {"type": "integer", "minimum": 1, "maximum": 60},
            "description": "Seconds after which to ask again.",
        }
    },
}
_ORDER: Final = ("openapi", "info", "servers", "security", "tags", "paths", "components")


class ContractApi(flask_smorest.Api):
    """The API's contract, with problem documents for errors."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME = None

    @cached_property
    def document(self) -> dict[str, Any]:
        """Give the contract of the application, to which nothing is added once it serves."""
        return contract_of(self)

    @cached_property
    def written(self) -> str:
        """Give the same as YAML."""
        return render(self)

    def _register_error_handlers(self) -> None:
        """Leave errors to the problem documents."""

    def _register_pagination_header(self) -> None:
        """Leave pages to the header `Link`."""

    def _register_responses(self) -> None:
        super()._register_responses()
        for status in HTTPStatus:
            response = self.spec.components.responses_lazy[status.name]
            content = response.get("content", {})
            if "application/json" in content:
                response["content"] = {PROBLEM_TYPE: content["application/json"]}
            response["headers"] = {**_OF_A_STATUS.get(status, {}), **REQUEST_ID}


def describe_api(app: Flask) -> ContractApi:
    """Prepare the contract of an application."""
    app.config.update(API_TITLE=TITLE, API_VERSION=VERSION, OPENAPI_VERSION=OPENAPI_VERSION)
    api = ContractApi(
        spec_kwargs={
            "marshmallow_plugin": MarshmallowPlugin(schema_name_resolver=name_schema),
            "info": {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}},
            "servers": [{"url": "/"}],
            "security": [{"key": []}],
        },
    )
    # Before the application is known, for the schemas of problems are described at once when it is.
    for field, kind in (*FIELD_TYPES, (pages.QueryInteger, "integer"), (pages.CursorField, "string")):
        api.register_field(field, kind, None)
    api.init_app(app)
    api.spec.components.security_scheme("key", {"type": "http", "scheme": "bearer", "description": KEY_DESCRIPTION})
    return api


def contract_of(api: ContractApi) -> dict[str, Any]:
    """Give the contract as one document, in the order in which it is read."""
    contract = _plain(api.spec.to_dict())
    described = dict(_docstrings(WireSchema))
    for name, schema in contract["components"]["schemas"].items():
        schema["description"] = described[name]
    for operation in (operation for path in contract["paths"].values() for operation in path.values()):
        if "responses" in operation:
            operation["responses"] = dict(sorted(operation["responses"].items()))
    add_examples(contract)
    return {part: contract[part] for part in _ORDER}


def render(api: ContractApi) -> str:
    """Write the contract as YAML, always the same for the same code."""
    contract = contract_of(api)
    return str(
        yaml.dump(contract, Dumper=_Dumper, default_flow_style=None, sort_keys=False, allow_unicode=True, width=120)
    )


class _Dumper(yaml.SafeDumper):
    """Writes on one line what holds nothing but plain values, so that a row of cards is a line, and no anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _plain(value: Any) -> Any:
    """Leave only what YAML writes without tags, and texts without the line breaks of the code."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, bool | int | float) or value is None else _flow(str(value))


def _flow(text: str) -> str:
    """Join lines into paragraphs."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text.strip())


def _docstrings(schema: type[WireSchema]) -> Iterator[tuple[str, str]]:
    for kind in schema.__subclasses__():
        yield name_schema(kind), _flow(cleandoc(kind.__doc__ or ""))
        yield from _docstrings(kind)
