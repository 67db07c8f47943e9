"""The fast parsers of schemas accept only what the schemas load."""

from copy import deepcopy
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import ValidationError, fields, pre_load, validate

from schemas.base import WireError, WireSchema, load
from schemas.documents import RoundDocumentRequestSchema
from schemas.fields import Integer
from schemas.hands import HandRequestSchema
from schemas.rounds import RoundRequestSchema
from schemas.scores import ScoreRequestSchema
from schemas.tables import TableRequestSchema

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
PLAYER: Final = {"seat": 1, "player": "ann", "fantasyland": 0, **CARDS, "discards": ["2c"], "streets": [STREET]}
HAND: Final = {
    "number": 1,
    "button": 3,
    "played_at": "2026-11-20T20:15:00Z",
    "top_ups": [{"seat": 1, "points": 40}],
    "players": [PLAYER, {"seat": 2, **OTHER_CARDS, "discards": None, "streets": None}],
    "restores": None,
    "expected": {"stacks": {}},
}
SEAT: Final = {"seat": 1, "player": "ann", "stack": 200}
DOCUMENT: Final = {
    "ruleset": "pineapple@1",
    "table": "kitchen",
    "reference": "2026-11-20/3",
    "point_value": 10,
    "currency": "EUR",
    "seats": [SEAT],
    "hands": [{name: HAND[name] for name in ("number", "button", "played_at", "top_ups")} | {"players": []}],
    "departures": [{"seat": 3, "after_hand": 2, "reason": "late"}],
    "closed": {"after_hand": 5, "reason": "late"},
}
VALID: Final[list[tuple[WireSchema, dict[str, Any]]]] = [
    (HandRequestSchema(), HAND),
    (ScoreRequestSchema(), {"ruleset": "pineapple", "button": 3, "players": [{**PLAYER, "stays": 0, "stack": 3}]}),
    (RoundRequestSchema(), {"seats": [SEAT, {"seat": 2, "player": "bob"}], "reference": "a"}),
    (TableRequestSchema(), {"name": "kitchen", "ruleset": "turbo", "point_value": 1, "currency": "EUR"}),
    (RoundDocumentRequestSchema(), DOCUMENT),
]
ODD: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 6),
    st.sampled_from([0.5, 2.0, 1e300, 2**53, 10_001]),
    st.sampled_from(["", "As", "as", "10s", "ann", "a\0", "\ud800", "EUR", "x" * 101, "2026-11-20T20:15:00+01:00"]),
    st.sampled_from([[], {}, ["As"], [["As"]], [None], {"seat": 1}, ["As", "As", "As"], ["As"] * 30]),
)


@st.composite
def almost_valid(draw: st.DrawFn, document: dict[str, Any]) -> Any:
    """Return a valid document with up to three values changed or omitted."""
    changed = deepcopy(document)
    for _ in range(draw(st.integers(0, 3))):
        place: Any = changed
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = draw(st.sampled_from([*keys, "odd"] if isinstance(place, dict) else keys)) if keys else None
            if key is None:
                break
            inner = place[key] if key != "odd" or "odd" in place else None
            if isinstance(inner, dict | list) and inner and draw(st.booleans()):
                place = inner
                continue
            if key in keys and draw(st.booleans()):
                del place[key]
            else:
                place[key] = deepcopy(draw(ODD))
            break
    return changed


@pytest.mark.parametrize(("schema", "valid"), VALID, ids=lambda part: type(part).__name__)
@given(drawn=st.data())
@settings(max_examples=300, deadline=None)
def test_the_fast_parser_accepts_only_what_its_schema_loads(
    schema: WireSchema, valid: dict[str, Any], drawn: st.DataObject
) -> None:
    received = drawn.draw(almost_valid(valid))
    try:
        loaded = schema.load(received)
    except ValidationError:
        with pytest.raises((KeyError, ValidationError)):
            schema.reader(received)
    else:
        assert schema.reader(received) == loaded


def test_a_valid_hand_is_parsed_by_the_fast_parser() -> None:
    schema = HandRequestSchema()
    loaded = schema.load(HAND)
    schema.load = None
    assert load(schema, HAND) == loaded


def test_load_reports_the_errors_of_an_invalid_object() -> None:
    with pytest.raises(WireError) as refused:
        load(HandRequestSchema(), {**HAND, "button": 0, "dealer": 1})
    assert [(mistake.code, mistake.path) for mistake in refused.value.mistakes] == [
        ("out-of-range", ("button",)),
        ("field-unknown", ("dealer",)),
    ]


class Doubled(WireSchema):
    """An object that a hook changes before it is parsed."""

    number = Integer(required=True)

    @pre_load
    def _double(self, read: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {"number": read["number"] * 2}


class Odd(WireSchema):
    """An object with a validator for one field, and with a field type of marshmallow."""

    number = Integer(required=True, validate=validate.OneOf([1, 3]))
    word = fields.String()


def test_the_fast_parser_supports_hooks_validators_and_marshmallow_fields() -> None:
    assert Doubled().reader({"number": 2}) == {"number": 4}
    assert Odd().reader({"number": 3, "word": "three"}) == {"number": 3, "word": "three"}
    for invalid in ({"number": 2}, {"number": 1, "word": 1}):
        with pytest.raises(ValidationError):
            Odd().reader(invalid)
