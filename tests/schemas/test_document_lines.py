"""Import lines are parsed as marshmallow parses them, whether or not the compiled schema accepts them."""

import json
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import canonical_json
from schemas import document_lines
from schemas.base import WireError, load
from schemas.document_lines import DocumentLine, parse_line
from schemas.documents import RoundDocument, RoundDocumentRequestSchema, canonical_document, dump_document
from schemas.hands import dump_hand
from schemas.json_schema import json_schema
from schemas.strict_json import read_json
from service.app import create_app
from service.config import Config
from tests.oracle import PRESETS, random_document
from tests.support.scoring.strategies import PROPERTY

ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 1.0, 3.0, 2.5, 1e300, 2**53, 10**30, 10_001, 1001, "", "As", "as", "10s", "\ud800", "\n", "a\n",
     "é" * 101, "2026-11-20T19:00:00Z", "2026-02-30T19:00:00Z", "2026-11-20T19:00:00+24:00",
     "0001-01-01T00:00:00+14:00", "pineapple@1", "Pineapple", "EUR", "EURO", [], {}, ["As"], [None], {"a": 1}]
).map(deepcopy)  # fmt: skip


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return every path in a document."""
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


@st.composite
def received(draw: st.DrawFn) -> Any:
    """Return a round document with unusual values, unknown fields and omitted fields."""
    rng = Random(draw(st.integers(0, 2**32)))
    document = random_document(rng, rng.choice([*PRESETS.values()]))
    for _ in range(draw(st.integers(0, 3))):
        *path, last = rng.choice(places(document)[1:])
        place = document
        for step in path:
            place = place[step]
        if draw(st.integers(0, 4)) == 0:
            del place[last]
        elif isinstance(place, dict) and draw(st.integers(0, 5)) == 0:
            place[draw(st.sampled_from(["expected", "played_at", "closed", "reference", "point_value", "odd"]))] = draw(
                ODD
            )
        else:
            place[last] = draw(ODD)
    return document


def parse_with_marshmallow(document: Any) -> RoundDocument | tuple[Any, ...]:
    try:
        read: RoundDocument = load(RoundDocumentRequestSchema(), document)
    except WireError as error:
        return error.mistakes
    return read


def parse_as_line(line: bytes) -> RoundDocument | tuple[Any, ...]:
    try:
        return check_line(parse_line(line))
    except WireError as error:
        return error.mistakes


def check_line(line: DocumentLine) -> RoundDocument:
    """Return the whole document of a line, and assert that its head and hands are parts of it."""
    document, hands = line.document(), line.keep()
    assert line.head == replace(document, hands=())
    for encoded, submitted in zip(hands, document.hands, strict=True):
        hand = submitted.hand
        assert encoded.packed._replace(top_ups=()) == hand.packed._replace(top_ups=())
        assert encoded.packed.top_ups == sorted(hand.top_ups, key=lambda added: added.seat)
        assert encoded.knows_more == any((player.discards, player.streets) != (None, None) for player in hand.players)
        assert (encoded.played_at, encoded.content) == (submitted.played_at, canonical_json(dump_hand(submitted)))
    written = canonical_document(line.head, [hand.content for hand in hands])
    assert written == canonical_json(dump_document(replace(document, opened_at=None)))
    return document


@pytest.mark.no_cover
@PROPERTY
@given(received())
def test_a_line_is_parsed_or_refused_as_marshmallow_does(document: Any) -> None:
    line = json.dumps(document).encode()
    actual, expected = parse_as_line(line), parse_with_marshmallow(read_json(line))
    assert actual == expected
    assert repr(actual) == repr(expected)  # 3 equals 3.0, but repr differs


@pytest.mark.no_cover
@PROPERTY
@given(received())
def test_a_line_accepted_by_the_compiled_schema_equals_the_marshmallow_result(document: Any) -> None:
    decoded = read_json(json.dumps(document).encode())
    taken = document_lines.parse_valid_document(decoded)
    assert taken is None or check_line(taken) == parse_with_marshmallow(decoded)


@pytest.mark.parametrize("name", PRESETS)
def test_valid_documents_need_no_marshmallow(name: str) -> None:
    rng = Random(4)
    assert all(document_lines.parse_valid_document(random_document(rng, PRESETS[name])) for _ in range(5))


def test_the_compiled_schema_is_the_published_one() -> None:
    app = create_app(Config("postgresql://nobody@nowhere/nothing"))
    published = app.extensions["ofc_contract"].spec.to_dict()["components"]["schemas"]
    compiled = json_schema(RoundDocumentRequestSchema)
    assert compiled["$ref"] == "#/components/schemas/RoundDocumentRequest"
    plain = {name: without_examples(schema) for name, schema in compiled["components"]["schemas"].items()}
    assert plain == {name: without_examples(published[name]) for name in plain}
    assert {"RoundDocumentRequest", "Hand", "PlayerHand", "Street", "TopUp"} <= plain.keys()


def without_examples(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            str(key): without_examples(value) for key, value in schema.items() if key not in ("example", "description")
        }
    return [*map(without_examples, schema)] if isinstance(schema, list) else schema
