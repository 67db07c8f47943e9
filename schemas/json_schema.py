"""The wire's shapes as JSON Schema: what the contract publishes, and what compiled checks are made of."""

from typing import Any, Final

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from schemas import fields
from schemas.base import WireSchema

OPENAPI_VERSION: Final = "3.1.0"
"""Its schemas are JSON Schema of 2020-12."""

FIELD_TYPES: Final = (
    (fields.Integer, "integer"),
    (fields.Boolean, "boolean"),
    (fields.Text, "string"),
    (fields.Choice, "string"),
    (fields.CardField, "string"),
    (fields.Time, "string"),
    (fields.Anything, "object"),
)
"""What each kind of value is in JSON."""


def json_schema(schema: type[WireSchema]) -> dict[str, Any]:
    """
    Write a shape, with every shape inside it, as one JSON Schema.

    >>> from schemas.problems import MistakeSchema
    >>> json_schema(MistakeSchema)["$ref"]
    '#/components/schemas/Mistake'
    """
    plugin = MarshmallowPlugin(schema_name_resolver=name_schema)
    spec = APISpec("", "", OPENAPI_VERSION, plugins=[plugin])
    for field, kind in FIELD_TYPES:
        plugin.map_to_openapi_type(field, kind, None)
    spec.components.schema(name_schema(schema), schema=schema)
    return {"$ref": f"#/components/schemas/{name_schema(schema)}", "components": spec.to_dict()["components"]}


def name_schema(schema: Any) -> str:
    """Name a shape in the contract."""
    name = schema.__name__ if isinstance(schema, type) else type(schema).__name__
    return name.removesuffix("Schema")
