"""What the compiled JSON Schemas accept, marshmallow accepts, with the same values."""

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import EXCLUDE, ValidationError

from schemas.base import WireError, WireSchema, load
from schemas.corrections.requests import CorrectionRequestSchema
from schemas.documents import RoundDocument, RoundDocumentRequestSchema, RoundDocumentSchema, read_document
from schemas.hands import HandRequestSchema, HandSchema, SubmittedHand
from schemas.json_schema import CompiledSchema, json_schema
from schemas.scores import ScoreRequest, ScoreRequestSchema
from schemas.strict_json import read_json
from scoring.hand import Hand, PlayerHand
from service.app import create_app
from service.config import Config
from service.http.services import services_of
from tests.oracle import PRESETS, random_document
from tests.support.scoring.strategies import PROPERTY

CARDS: Final = {
    "top": ["Qs", "Qd", "4c"],
    "middle": ["Ks", "Kd", "9h", "8h", "3c"],
    "bottom": ["Ah", "Jh", "7h", "6h", "2h"],
}
OTHER_CARDS: Final = {
    "top": ["Kh", "Kc", "3s"],
    "middle": ["9s", "9d", "8s", "8c", "4h"],
    "bottom": ["As", "Ad", "Qh", "Qc", "2d"],
}
STREET: Final = {"dealt": ["Qs", "Qd"], "top": ["Qs"], "middle": [], "bottom": ["Qd"], "discards": [], "auto": ["Qs"]}
PLAYER: Final = {"seat": 1, "fantasyland": 0, **CARDS, "discards": ["2c"], "streets": [STREET]}
HAND: Final = {
    "number": 1,
    "button": 3,
    "played_at": "2026-11-20T20:15:00Z",
    "top_ups": [{"seat": 1, "points": 40}],
    "players": [PLAYER, {"seat": 2, **OTHER_CARDS, "discards": None, "streets": None}],
}
RECORD: Final = "0193a4c0-0000-7000-8000-000000000001"
HAND_REQUEST: Final = {
    **HAND,
    "players": [{**PLAYER, "player": "ann"}, HAND["players"][1]],
    "restores": RECORD,
    "dealt_again": True,
    "expected": {"stacks": {}},
}
SCORE_REQUEST: Final = {
    "ruleset": "pineapple",
    "button": 3,
    "players": [{**PLAYER, "player": "ann", "stays": 0, "stack": 3, "opening_stack": 4}],
}
DOCUMENT: Final = {
    "ruleset": "pineapple@1",
    "table": "kitchen",
    "reference": "2026-11-20/3",
    "opened_at": "2026-11-20T20:15:00Z",
    "point_value": 10,
    "unit": "EUR",
    "seats": [{"seat": 1, "player": "ann", "stack": 200}],
    "hands": [HAND],
    "departures": [{"seat": 3, "after_hand": 2, "reason": "late"}],
    "closed": {"after_hand": 5, "reason": "late"},
    "irregular": [
        {"hand": 1, "reasons": [{"pointer": "#/button", "code": "button-wrong", "detail": "…", "received": 2}]}
    ],
}
REQUEST: Final = RoundDocumentRequestSchema()
VALID: Final[list[tuple[CompiledSchema, dict[str, Any]]]] = [
    (HandSchema(), HAND),
    (HandRequestSchema(), HAND_REQUEST),
    (ScoreRequestSchema(), SCORE_REQUEST),
    (RoundDocumentSchema(), DOCUMENT),
    (REQUEST, {**DOCUMENT, "expected": {}}),
]
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 1.0, 2.0, 0.5, 1e300, 2**53, 10**30, 10_001, 1001, "", "As", "as", "10s", "ann", "a\0",
     "\ud800", "\n", "a\n", "a\u200bb", "a\u200db", "\ue000", "\U000e0041", "é" * 101, "é" * 100,
     "2026-11-20T19:00:00Z", "2026-02-30T19:00:00Z", "2026-11-20t19:00:00z", "2026-11-20T19:00:00+24:00",
     "0001-01-01T00:00:00+14:00", RECORD,
     RECORD[:-1], "pineapple@1", "Pineapple", "EUR", "EURO", "XXZ", [], {}, ["As"], ["As"] * 3, [["As"]], [None],
     {"seat": 1}, {"a": 1}]
).map(deepcopy)  # as a table  # fmt: skip


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return every path in a document."""
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


def change(draw: st.DrawFn, valid: dict[str, Any]) -> dict[str, Any]:
    """Return a document with up to three values changed, omitted or added."""
    changed = deepcopy(valid)
    for _ in range(draw(st.integers(0, 3))):
        *path, last = draw(st.sampled_from(places(changed)[1:] or [("odd",)]))
        place: Any = changed
        for step in path:
            place = place[step]
        kind = draw(st.sampled_from(["change", "change", "omit", "add"]))
        if kind == "omit" and last in place:
            del place[last]
        elif kind == "add" and isinstance(place, dict):
            place[draw(st.sampled_from(["odd", "expected", "played_at", "closed", "reference", "point_value"]))] = draw(
                ODD
            )
        else:
            place[last] = draw(ODD)
    return changed


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """Return a random round document with a few changes."""
    rng = Random(draw(st.integers(0, 2**32)))
    return change(draw, random_document(rng, rng.choice([*PRESETS.values()])))


def values_of(schema: WireSchema, received: Any) -> Mapping[str, Any]:
    """
    Return the values of the fields as marshmallow reads them, without building anything from them.

    Raises:
        ValidationError: marshmallow refuses the document.
    """
    values: Mapping[str, Any] = schema._do_load(received, unknown=EXCLUDE, postprocess=False)
    return values


def check_accepted(schema: CompiledSchema, received: Any) -> bool:
    """Assert that a document that the compiled schema accepts has the values that marshmallow reads."""
    try:
        loaded = WireSchema.load(schema, received)
    except ValidationError:
        loaded = None
    assert loaded == (schema.load(received) if loaded is not None else None)
    if loaded is not None:
        CHECKS[type(loaded)](loaded, values_of(schema, received))
        return True
    with pytest.raises(ValidationError):
        schema.load(received)
    return False


def check_hand(submitted: SubmittedHand, values: Mapping[str, Any]) -> None:
    check_deal(submitted.hand, values)
    assert repr(submitted.played_at) == repr(values["played_at"])
    assert submitted.names == tuple(player.get("player") for player in values["players"])
    fields = (submitted.restores, submitted.dealt_again, submitted.expected)
    assert fields == (values.get("restores"), values.get("dealt_again", False), values.get("expected"))


def check_deal(hand: Hand, values: Mapping[str, Any]) -> None:
    # repr tells 3 from 3.0.
    assert repr((hand.number, hand.button)) == repr((values["number"], values["button"]))
    assert repr([(added.seat, added.points) for added in hand.top_ups]) == repr(
        [(added["seat"], added["points"]) for added in values["top_ups"]]
    )
    check_players(hand.players, values["players"])


def check_players(players: Sequence[PlayerHand], values: Sequence[Mapping[str, Any]]) -> None:
    for player, read in zip(players, values, strict=True):
        assert repr((player.seat, player.fantasyland)) == repr((read["seat"], read["fantasyland"]))
        assert tuple(player.board.rows) == (read["top"], read["middle"], read["bottom"])
        assert player.discards == read["discards"]
        assert player.streets == (None if read["streets"] is None else tuple(read["streets"]))


def check_score(request: ScoreRequest, values: Mapping[str, Any]) -> None:
    assert repr((request.ruleset, request.button)) == repr((values["ruleset"], values["button"]))
    assert request.expected == values["expected"]
    check_players([player.played for player in request.players], values["players"])
    for player, read in zip(request.players, values["players"], strict=True):
        fields = (player.player, player.stays, player.stack, player.opening_stack)
        assert repr(fields) == repr((read["player"], read["stays"], read["stack"], read["opening_stack"]))


def check_document(document: RoundDocument, values: Mapping[str, Any]) -> None:
    for name in ("ruleset", "table", "reference", "point_value", "unit", "opened_at"):
        assert repr(getattr(document, name)) == repr(values[name])
    assert document.expected == values.get("expected")
    assert (document.seats, document.departures) == (tuple(values["seats"]), tuple(values["departures"]))
    assert (document.hands, document.irregular) == (tuple(values["hands"]), tuple(values["irregular"]))
    closed = document.closed and {"after_hand": document.closed.after_hand, "reason": document.closed.reason}
    assert repr(closed) == repr(values["closed"])


CHECKS: Final[Mapping[type, Callable[[Any, Mapping[str, Any]], None]]] = {
    SubmittedHand: check_hand,
    ScoreRequest: check_score,
    RoundDocument: check_document,
}


@pytest.mark.parametrize(("schema", "valid"), VALID, ids=lambda part: type(part).__name__)
@given(drawn=st.data())
@pytest.mark.no_cover
def test_a_compiled_schema_accepts_only_what_marshmallow_accepts(
    schema: CompiledSchema, valid: dict[str, Any], drawn: st.DataObject
) -> None:
    check_accepted(schema, change(drawn.draw, valid))


@pytest.mark.no_cover
@PROPERTY
@given(documents())
def test_an_import_line_is_parsed_or_refused_as_marshmallow_does(document: Any) -> None:
    line = json.dumps(document).encode()
    decoded = read_json(line)
    if check_accepted(REQUEST, decoded):
        assert read_document(line) == load(REQUEST, decoded)


@pytest.mark.parametrize(("schema", "valid"), VALID, ids=lambda part: type(part).__name__)
def test_valid_documents_need_no_marshmallow(schema: CompiledSchema, valid: dict[str, Any]) -> None:
    assert schema.accepts(valid)
    assert check_accepted(schema, valid)


@pytest.mark.parametrize("name", PRESETS)
def test_valid_rounds_need_no_marshmallow(name: str) -> None:
    rng = Random(4)
    assert all(REQUEST.accepts(random_document(rng, PRESETS[name])) for _ in range(5))


@pytest.mark.parametrize("character", ["\u200b", "\u200d", "\u2028", "\ue000", "\U000e0041", "\U000f0000"])
def test_an_import_line_cannot_have_ids_with_invisible_characters(character: str) -> None:
    seats = [{"seat": 1, "player": f"a{character}nn", "stack": 9}]
    document = {"ruleset": "turbo", "table": f"kit{character}chen", "seats": seats, "hands": []}
    with pytest.raises(WireError) as refused:
        read_document(json.dumps(document).encode())
    assert [(mistake.code, mistake.path) for mistake in refused.value.mistakes] == [
        ("text-characters", ("table",)),
        ("text-characters", ("seats", 0, "player")),
    ]


def test_the_document_of_a_correction_is_read_by_the_compiled_schema() -> None:
    schema = CorrectionRequestSchema()
    request = {"reason": "a card was misread", "version": 4, "document": DOCUMENT}
    expected = schema.load(request).document
    schema.fields["document"].schema.load_fields.clear()  # so that marshmallow knows no field
    assert schema.load(request).document == expected


def test_load_reports_the_errors_of_an_invalid_object() -> None:
    with pytest.raises(WireError) as refused:
        load(HandRequestSchema(), {**HAND, "button": 0, "dealer": 1})
    assert [(mistake.code, mistake.path) for mistake in refused.value.mistakes] == [
        ("out-of-range", ("button",)),
        ("field-unknown", ("dealer",)),
    ]


def test_the_compiled_schema_is_the_published_one() -> None:
    app = create_app(Config("postgresql://nobody@nowhere/nothing"))
    published = services_of(app).contract.spec.to_dict()["components"]["schemas"]
    compiled = json_schema(RoundDocumentRequestSchema)
    assert compiled["$ref"] == "#/components/schemas/RoundDocumentRequest"
    plain = {name: without_examples(schema) for name, schema in compiled["components"]["schemas"].items()}
    assert plain == {name: without_examples(published[name]) for name in plain}
    assert {"RoundDocumentRequest", "DocumentHandRequest", "PlayerHand", "Street", "TopUp"} <= plain.keys()


def without_examples(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            str(key): without_examples(value) for key, value in schema.items() if key not in ("example", "description")
        }
    return [*map(without_examples, schema)] if isinstance(schema, list) else schema
