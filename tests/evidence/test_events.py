"""Typed events: decoded as they were encoded, to the byte as they are stored in `events/`, and in no other way."""

from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass, replace
from datetime import UTC, datetime
from enum import EnumType
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints
from uuid import UUID

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import EvidenceError, canonical_json
from evidence.codec import OMITTED, CanonicalJson
from evidence.events import (
    PAYLOADS,
    ClubChanged,
    EventKind,
    EventPayload,
    HandRecorded,
    KeyCreated,
    LinkIssued,
    LinkKind,
    PlayerErased,
    RulesetAdded,
    decode_event,
)
from evidence.hands import decode_hand, encode_hand
from tests.evidence.example_events import EXAMPLES, OPENED, hand_in_full

FOLDER: Final = Path(__file__).parent / "events"
"""One event of each kind, the content as it is stored, and a line feed."""

TEXTS = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=20)
VALUES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS
OBJECTS = st.dictionaries(TEXTS, VALUES | st.lists(VALUES, max_size=3), max_size=3)
STRATEGIES: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(-(2**53), 2**53),
    str: TEXTS,
    bytes: st.binary(max_size=32),
    UUID: st.uuids(),
    datetime: st.datetimes(timezones=st.just(UTC)),
    CanonicalJson: OBJECTS.map(canonical_json),
}


def strategy_of(type_: Any) -> st.SearchStrategy[Any]:
    """Make any value of a type."""
    if type_ in STRATEGIES:
        return STRATEGIES[type_]
    if isinstance(type_, UnionType):
        [inner] = [each for each in get_args(type_) if each is not NoneType]
        return st.none() | strategy_of(inner)
    if get_origin(type_) is tuple:
        return st.lists(strategy_of(get_args(type_)[0]), max_size=3).map(tuple)
    if isinstance(type_, EnumType):
        return st.sampled_from(list(type_))
    assert is_dataclass(type_), type_
    hints = get_type_hints(type_)
    return st.builds(type_, **{each.name: strategy_of(hints[each.name]) for each in fields(type_)})


def payloads() -> st.SearchStrategy[EventPayload]:
    return st.sampled_from(list(PAYLOADS.values())).flatmap(strategy_of)


@given(event=payloads())
def test_an_event_is_decoded_as_it_was_encoded(event: EventPayload) -> None:
    content = event.encode()
    assert decode_event(event.kind, content) == event
    assert canonical_json(orjson.loads(content)) == content


@given(event=payloads(), place=st.integers(0), byte=st.integers(0, 255))
def test_content_that_was_changed_is_refused_or_another_event(event: EventPayload, place: int, byte: int) -> None:
    content = event.encode()
    place %= len(content)
    changed = content[:place] + bytes([byte]) + content[place + 1 :]
    with suppress(EvidenceError):
        decoded = decode_event(event.kind, changed)
        assert decoded is not None
        assert decoded.encode() == changed
        assert (decoded == event) is (changed == content)


# --- to the byte ---


def test_there_is_an_example_of_every_kind() -> None:
    assert {event.kind for event in EXAMPLES} == set(EventKind) == set(PAYLOADS)
    assert len(EXAMPLES) == len(EventKind)
    assert {path.stem for path in FOLDER.iterdir()} == set(EventKind)


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.kind)
def test_an_event_is_encoded_to_the_bytes_of_its_release(event: EventPayload) -> None:
    content = (FOLDER / f"{event.kind}.json").read_bytes().removesuffix(b"\n")
    assert event.encode() == content
    assert decode_event(event.kind, content) == event


def test_only_the_link_of_a_player_contains_the_player() -> None:
    [issued] = [event for event in EXAMPLES if isinstance(event, LinkIssued)]
    assert "player" not in orjson.loads(issued.encode())
    personal = replace(issued, link_kind=LinkKind.PLAYER, player="ben")
    assert orjson.loads(personal.encode())["player"] == "ben"
    assert decode_event(personal.kind, personal.encode()) == personal


def test_only_the_key_of_a_player_contains_the_player() -> None:
    [created] = [event for event in EXAMPLES if isinstance(event, KeyCreated)]
    assert "player" not in orjson.loads(created.encode())
    declared = replace(created, player="ben")
    assert orjson.loads(declared.encode())["player"] == "ben"
    assert decode_event(declared.kind, declared.encode()) == declared


def test_only_a_club_that_requires_a_second_auditor_contains_it() -> None:
    [changed] = [event for event in EXAMPLES if isinstance(event, ClubChanged)]
    assert "second_auditor" not in orjson.loads(changed.encode())
    strict = replace(changed, second_auditor=True)
    assert orjson.loads(strict.encode())["second_auditor"] is True
    assert decode_event(strict.kind, strict.encode()) == strict


def test_optional_fields_with_defaults_are_omitted() -> None:
    [recorded] = [event for event in EXAMPLES if isinstance(event, HandRecorded)]
    rare = {each.name for each in fields(recorded) if each.metadata == OMITTED}
    assert rare == {each.name for each in fields(recorded) if each.default is not MISSING}
    plain = HandRecorded(
        round=recorded.round, id=recorded.id, hand=recorded.hand, stacks=recorded.stacks, scorer=recorded.scorer
    )
    content = orjson.loads(plain.encode())
    assert orjson.loads(recorded.encode()).keys() - content.keys() == rare
    with pytest.raises(EvidenceError, match="`irregular` is False; expected it to be left out"):
        decode_event(EventKind.HAND_RECORDED, canonical_json({**content, "irregular": False}))


def test_an_erasure_names_the_digests_of_texts_if_there_were_any() -> None:
    [erased] = [event for event in EXAMPLES if isinstance(event, PlayerErased)]
    assert orjson.loads(erased.encode())["texts"] == [digest.hex() for digest in erased.texts]
    alone = replace(erased, texts=())
    assert "texts" not in orjson.loads(alone.encode())
    assert decode_event(alone.kind, alone.encode()) == alone


# --- what is refused ---


def content_of(**changes: object) -> bytes:
    """Encode the opening of a round with other fields; `...` as a value leaves a field out."""
    content = {**orjson.loads(OPENED.encode()), **changes}
    return canonical_json({name: value for name, value in content.items() if value is not ...})


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (b"", "event-content", "its content is not JSON"),
        (b"{", "event-content", "its content is not JSON"),
        (b"[]", "not-an-object", "its content is []; expected an object"),
        (OPENED.encode() + b" ", "event-content", "its content is not written as canonical JSON"),
        (OPENED.encode().replace(b'{"', b'{ "', 1), "event-content", "its content is not written as canonical JSON"),
        (
            OPENED.encode().replace(b'"imported":false', b'"imported":true,"imported":false'),
            "event-content",
            "its content is not written as canonical JSON",
        ),
        (content_of(opened_at="2026-11-20T20:15:00.000000Z"), "not-a-time", "expected a time in UTC such as"),
        (content_of(opened_at="2026-13-20T20:15:00Z"), "not-a-time", "expected a time in UTC such as"),
        (content_of(mood="good"), "field-unknown", "`mood` is unknown"),
        (content_of(digest=...), "field-missing", "`digest` is required"),
        (content_of(table_sequence=True), "not-an-integer", "`table_sequence` is True; expected an integer"),
        (content_of(table_sequence=1.0), "not-an-integer", "`table_sequence` is 1.0; expected an integer"),
        (content_of(imported=0), "not-a-boolean", "`imported` is 0; expected true or false"),
        (content_of(ruleset=7), "not-a-text", "`ruleset` is 7; expected a text"),
        (content_of(reference="a\tb"), "text-characters", r"`reference` is 'a\tb'; expected no control characters"),
        (content_of(table="kitchen"), "not-an-id", "`table` is 'kitchen'; expected a UUID in small letters"),
        (content_of(table=str(OPENED.table).upper()), "not-an-id", "expected a UUID in small letters"),
        (content_of(digest="7D"), "not-a-digest", "`digest` is '7D'; expected hexadecimal digits in small letters"),
        (content_of(opened_at="2026-11-20"), "not-a-time", "`opened_at` is '2026-11-20'; expected a time in UTC"),
        (content_of(opened_at="2026-11-20T22:00:00+01:00"), "not-a-time", "expected a time in UTC such as"),
        (content_of(carried_over=1), "not-a-list", "`carried_over` is 1; expected a list"),
        (content_of(carried_over=[1, "2"]), "not-an-integer", "`carried_over[1]` is '2'; expected an integer"),
        (
            content_of(seats=[{"seat": 1}]),
            "field-missing",
            "`seats[0].player` is required; `seats[0].stack` is required",
        ),
    ],
)
def test_content_that_no_event_has_is_refused_with_its_place(content: bytes, code: str, message: str) -> None:
    with pytest.raises(EvidenceError) as refused:
        decode_event(EventKind.ROUND_OPENED, content)
    assert refused.value.mistakes[0].code == code
    assert message in str(refused.value)


def test_every_error_of_a_content_is_reported() -> None:
    with pytest.raises(EvidenceError) as refused:
        decode_event(EventKind.ROUND_OPENED, content_of(table=1, seats=[{"seat": "1"}, 2], mood="good"))
    places = [mistake.path for mistake in refused.value.mistakes]
    assert places == [
        ("table",),
        ("seats", 0, "seat"),
        ("seats", 0, "player"),
        ("seats", 0, "stack"),
        ("seats", 1),
        ("mood",),
    ]


def test_a_kind_that_is_not_known_is_nothing() -> None:
    assert decode_event("round.blessed", b"{}") is None


def test_a_ruleset_is_its_own_content() -> None:
    added = decode_event(EventKind.RULESET_ADDED, b'{"name":"double","version":1}')
    assert isinstance(added, RulesetAdded)
    assert added.document == {"name": "double", "version": 1}
    with pytest.raises(EvidenceError, match="expected an object"):
        decode_event(EventKind.RULESET_ADDED, b"[]")


# --- hands ---


def test_a_hand_is_decoded_as_it_was_encoded() -> None:
    hand, played_at = decode_hand(hand_in_full())
    assert canonical_json(encode_hand(hand, played_at)) == hand_in_full()


@pytest.mark.parametrize(
    ("path", "value", "place", "message"),
    [
        (("players", 0, "top", 0), "1x", ("players", 0, "top"), "expected cards such as 'As'"),
        (("players", 0, "top"), ["As"], ("players", 0, "top"), "has 1 cards; expected 3"),
        (("players", 1, "seat"), "two", ("players", 1, "seat"), "is 'two'; expected an integer"),
        (("players", 0, "streets", 0, "auto"), {"As": 1}, ("players", 0, "streets", 0, "auto"), "expected a list"),
        (("top_ups", 0, "points"), None, ("top_ups", 0, "points"), "is null; expected an integer"),
        (("played_at",), "now", ("played_at",), "expected a time in UTC"),
        (("button",), 1.0, ("button",), "is 1.0; expected an integer"),
        (("players", 0, "seat"), True, ("players", 0, "seat"), "is True; expected an integer"),
        (("players", 0, "player"), "ann", ("players", 0, "player"), "is unknown"),
    ],
)
def test_an_invalid_hand_is_refused_with_its_pointer(
    path: tuple[str | int, ...], value: object, place: tuple[str | int, ...], message: str
) -> None:
    content = orjson.loads(hand_in_full())
    inner = content
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(EvidenceError, match=message) as refused:
        decode_hand(CanonicalJson(canonical_json(content)))
    assert refused.value.mistakes[0].path == place


def test_a_hand_is_encoded_by_seat() -> None:
    content = orjson.loads(hand_in_full())
    content["players"].reverse()
    with pytest.raises(EvidenceError, match="expected players and top-ups by seat"):
        decode_hand(CanonicalJson(canonical_json(content)))


def test_every_part_of_a_hand_is_encoded() -> None:
    content = orjson.loads(hand_in_full())
    del content["players"][1]["discards"]
    with pytest.raises(EvidenceError, match="is required") as refused:
        decode_hand(CanonicalJson(canonical_json(content)))
    assert refused.value.mistakes[0].path == ("players", 1, "discards")
