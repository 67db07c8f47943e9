"""
Named components of the OpenAPI document, and what generators of clients need beside them.

A schema that occurs more than once becomes a component, so that generated clients have one well-named type for it.
Each component is found by one of its places in the document; every other place with the same schema refers to it.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from schemas.base import WireField

_NOTES: Final = ("description", "default", "example", "examples")
"""Keywords that say something about one place, and are not part of a component."""
_COMPONENTS: Final = "#/components/"
_SCHEMAS: Final = f"{_COMPONENTS}schemas/"


class Component(NamedTuple):
    """A component: where its schema occurs, as `Schema.field` or `Schema.field[]` for items, and what it is."""

    place: str
    description: str


COMPONENTS: Final[Mapping[str, Component]] = {
    "AnyValue": Component("FieldError.received", "Any JSON value."),
    "Card": Component("Street.dealt[]", "A card: rank, then suit, for example `As` or `Td`."),
    "Name": Component("Table.name", "A name or ID: one line without control, format and private characters."),
    "Reference": Component(
        "Round.reference", "The operator's ID: one line without control, format and private characters."
    ),
    "Line": Component("ScoredRow.description", "One line of text."),
    "RowCards": Component("Street.middle", "Cards of one row, at most five."),
    "Seat": Component("TopUp.seat", "Seat number, counted clockwise from 1."),
    "Id": Component("Table.id", "ID assigned by the service: a UUID."),
    "Row": Component("ExplainedFoul.rows[]", "A row of a board."),
    "HandNumber": Component("NextHand.number", "Number of a hand in its round, from 1."),
    "RowCategory": Component("ScoredRow.category", "Category of the cards of a row."),
    "FoulReason": Component("ExplainedFoul.reason", "The two rows that are in the wrong order."),
    "LimitedBy": Component("Transfer.limited_by", "What capped a payment."),
    "HandLineStatus": Component("HandLineResult.status", "Result of a hand in a request with many hands."),
    "ImportLineStatus": Component("ImportLineResult.status", "Result of a line of an import."),
    "RoundStatus": Component("Round.status", "Whether hands can still be played in a round."),
    "SettlementState": Component("Round.state", "State of the settlement of a round."),
    "SettlementRevisionState": Component("Settlement.state", "State of one revision of a settlement."),
    "DisputeState": Component("Dispute.state", "State of a dispute."),
    "DisputeDecision": Component("DisputeResolutionRequest.state", "How a dispute was decided."),
    "DisputeEntryKind": Component("DisputeHistoryEntry.kind", "Kind of an entry in the history of a dispute."),
    "ProposalKind": Component("Proposal.kind", "What is proposed."),
    "ProposalState": Component("Proposal.state", "State of a proposal."),
    "FinalReason": Component("SettlementFinalizedContent.because", "Why a settlement became final."),
    "ExchangePart": Component("ExchangeReason.part", "Source of the points between two players."),
    "RuleName": Component("RuleNote.rule", "Heading of docs/rules.md that states a rule."),
    "ScopeName": Component("ApiKey.scopes[]", "Name of a scope of keys."),
    "KeyScope": Component("ApiKeyRequest.scopes[]", "Scope that a new key can have."),
    "KeyPreset": Component("ApiKeyRequest.preset", "What a new key is for, which names its scopes."),
    "StakesScope": Component("StakesRules.scope", "Period over which stacks limit payments."),
    "WinLimit": Component("StakesRules.win_limit", "What limits the points that a player can win."),
    "Variant": Component("Ruleset.variant", "How the cards are dealt."),
    "LeavingRule": Component("Ruleset.leaving", "When players can leave a round."),
    "PlotName": Component("Plot.name", "Name of a plot."),
    "EntryKind": Component("LedgerLine.kind", "What an entry of the journal is."),
    "AmountUnit": Component(
        "LedgerLine.unit",
        "Currency, as an ISO 4217 code; unit of the club, by its code; or ID of a table whose points have no value.",
    ),
    "PaymentClaimState": Component("PaymentClaim.state", "Whether a claim of a payment is confirmed."),
    "PaymentPlan": Component("TableStatement.payments_are", "Whether the payments are as few as possible."),
    "WebhookKind": Component("WebhookRequest.kinds[]", "Kind of message that a webhook can choose."),
    "MessageKind": Component("Delivery.kind", "Kind of a message to a webhook."),
    "IdKind": Component("FoundId.kind", "What an ID is the ID of."),
    "MetadataOwner": Component("MetadataChangedContent.of", "Kind of a record that has metadata."),
    "Metadata": Component(
        "RoundWithMetadata.metadata", "The client's own texts about a record, by the client's own keys."
    ),
    "LinkKind": Component("Link.kind", "What a link is for."),
    "IssuedLinkKind": Component("LinkRequest.kind", "What a link to a table or to a round is for."),
    "WebhookState": Component("Webhook.state", "Whether messages are sent to a webhook."),
    "WebhookDisabledBecause": Component("Webhook.disabled_because", "Why a webhook is disabled."),
    "WebhookUrl": Component("Webhook.url", "URL of a webhook."),
    "DeliveryState": Component("Delivery.state", "State of the delivery of a message."),
    "ImportOutcome": Component("ImportEndedData.state", "How an import ended."),
    "JobState": Component("Import.state", "State of a job."),
    "RecomputationMode": Component("Recomputation.mode", "Whether a recomputation changes records."),
    "ExpectedResponse": Component(
        "HandRequest.expected",
        "Part of the expected response, in its form: an object can omit fields, an array has all its items.",
    ),
    "AcceptedAs": Component("CorrectionRequest.irregular", "How irregular hands are accepted."),
    "StackBySeat": Component("Settlement.stacks", "Points of each player, by seat."),
    "PatchOperator": Component("PatchOperation.op", "Operation of a JSON Patch (RFC 6902)."),
    "RulesetReference": Component("ScoreRequest.ruleset", "Ruleset, as a name (newest version) or `name@version`."),
    "UnitCode": Component("Table.unit", "Currency, as an ISO 4217 code, or unit of the club, by its code."),
    "ChargePer": Component("Table.charge_per", "What a standing charge of the house is for."),
    "PointValue": Component("Table.point_value", "Value of one point, in minor units."),
    "Hash": Component("Checkpoint.root", "SHA-256 hash, in hexadecimal."),
    "ProofHash": Component("ProvedEvent.proof[]", "SHA-256 hash, in Base64."),
}
"""The named components that are not objects; objects are named after their schemas."""


class SchemaPlugin(MarshmallowPlugin):
    """The plugin of apispec for schemas, which also describes the keys of dictionaries."""

    def init_spec(self, spec: APISpec) -> None:
        """Add what apispec leaves out."""
        super().init_spec(spec)
        assert self.converter is not None, "made from the specification"
        self.converter.add_attribute_function(_describe_keys)


def _describe_keys(_converter: object, field: WireField, **_: object) -> dict[str, Any]:
    names = field.metadata.get("propertyNames")
    return {} if names is None else {"propertyNames": names}


def prepare_for_generators(contract: dict[str, Any]) -> None:
    """
    Change an OpenAPI document in place so that generators of clients make good types of it.

    - Schemas that occur more than once become named components.
    - Optional fields have their default in their description: with the keyword `default`, generators require the field.
    - Objects of responses are open, so that clients ignore fields that they do not know.
    """
    schemas = contract["components"]["schemas"]
    _open_responses(contract)
    for schema in schemas.values():
        for field in schema.get("properties", {}).values():
            _describe_default(field)
    named = {name: _core(_find(schemas, component.place)) for name, component in COMPONENTS.items()}
    for schema in (*_schemas_in(contract["paths"]), *chain.from_iterable(map(_schema_and_inner, schemas.values()))):
        _refer(schema, named)
    for name, core in named.items():
        schemas[name] = {**core, "description": COMPONENTS[name].description}


def _find(schemas: Mapping[str, Any], place: str) -> dict[str, Any]:
    """
    Return the schema at a place such as `Street.dealt[]`.

    >>> _find({"Street": {"properties": {"dealt": {"items": {"type": "string"}}}}}, "Street.dealt[]")
    {'type': 'string'}
    """
    owner, _, field = place.partition(".")
    schema: dict[str, Any] = schemas[owner]["properties"][field.removesuffix("[]")]
    return schema["items"] if field.endswith("[]") else schema


def _core(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a schema has in common with the same schema elsewhere: no notes, and not null."""
    core = {keyword: value for keyword, value in schema.items() if keyword not in _NOTES}
    if _is_nullable(core):
        core["type"] = next(kind for kind in core["type"] if kind != "null")
        if "enum" in core:
            core["enum"] = [value for value in core["enum"] if value is not None]
    return core


def _is_nullable(schema: Mapping[str, Any]) -> bool:
    kinds = schema.get("type")
    return isinstance(kinds, list) and len(kinds) == 2 and "null" in kinds


def _refer(schema: dict[str, Any], named: Mapping[str, dict[str, Any]]) -> None:
    """Replace a schema by a reference to the component with the same content, if there is one."""
    core = _core(schema)
    name = next((name for name, component in named.items() if component == core), None)
    if name is None:
        return
    notes = {keyword: value for keyword, value in schema.items() if keyword in _NOTES}
    reference = {"$ref": _SCHEMAS + name}
    nullable = _is_nullable(schema)
    schema.clear()
    schema |= {**({"anyOf": [reference, {"type": "null"}]} if nullable else reference), **notes}


def _schemas_in(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema in the paths of a document, the inner ones first, except numbers named by parameters."""
    if isinstance(part, dict):
        if "in" in part and part.get("schema", {}).get("type") == "integer":
            return
        for name, inner in part.items():
            yield from _schema_and_inner(inner) if name == "schema" else _schemas_in(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _schemas_in(inner)


def _schema_and_inner(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the schemas inside a schema, and then itself."""
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    inner += [schema[keyword] for keyword in ("items", "additionalProperties") if isinstance(schema.get(keyword), dict)]
    for each in inner:
        yield from _schema_and_inner(each)
    yield schema


def _describe_default(field: dict[str, Any]) -> None:
    """Move the default of a field into its description."""
    default = field.pop("default", None)
    if default is not None and default not in ([], {}):
        shown = str(default).lower() if isinstance(default, bool) else default
        field["description"] = f"{field['description']} Default: {shown}."


def _open_responses(contract: dict[str, Any]) -> None:
    """Remove `additionalProperties: false` from every schema that a response can contain."""
    schemas = contract["components"]["schemas"]
    for name in find_response_schemas(contract):
        if schemas[name].get("additionalProperties") is False:
            del schemas[name]["additionalProperties"]


def find_response_schemas(contract: Mapping[str, Any]) -> set[str]:
    """Return the names of the schemas that responses and messages contain, directly or inside others."""
    operations = (operation for path in contract["paths"].values() for operation in path.values())
    responses = [operation["responses"] for operation in operations if "responses" in operation]
    return find_schemas(contract, responses, contract["components"]["responses"], contract.get("webhooks", {}))


def find_schemas(contract: Mapping[str, Any], *parts: Any) -> set[str]:
    """Return the names of the schemas that parts of a document contain, directly or inside other components."""
    references: set[str] = set()
    waiting = [*_references(parts)]
    while waiting:
        reference = waiting.pop()
        if reference not in references:
            references.add(reference)
            kind, name = reference.removeprefix(_COMPONENTS).split("/")
            waiting += _references(contract["components"][kind][name])
    return {reference.removeprefix(_SCHEMAS) for reference in references if reference.startswith(_SCHEMAS)}


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        part = part.values()
    if not isinstance(part, str) and hasattr(part, "__iter__"):
        for inner in part:
            yield from _references(inner)
