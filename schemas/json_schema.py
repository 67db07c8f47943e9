"""Schemas as JSON Schema, for the contract and for the compiled validator of imports."""

from typing import Any, Final

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from schemas import fields, game_fields
from schemas.base import WireSchema

OPENAPI_VERSION: Final = "3.1.0"
"""OpenAPI 3.1 uses JSON Schema 2020-12."""
FIELD_TYPES: Final = (
    (fields.Integer, "integer"),
    (fields.Boolean, "boolean"),
    (fields.Text, "string"),
    (fields.Choice, "string"),
    (game_fields.CardField, "string"),
    (fields.Time, "string"),
    (fields.DateField, "string"),
    (fields.Number, "number"),
    (fields.Anything, "object"),
)
"""The JSON type of each field type."""


def json_schema(schema: type[WireSchema]) -> dict[str, Any]:
    """
    Return a schema and its nested schemas as one JSON Schema.

    >>> from schemas.problems import FieldErrorSchema
    >>> json_schema(FieldErrorSchema)["$ref"]
    '#/components/schemas/FieldError'
    """
    plugin = MarshmallowPlugin(schema_name_resolver=name_schema)
    spec = APISpec("", "", OPENAPI_VERSION, plugins=[plugin])
    for field, kind in FIELD_TYPES:
        plugin.map_to_openapi_type(field, kind, None)
    spec.components.schema(name_schema(schema), schema=schema)
    return {"$ref": f"#/components/schemas/{name_schema(schema)}", "components": spec.to_dict()["components"]}


def name_schema(schema: Any) -> str:
    """Return the name of a schema in the contract."""
    name = schema.__name__ if isinstance(schema, type) else type(schema).__name__
    return name.removesuffix("Schema")
