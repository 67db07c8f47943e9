"""Schemas as JSON Schema, for the contract, and compiled to validate hands and documents."""

from abc import abstractmethod
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from marshmallow import ValidationError, missing, post_load
from marshmallow.decorators import VALIDATES_SCHEMA

from schemas import fields, game_fields
from schemas.base import WireField, WireSchema

if TYPE_CHECKING:
    import jsonschema_rs

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
    (fields.ExpectedField, "object"),
)
"""The JSON type of each field type."""


def json_schema(schema: type[WireSchema] | WireSchema, *, is_exact: bool = False) -> dict[str, Any]:
    """
    Return a schema and its nested schemas as one JSON Schema.

    >>> from schemas.problems import FieldErrorSchema
    >>> json_schema(FieldErrorSchema)["$ref"]
    '#/components/schemas/FieldError'

    Args:
        schema: the schema.
        is_exact: whether texts have the patterns of requests, which are stricter than those of the contract.
    """
    from apispec import APISpec
    from apispec.ext.marshmallow import MarshmallowPlugin

    plugin = MarshmallowPlugin(schema_name_resolver=name_schema)
    spec = APISpec("", "", OPENAPI_VERSION, plugins=[plugin])
    for field, kind in FIELD_TYPES:
        plugin.map_to_openapi_type(field, kind, None)
    if is_exact:
        assert plugin.converter is not None, "the specification initializes its plugins"
        plugin.converter.add_attribute_function(_exact_pattern)
    spec.components.schema(name_schema(schema), schema=schema)
    return {"$ref": f"#/components/schemas/{name_schema(schema)}", "components": spec.to_dict()["components"]}


def _exact_pattern(_converter: Any, field: WireField, **_: Any) -> dict[str, str]:
    if not isinstance(field, fields.Text) or isinstance(field, fields.UuidField) or field.expression is not None:
        return {}
    return {"pattern": field.characters.exact_pattern}


def name_schema(schema: Any) -> str:
    """Return the name of a schema in the contract."""
    name = schema.__name__ if isinstance(schema, type) else type(schema).__name__
    return name.removesuffix("Schema")


class CompiledSchema(WireSchema):
    """
    A schema that is compiled to a JSON Schema, which accepts valid objects much faster than marshmallow.

    Marshmallow reads all others: it reports every error, and accepts the few valid objects that JSON Schema refuses.
    One function builds the value of both. Only the service depends on the compiler; without it, marshmallow reads every
    object.
    """

    @abstractmethod
    def build(self, received: dict[str, Any]) -> Any:
        """
        Build the value of a valid object.

        Raises:
            ValidationError: a time in it does not exist.
        """

    def load(self, data: Any, **options: Any) -> Any:
        """
        Parse an object, or report every error in it.

        Raises:
            ValidationError: with every mistake.
        """
        if not any(options.values()) and self.accepts(data):
            with suppress(ValidationError):
                self._check_together(data)
                return self.build(data)
        return super().load(data, **options)

    @post_load(pass_original=True)
    def _build(self, _read: dict[str, Any], received: dict[str, Any], **_: Any) -> Any:
        return self.build(received)

    def accepts(self, received: Any) -> bool:
        """Return whether the compiled JSON Schema accepts an object."""
        try:
            return self._validator is not None and self._validator.is_valid(received)
        except ValueError:  # a lone surrogate
            return False

    def _check_together(self, received: dict[str, Any]) -> None:
        """Validate what JSON Schema cannot: the fields of the object together, with the validators of the schema."""
        for name, *_ in self._hooks[VALIDATES_SCHEMA]:
            getattr(self, name)({**self._defaults, **received})

    @cached_property
    def _validator(self) -> "jsonschema_rs.Validator | None":
        try:
            import jsonschema_rs
        except ModuleNotFoundError:
            return None
        return jsonschema_rs.validator_for(json_schema(self, is_exact=True))

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        fields_ = self.load_fields.items()
        return {name: field.load_default for name, field in fields_ if field.load_default is not missing}
