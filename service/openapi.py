"""The OpenAPI document, generated from the code."""

import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cached_property
from http import HTTPStatus
from inspect import cleandoc
from pathlib import Path
from typing import Any, Final

import flask_smorest
import yaml
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask

from schemas import pages
from schemas.accounting.club_statements import TablesField
from schemas.base import WireSchema
from schemas.documents import RoundDocumentRequestSchema, RoundDocumentSchema
from schemas.events import KindsField
from schemas.feed.events import EVENTS
from schemas.hand_lines import HandLineResultSchema, RoundNameSchema
from schemas.hands import HandRequestSchema
from schemas.jobs import ImportLineResultSchema, RecomputationDifferenceSchema
from schemas.json_schema import FIELD_TYPES, OPENAPI_VERSION, name_schema
from schemas.problems import ProblemSchema
from schemas.webhooks.messages import MESSAGES
from service.clubs.scopes import SCOPE_DESCRIPTIONS
from service.examples import add_examples
from service.openapi_components import prepare_for_generators
from service.version import VERSION

TITLE: Final = "Tablestakes"
_FILES: Final = tuple(folder / "openapi.yaml" for folder in Path(__file__).parents[:2])
CONTRACT: Final = next(filter(Path.is_file, _FILES), _FILES[-1])
"""The file of the OpenAPI document, which is rendered before the release: in the installed package, or beside it."""
NDJSON: Final = "application/x-ndjson"
PROBLEM_TYPE: Final = "application/problem+json"

DESCRIPTION: Final = """\
Scores and settles finished hands of Open Face Chinese poker: fouls, rows, royalties, Fantasyland and table stakes.

A client sends what happened (cards, button, stacks) and reads the result (points, fouls, transfers). Cards are \
rank then suit, `"As"`; rows are arrays of cards; points are whole numbers; a foul is a result, not an error.

Each key has a limit of requests per minute: every response has the limit in `RateLimit-Policy` (`q`), and in \
`RateLimit` the remaining requests (`r`) and the seconds until the limit resets (`t`).
"""


KEY_DESCRIPTION: Final = (
    "An API key of the club. Each operation lists the scopes of which the key needs one.\n\n"
    + "\n\n".join(f"- `{scope}`: {opened}" for scope, opened in SCOPE_DESCRIPTIONS.items())
    + "\n\nThe secret of a link to a table (`POST /v1/tables/{table_id}/links`) is sent in the same way. It can be used"
    " for the operations with `x-table-link`, and for this table only."
)

REQUEST_ID: Final = {
    "Request-Id": {
        "schema": {"type": "string", "format": "uuid"},
        "description": "ID of the request, as in the server's log.",
    }
}
IF_NONE_MATCH: Final[dict[str, Any]] = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "example": '"12.6b86b273ff34fce19d6b804eff5a3f57"',
    "description": "The `ETag` of a response that the client has. If it is still current, the response is a 304.",
}
"""The parameter of operations whose responses have a tag."""
_RETRY_AFTER: Final = {
    "Retry-After": {
        "schema": {"type": "integer", "minimum": 1, "maximum": 60},
        "description": "Seconds to wait before the next request. Omitted if it is not known.",
    }
}
_OF_A_STATUS: Final = {
    HTTPStatus.CONFLICT: _RETRY_AFTER,
    HTTPStatus.SERVICE_UNAVAILABLE: _RETRY_AFTER,
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
WEBHOOK_HEADERS: Final[list[dict[str, Any]]] = [
    {
        "in": "header",
        "name": "webhook-id",
        "required": True,
        "schema": {"type": "string", "format": "uuid"},
        "description": "ID of the message, the same for every attempt.",
    },
    {
        "in": "header",
        "name": "webhook-timestamp",
        "required": True,
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
        "description": "Time of the attempt, in seconds since 1970.",
    },
    {
        "in": "header",
        "name": "webhook-signature",
        "required": True,
        "schema": {"type": "string", "pattern": "^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$"},
        "description": "Signatures of the message, as Standard Webhooks defines them.",
    },
]
"""The headers of every message to a webhook."""
PATH_PARAMETERS: Final = {
    "address": "ID of the checkpoint.",
    "device_id": "ID that the device has given itself, as a UUID.",
    "dispute_id": "ID of the dispute.",
    "hand_id": "ID of the hand.",
    "delivery_id": "ID of the delivery.",
    "import_id": "ID of the import.",
    "key_id": "ID of the key.",
    "link_id": "ID of the link.",
    "number": "Number of the hand in the round, from 1.",
    "recomputation_id": "ID of the recomputation.",
    "reference": "Ruleset, as a name (newest version) or `name@version`.",
    "round_id": "ID of the round.",
    "table_id": "ID of the table.",
    "token": "Token of the viewer link.",
    "webhook_id": "ID of the webhook.",
}
"""Descriptions of the parameters that Flask reads from the path, by name."""
SERVER_ERRORS: Final = {
    HTTPStatus.REQUEST_URI_TOO_LONG: "the URL is too long; expected at most about 4,000 characters",
    HTTPStatus.EXPECTATION_FAILED: "the value of the header Expect is not supported; expected '100-continue'",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "the headers are too many or too long; expected at most 100 headers of"
    " at most about 8,000 characters",
    HTTPStatus.NOT_IMPLEMENTED: "the value of the header Transfer-Encoding is not supported; expected 'chunked'",
}
"""Details of the problems that the web server returns before the operation is known, by status."""
LINE_SCHEMAS: Final = {
    "export_rounds": name_schema(RoundDocumentSchema),
    "list_differences": name_schema(RecomputationDifferenceSchema),
    "list_events": "Event",
    "list_import_results": name_schema(ImportLineResultSchema),
    "record_hands": name_schema(HandLineResultSchema),
}
"""The name of the schema of each line of an NDJSON response, by the operation."""
REQUEST_LINE_SCHEMAS: Final = {
    "record_hands": "HandLine",
    "start_import": name_schema(RoundDocumentRequestSchema),
}
"""The name of the schema of each line of an NDJSON request body, by the operation."""
_ORDER: Final = ("openapi", "info", "servers", "security", "tags", "paths", "webhooks", "components")


class ContractApi(flask_smorest.Api):
    """The API's contract, with problem documents for errors."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME = None

    @cached_property
    def document(self) -> dict[str, Any]:
        """The OpenAPI document, which does not change after the start."""
        return build_contract(self)

    def _register_error_handlers(self) -> None:
        """Register no handlers, because `service.http.problems` handles errors."""

    def _register_pagination_header(self) -> None:
        """Register no header, because pages have the header `Link`."""

    def _register_responses(self) -> None:
        super()._register_responses()
        for status in HTTPStatus:
            response = self.spec.components.responses_lazy[status.name]
            content = response.get("content", {})
            if "application/json" in content:
                response["content"] = {PROBLEM_TYPE: content["application/json"]}
            response["headers"] = {**_OF_A_STATUS.get(status, {}), **REQUEST_ID}


def describe_api(app: Flask) -> ContractApi:
    """Create the OpenAPI description of an application."""
    app.config.update(API_TITLE=TITLE, API_VERSION=VERSION, OPENAPI_VERSION=OPENAPI_VERSION)
    api = ContractApi(
        spec_kwargs={
            "marshmallow_plugin": MarshmallowPlugin(schema_name_resolver=name_schema),
            "info": {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}},
            "servers": [{"url": "/"}],
            "security": [{"key": []}],
        },
    )
    # Before `init_app`, which converts the schemas of problems.
    for field, kind in (
        *FIELD_TYPES,
        (pages.QueryInteger, "integer"),
        (pages.CursorField, "string"),
        (TablesField, "string"),
        (KindsField, "array"),
    ):
        api.register_field(field, kind, None)
    api.init_app(app)
    api.spec.components.security_scheme("key", {"type": "http", "scheme": "bearer", "description": KEY_DESCRIPTION})
    of_lines = HandLineResultSchema, ImportLineResultSchema, RoundNameSchema
    for schema in (*of_lines, *MESSAGES.values(), *EVENTS.values()):
        api.spec.components.schema(name_schema(schema), schema=schema)
    return api


def build_contract(api: ContractApi) -> dict[str, Any]:
    """Return the OpenAPI document with sorted parts, descriptions and examples."""
    contract = _plain(api.spec.to_dict())
    described = dict(_docstrings(WireSchema))
    for name, schema in contract["components"]["schemas"].items():
        schema["description"] = described[name]
    for item in contract["paths"].values():
        for parameter in item.get("parameters", []):
            if "description" not in parameter:
                parameter["description"] = PATH_PARAMETERS[parameter["name"]]
    _add_hand_line(contract)
    for operation in (operation for path in contract["paths"].values() for operation in path.values()):
        if "responses" in operation:
            _name_lines(operation)
            if "304" in operation["responses"]:
                operation["parameters"] = [*operation.get("parameters", ()), IF_NONE_MATCH]
            if operation["operationId"] == "list_events":
                [kinds] = [each for each in operation["parameters"] if each["name"] == "kind"]
                kinds |= {"style": "form", "explode": False}
            operation["responses"] = dict(sorted(operation["responses"].items()))
    _add_messages(contract)
    _add_events(contract)
    prepare_for_generators(contract)
    add_examples(contract)
    for status, detail in SERVER_ERRORS.items():
        _add_server_error(contract, status, detail)
    return {part: contract[part] for part in _ORDER}


def _name_lines(operation: dict[str, Any]) -> None:
    """Add the name of the schema of each line to the NDJSON of an operation."""
    name = operation["operationId"]
    if name in LINE_SCHEMAS:
        content = operation["responses"]["200"]["content"][NDJSON]
        content["x-line-schema"] = {"$ref": f"#/components/schemas/{LINE_SCHEMAS[name]}"}
    if name in REQUEST_LINE_SCHEMAS:
        content = operation["requestBody"]["content"][NDJSON]
        content["x-line-schema"] = {"$ref": f"#/components/schemas/{REQUEST_LINE_SCHEMAS[name]}"}


def _add_hand_line(contract: dict[str, Any]) -> None:
    """Add the schema of a line with a hand: a hand with its round."""
    schemas = contract["components"]["schemas"]
    hand = deepcopy(schemas[name_schema(HandRequestSchema)])
    rounds = ("Id", name_schema(RoundNameSchema))
    round_ = {
        "description": "ID of the round, or the name of its table and its reference.",
        "anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in rounds],
    }
    schemas["HandLine"] = {
        **hand,
        "properties": {"round": round_, **hand["properties"]},
        "required": sorted([*hand["required"], "round"]),
        "description": "A hand, and its round.",
    }


def _add_messages(contract: dict[str, Any]) -> None:
    """Add the messages to webhooks. Generators tell them apart by a constant; they would name a type for an enum."""
    contract["webhooks"] = {kind: {"post": _describe_message(kind, schema)} for kind, schema in MESSAGES.items()}
    for kind, schema in MESSAGES.items():
        field = contract["components"]["schemas"][name_schema(schema)]["properties"]["type"]
        del field["enum"]
        field |= {"const": kind, "maxLength": len(kind)}


def _add_events(contract: dict[str, Any]) -> None:
    """Add the events of the feed, as one type that generators tell apart by the kind."""
    schemas = contract["components"]["schemas"]
    names = {kind: name_schema(schema) for kind, schema in EVENTS.items()}
    for kind, name in names.items():
        field = schemas[name]["properties"]["kind"]
        del field["enum"]
        field |= {"const": kind, "maxLength": len(kind)}
    references = {kind: f"#/components/schemas/{name}" for kind, name in names.items()}
    schemas["Event"] = {
        "description": "An event of the feed. Ignore kinds that you do not know.",
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "kind", "mapping": references},
    }


def _describe_message(kind: str, schema: type[WireSchema]) -> dict[str, Any]:
    """Return the operation of an endpoint that receives a kind of message."""
    return {
        "operationId": f"receive_{kind.replace('.', '_')}",
        "summary": _flow(cleandoc(schema.__doc__ or "")),
        "security": [],
        "parameters": WEBHOOK_HEADERS,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name_schema(schema)}"}}},
        },
        "responses": {
            "2XX": {"description": "The message was received. Any other status is a failed attempt."},
            "410": {"description": "The endpoint is gone: the webhook is disabled."},
        },
    }


def _add_server_error(contract: dict[str, Any], status: HTTPStatus, detail: str) -> None:
    """Add an example of a problem that the web server returns."""
    response, examples = contract["components"]["responses"].get(status.name), contract["components"]["examples"]
    if response is not None:
        name = f"problem.{status.value}"
        like = examples["problem.json-invalid"]["value"]
        problem = {"type": "/problems/request-malformed", "title": "Malformed request", "status": status.value}
        value = {**like, **problem, "code": "request-malformed", "detail": detail, "errors": []}
        examples[name] = {"summary": problem["title"], "value": value}
        response["content"][PROBLEM_TYPE]["examples"] = {"request-malformed": {"$ref": f"#/components/examples/{name}"}}


def render(api: ContractApi) -> str:
    """Render the OpenAPI document as YAML; the result depends on the code only."""
    return str(
        yaml.dump(api.document, Dumper=_Dumper, default_flow_style=None, sort_keys=False, allow_unicode=True, width=120)
    )


class _Dumper(yaml.SafeDumper):
    """A YAML dumper without aliases, which writes flat collections, such as a row of cards, on one line."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _plain(value: Any) -> Any:
    """Convert a value to plain types for YAML, and join the lines of paragraphs."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, bool | int | float) or value is None else _flow(str(value))


def _flow(text: str) -> str:
    """Join the lines of each paragraph."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text.strip())


def _docstrings(schema: type[WireSchema]) -> Iterator[tuple[str, str]]:
    for kind in schema.__subclasses__():
        yield name_schema(kind), _flow(cleandoc(kind.__doc__ or ""))
        yield from _docstrings(kind)
