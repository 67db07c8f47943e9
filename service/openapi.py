"""The OpenAPI document, generated from the code."""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cached_property
from http import HTTPStatus
from inspect import cleandoc
from pathlib import Path
from typing import Any, Final, NamedTuple

import flask_smorest
import yaml
from flask import Flask

from schemas import pages
from schemas.base import WireSchema
from schemas.documents import RoundDocumentRequestSchema, RoundDocumentSchema
from schemas.events import KindsField
from schemas.feed.events import EVENTS
from schemas.hand_lines import HandLineResultSchema, RoundNameSchema
from schemas.hands import HandRequestSchema
from schemas.jobs.differences import RecomputationDifferenceSchema
from schemas.jobs.imports import ImportLineResultSchema
from schemas.json_schema import FIELD_TYPES, OPENAPI_VERSION, name_schema
from schemas.ledger.club_statements import TablesField
from schemas.problems import ProblemSchema
from schemas.webhooks.messages import MESSAGES
from service.clubs.scopes import PRESET_SCOPES, SCOPE_DESCRIPTIONS
from service.examples import add_examples
from service.openapi_components import SchemaPlugin, prepare_for_generators
from service.openapi_published import WHOLE, publish
from service.version import VERSION

TITLE: Final = "Tablestakes"
_FILES: Final = tuple(folder / "openapi.yaml" for folder in Path(__file__).parents[:2])
CONTRACT: Final = next(filter(Path.is_file, _FILES), _FILES[-1])
"""The file of the published contract, which is rendered before the release: in the installed package, or beside it."""
WHOLE_CONTRACT: Final = CONTRACT.with_name(WHOLE)
"""The file of the whole contract, beside it: also examples, contents of events, and operations of the pages."""
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
    + "\n\nA key can be created with the scopes of a preset (`POST /v1/keys`).\n\n"
    + "\n\n".join(
        f"- `{preset}`: {', '.join(f'`{scope}`' for scope in held)}" for preset, held in PRESET_SCOPES.items()
    )
    + "\n\nThe secret of a link (`POST /v1/links`) is sent in the same way. It can be used for the operations with"
    " `x-link`, and for its table or round only: `club` is for links to the club, `table` for links to tables too, and"
    " `round` for all links."
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
    "example": '"6b86b273ff34fce19d6b804eff5a3f57"',
    "description": "The `ETag` of a response that the client has. If it is still current, the response is a 304.",
}
"""The parameter of operations whose responses have a tag."""
_RETRY_AFTER: Final = {
    "Retry-After": {
        "schema": {"type": "integer", "minimum": 1, "maximum": 60},
        "description": "Seconds to wait before the next request. Omitted if it is not known.",
    }
}
_WWW_AUTHENTICATE: Final = {
    "WWW-Authenticate": {
        "schema": {"type": "string", "const": "Bearer"},
        "description": "The accepted authentication scheme, if the status is 401.",
    }
}


class _ProblemResponse(NamedTuple):
    """A response that is a problem: the name of its component, its description and its headers."""

    name: str
    description: str
    headers: Mapping[str, Any] = {}


_PROBLEM_RESPONSES: Final = {
    "404": _ProblemResponse("NotFound", "Not found, or a record of another club."),
    "409": _ProblemResponse("Conflict", "The request contradicts what is recorded.", _RETRY_AFTER),
    "422": _ProblemResponse("ValidationFailed", "The request is invalid; `errors` lists every mistake."),
    "4XX": _ProblemResponse(
        "ClientError", "The request is refused for another reason. Nothing is stored.", _RETRY_AFTER | _WWW_AUTHENTICATE
    ),
    "default": _ProblemResponse(
        "ServerError",
        "The service failed. After a 504 the request may be stored; otherwise nothing is stored.",
        _RETRY_AFTER,
    ),
}
"""The responses of all operations that are problems, by status. `code` distinguishes those of one status."""
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
    "charge_id": "ID of the charge.",
    "device_id": "ID that the device has given itself, as a UUID.",
    "dispute_id": "ID of the dispute.",
    "hand_id": "ID of the hand.",
    "delivery_id": "ID of the delivery.",
    "import_id": "ID of the import.",
    "key_id": "ID of the key.",
    "link_id": "ID of the link.",
    "payment_claim_id": "ID of the payment claim.",
    "payment_id": "ID of the payment.",
    "proposal_id": "ID of the proposal.",
    "recomputation_id": "ID of the recomputation.",
    "record_id": "ID of a table, round, hand, dispute, payment, charge, reversal, recomputation, link or key.",
    "reference": "Ruleset, as a name (newest version) or `name@version`.",
    "round_id": "ID of the round.",
    "table_id": "ID of the table.",
    "webhook_id": "ID of the webhook.",
}
"""Descriptions of the parameters that Flask reads from the path, by name."""
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
        """The whole contract, which does not change after the start."""
        return build_contract(self)

    def _register_error_handlers(self) -> None:
        """Register no handlers, because `service.http.problems` handles errors."""

    def _register_pagination_header(self) -> None:
        """Register no header, because pages have the header `Link`."""

    def _register_responses(self) -> None:
        """Register no responses, because `build_contract` adds those that are problems."""


def describe_api(app: Flask) -> ContractApi:
    """Create the OpenAPI description of an application."""
    app.config.update(API_TITLE=TITLE, API_VERSION=VERSION, OPENAPI_VERSION=OPENAPI_VERSION)
    api = ContractApi(
        spec_kwargs={
            "marshmallow_plugin": SchemaPlugin(schema_name_resolver=name_schema),
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
    """Return the whole contract with sorted parts, descriptions and examples."""
    contract = _plain(api.spec.to_dict())
    described = dict(_docstrings(WireSchema))
    for name, schema in contract["components"]["schemas"].items():
        schema["description"] = described[name]
    for item in contract["paths"].values():
        for parameter in item.get("parameters", []):
            if "description" not in parameter:
                parameter["description"] = PATH_PARAMETERS[parameter["name"]]
    _add_hand_line(contract)
    _add_problems(contract)
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
    add_examples(contract, lambda status: _PROBLEM_RESPONSES[_problem_status(status)].name)
    return {part: contract[part] for part in _ORDER}


def _add_problems(contract: dict[str, Any]) -> None:
    """Add the responses that are problems to all operations."""
    content = {PROBLEM_TYPE: {"schema": {"$ref": f"#/components/schemas/{name_schema(ProblemSchema)}"}}}
    responses = contract["components"]["responses"] = {}
    for each in _PROBLEM_RESPONSES.values():
        headers = {**each.headers, **REQUEST_ID}
        responses[each.name] = {"description": each.description, "content": deepcopy(content), "headers": headers}
    for path, item in contract["paths"].items():
        for operation in (part for part in item.values() if "operationId" in part):
            parameters = operation.get("parameters", [])
            occurring = {
                "404": "{" in path,
                "409": any(parameter["name"] == "Idempotency-Key" for parameter in parameters),
                "422": "requestBody" in operation or any(parameter["in"] == "query" for parameter in parameters),
            }
            for status, response in _PROBLEM_RESPONSES.items():
                if occurring.get(status, True):
                    operation["responses"][status] = {"$ref": f"#/components/responses/{response.name}"}


def _problem_status(status: int) -> str:
    """
    Return the status with which the contract documents problems of a status.

    >>> [_problem_status(status) for status in (404, 429, 503)]
    ['404', '4XX', 'default']
    """
    if str(status) in _PROBLEM_RESPONSES:
        return str(status)
    return "4XX" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "default"


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
        "operationId": f"receive_{re.sub('[.-]', '_', kind)}",
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


def render(api: ContractApi, *, is_whole: bool = False) -> str:
    """Render the published or the whole contract as YAML; the result depends on the code only."""
    contract = api.document if is_whole else publish(api.document)
    return str(
        yaml.dump(contract, Dumper=_Dumper, default_flow_style=None, sort_keys=False, allow_unicode=True, width=120)
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
