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
from service.clubs.scopes import SCOPE_DESCRIPTIONS
from service.examples import add_examples
from service.version import VERSION

TITLE: Final = "Tablestakes"
PROBLEM_TYPE: Final = "application/problem+json"

DESCRIPTION: Final = """\
Scores and settles finished hands of Open Face Chinese poker: fouls, rows, royalties, Fantasyland and table stakes.

A client sends what happened (cards, button, stacks) and reads the result (points, fouls, transfers). Cards are \
rank then suit, `"As"`; rows are arrays of cards; points are whole numbers; a foul is a result, not an error.

Each key has a limit of requests per minute: every response has the limit in `RateLimit-Policy` (`q`), and in \
`RateLimit` the remaining requests (`r`) and the seconds until the limit resets (`t`).
"""


KEY_DESCRIPTION: Final = (
    "One of the club's keys. Each operation names the scope that a key needs, or some of which one is enough.\n\n"
    + "\n\n".join(f"- `{scope}`: {opened}" for scope, opened in SCOPE_DESCRIPTIONS.items())
)

REQUEST_ID: Final = {
    "Request-Id": {
        "schema": {"type": "string", "format": "uuid"},
        "description": "ID of the request, as in the server's log.",
    }
}
_OF_A_STATUS: Final = {
    HTTPStatus.UNAUTHORIZED: {
        "WWW-Authenticate": {
            "schema": {"type": "string", "const": "Bearer"},
            "description": "The accepted authentication scheme.",
        }
    },
    HTTPStatus.TOO_MANY_REQUESTS: {
        "Retry-After": {
            "schema": {"type": "integer", "minimum": 1, "maximum": 60},
            "description": "Seconds to wait before the next request.",
        }
    },
}
PATH_PARAMETERS: Final = {
    "address": "ID of the checkpoint.",
    "dispute_id": "ID of the dispute.",
    "hand_id": "ID of the hand.",
    "import_id": "ID of the import.",
    "key_id": "ID of the key.",
    "number": "Number of the hand in the round, from 1.",
    "recomputation_id": "ID of the recomputation.",
    "reference": "Ruleset, as a name (newest version) or `name@version`.",
    "round_id": "ID of the round.",
    "table_id": "ID of the table.",
    "token": "Token of the viewer link.",
}
"""Descriptions of the parameters that Flask reads from the path, by name."""
SERVER_ERRORS: Final = {
    HTTPStatus.REQUEST_URI_TOO_LONG: "the URL is too long; expected at most about 4,000 characters",
    HTTPStatus.EXPECTATION_FAILED: "the value of the header Expect is not supported; expected '100-continue'",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "the headers are too many or too long; a hundred at most are accepted,"
    " and eight thousand characters in each",
    HTTPStatus.NOT_IMPLEMENTED: "the value of the header Transfer-Encoding is not supported; expected 'chunked'",
}
"""What is said of a request that the web server refuses before it is known what it asks for, by status."""
_ORDER: Final = ("openapi", "info", "servers", "security", "tags", "paths", "components")


class ContractApi(flask_smorest.Api):
    """The API's contract, with problem documents for errors."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME = None

    @cached_property
    def document(self) -> dict[str, Any]:
        """Give the contract of the application, to which nothing is added once it serves."""
        return build_contract(self)

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


def build_contract(api: ContractApi) -> dict[str, Any]:
    """Give the contract as one document, in the order in which it is read."""
    contract = _plain(api.spec.to_dict())
    described = dict(_docstrings(WireSchema))
    for name, schema in contract["components"]["schemas"].items():
        schema["description"] = described[name]
    for item in contract["paths"].values():
        for parameter in item.get("parameters", []):
            if "description" not in parameter:
                parameter["description"] = PATH_PARAMETERS[parameter["name"]]
    for operation in (operation for path in contract["paths"].values() for operation in path.values()):
        if "responses" in operation:
            operation["responses"] = dict(sorted(operation["responses"].items()))
    add_examples(contract)
    for status, detail in SERVER_ERRORS.items():
        _show_early_refusal(contract, status, detail)
    return {part: contract[part] for part in _ORDER}


def _show_early_refusal(contract: dict[str, Any], status: HTTPStatus, detail: str) -> None:
    """Show an example of a problem that the application does not answer itself."""
    response, examples = contract["components"]["responses"].get(status.name), contract["components"]["examples"]
    if response is not None:
        name = f"problem.{status.value}"
        like = examples["problem.json-invalid"]["value"]
        problem = {"type": "/problems/request-malformed", "title": "Malformed request", "status": status.value}
        value = {**like, **problem, "code": "request-malformed", "detail": detail, "errors": []}
        examples[name] = {"summary": problem["title"], "value": value}
        response["content"][PROBLEM_TYPE]["examples"] = {"request-malformed": {"$ref": f"#/components/examples/{name}"}}


def render(api: ContractApi) -> str:
    """Write the contract as YAML, always the same for the same code."""
    contract = build_contract(api)
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
