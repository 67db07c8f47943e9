"""The OpenAPI document: generated from the code, committed, and checked to be in step."""

from typing import Any, Final

import flask_smorest
import yaml
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask

import schemas.fields as wire
from schemas.problems import ProblemSchema
from service.version import VERSION

TITLE: Final = "Tablestakes"
OPENAPI_VERSION: Final = "3.1.0"
PROBLEM_TYPE: Final = "application/problem+json"

DESCRIPTION: Final = """\
Scores and settles finished hands of Open Face Chinese poker: fouls, rows, royalties, Fantasyland and table stakes.

A client sends what happened (cards, button, stacks) and reads what it comes to (points, fouls, transfers). Cards are \
rank then suit, `"As"`; rows are arrays of cards; points are whole numbers; a foul is a result, not an error.
"""


class ContractApi(flask_smorest.Api):  # type: ignore[misc]  # flask-smorest is not typed
    """The API's contract, with problem documents for errors."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        """Leave errors to the problem documents."""

    def _register_responses(self) -> None:
        super()._register_responses()
        for response in self.spec.components.responses_lazy.values():
            content = response.get("content", {})
            if "application/json" in content:
                response["content"] = {PROBLEM_TYPE: content["application/json"]}


def describe_api(app: Flask) -> ContractApi:
    """Prepare the contract of an application."""
    app.config.update(API_TITLE=TITLE, API_VERSION=VERSION, OPENAPI_VERSION=OPENAPI_VERSION)
    api = ContractApi(
        app,
        spec_kwargs={
            "marshmallow_plugin": MarshmallowPlugin(schema_name_resolver=_name_schema),
            "info": {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}},
            "servers": [{"url": "/"}],
            "security": [{"key": []}],
        },
    )
    api.spec.components.security_scheme(
        "key", {"type": "http", "scheme": "bearer", "description": "One of the club's keys."}
    )
    for field, kind in (
        (wire.Integer, "integer"),
        (wire.Boolean, "boolean"),
        (wire.Text, "string"),
        (wire.Choice, "string"),
        (wire.CardField, "string"),
        (wire.Time, "string"),
        (wire.Anything, "object"),
    ):
        api.register_field(field, kind, None)
    return api


def render(api: ContractApi) -> str:
    """Write the contract as YAML, always the same for the same code."""
    return str(yaml.dump(_plain(api.spec.to_dict()), sort_keys=False, allow_unicode=True, width=120))


def _plain(value: Any) -> Any:
    """Leave only what YAML writes without tags."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, bool | int | float) or value is None else str(value)


def _name_schema(schema: Any) -> str:
    name = schema.__name__ if isinstance(schema, type) else type(schema).__name__
    name = name.removesuffix("Schema")
    exclude = getattr(schema, "exclude", None)
    return f"{name}Alone" if exclude else name
