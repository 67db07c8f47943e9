"""Field types accept valid values, and refuse others with the value found and the values accepted."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError, fields

from schemas.base import MOST_SHOWN, Sentence, WireField
from schemas.fields import (
    MOST_INTEGER,
    Boolean,
    Choice,
    DateField,
    Dictionary,
    ExpectedField,
    Integer,
    Listing,
    Text,
    Time,
    show,
    show_time,
)
from schemas.game_fields import CardField, CardList, RowField, TableNameField, UnitCodeField
from scoring.cards import DECK, Card

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)

FIELDS: dict[str, fields.Field[Any]] = {
    "integer": Integer(),
    "small integer": Integer(least=0, most=17),
    "boolean": Boolean(),
    "text": Text(longest=5),
    "name": Text(pattern="^[a-z]+$", meaning="small letters"),
    "choice": Choice({"open": 1, "closed": 2}),
    "card": CardField(),
    "row": RowField(3),
    "cards": CardList(most=4),
    "list": Listing(Integer(), least=1, most=2),
    "time": Time(),
    "table": Dictionary(Integer(), most=2),
    "anything": ExpectedField(),
}


def sentences(messages: Any) -> list[str]:
    if isinstance(messages, dict):
        return [sentence for inner in messages.values() for sentence in sentences(inner)]
    if isinstance(messages, list):
        return [sentence for inner in messages for sentence in sentences(inner)]
    return [messages]


def code_of(field: fields.Field[Any], value: object) -> str | None:
    """Return the code of the first error of a value; None if it is valid."""
    try:
        field.deserialize(value)
    except ValidationError as error:
        first = sentences(error.messages)[0]
        assert isinstance(first, Sentence)
        return first.code
    return None


@pytest.mark.parametrize("kind", FIELDS)
@given(value=json_values)
def test_any_value_is_accepted_or_refused_with_a_short_sentence_and_a_code(kind: str, value: object) -> None:
    try:
        FIELDS[kind].deserialize(value)
    except ValidationError as error:
        for sentence in sentences(error.messages):
            assert isinstance(sentence, Sentence), sentence
            assert sentence.code
            assert len(sentence) < 200
            assert sentence.isprintable()


# --- numbers ---


@pytest.mark.parametrize("value", [0, 3, -3, 3.0, -0.0, 1e3, MOST_INTEGER, -MOST_INTEGER, float(2**52)])
def test_a_whole_float_is_an_integer(value: float) -> None:
    number = Integer().deserialize(value)
    assert type(number) is int
    assert number == value


@pytest.mark.parametrize("value", [True, False, "3", "1_0", "٣", 3.5, 1e-9, [3], {}, "NaN"])
def test_other_values_are_no_integers(value: object) -> None:
    assert code_of(Integer(), value) == "not-an-integer"


@pytest.mark.parametrize("value", [MOST_INTEGER + 1, -MOST_INTEGER - 1, 2.0**53, 1e300, 10**400])
def test_integers_that_other_parsers_round_are_out_of_range(value: float) -> None:
    assert code_of(Integer(), value) == "out-of-range"


@given(st.integers())
def test_the_bounds_are_accepted_and_values_beyond_them_are_not(value: int) -> None:
    assert code_of(Integer(least=-3, most=4), value) == (None if -3 <= value <= 4 else "out-of-range")


@pytest.mark.parametrize("value", [0, 1, "true", "", []])
def test_only_true_and_false_are_booleans(value: object) -> None:
    assert code_of(Boolean(), value) == "not-a-boolean"


# --- texts ---


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("", "text-length"),
        ("abcdef", "text-length"),
        (7, "not-a-text"),
        (["a"], "not-a-text"),
        ("a\0", "text-characters"),
        ("a\n", "text-characters"),
        ("\x7f", "text-characters"),
        ("\ud800", "text-characters"),
        ("a\udfff", "text-characters"),
        ("♣ é", None),
        ("👑", None),
    ],
)
def test_a_text_is_one_line_that_a_database_can_store(value: object, code: str | None) -> None:
    assert code_of(Text(longest=5), value) == code


@given(st.text(min_size=1, max_size=5))
def test_every_accepted_text_can_be_encoded_in_utf_8_and_has_no_nul(value: str) -> None:
    if code_of(Text(longest=5), value) is None:
        assert b"\0" not in value.encode()


def test_a_pattern_matches_the_whole_text() -> None:
    name = Text(pattern="^[a-z]+$", meaning="small letters")
    assert code_of(name, "abc") is None
    assert code_of(name, "abc\n") == "text-characters"
    assert code_of(name, "abc d") == "text-pattern"
    assert code_of(Text(pattern="^[0-9]+$"), "٣") == "text-pattern"


@pytest.mark.parametrize("value", ["Open", "open ", "", 1, None.__class__, {}, ["open"]])
def test_a_choice_is_one_of_its_values(value: object) -> None:
    assert code_of(Choice({"open": 1}), value) == "not-a-choice"


# --- cards ---


@pytest.mark.parametrize("card", DECK)
def test_every_card_is_parsed(card: Card) -> None:
    assert CardField().deserialize(str(card)) is card


@pytest.mark.parametrize("value", ["as", "AS", "10s", "A♠", "A", "", "As ", "As\n", "1c", "Ax", 51, None, ["As"], {}])
def test_an_invalid_card_is_refused(value: object) -> None:
    assert code_of(CardField(), value) == ("field-null" if value is None else "card-unknown")


@pytest.mark.parametrize("value", [[], ["As"], ["As"] * 4, "AsAdAc", None, {"0": "As"}, ["As", "Ad", None]])
def test_a_row_with_another_number_of_cards_is_refused(value: object) -> None:
    assert code_of(RowField(3), value) in ("row-size", "not-a-list", "field-null")


def test_a_row_preserves_the_order_of_its_cards() -> None:
    assert [str(card) for card in RowField(3).deserialize(["As", "2c", "Td"])] == ["As", "2c", "Td"]


def test_every_invalid_card_has_its_path() -> None:
    with pytest.raises(ValidationError) as refused:
        RowField(3).deserialize(["As", "Xx", 7])
    assert list(refused.value.messages) == [1, 2]


# --- times ---


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-20T20:15:00Z", datetime(2026, 11, 20, 20, 15, tzinfo=UTC)),
        ("2026-11-20t20:15:00z", datetime(2026, 11, 20, 20, 15, tzinfo=UTC)),
        ("2026-11-20 21:15:00+01:00", datetime(2026, 11, 20, 20, 15, tzinfo=UTC)),
        ("2026-11-20T20:15:00.5-00:00", datetime(2026, 11, 20, 20, 15, 0, 500_000, tzinfo=UTC)),
        ("2024-02-29T23:59:59.123456789Z", datetime(2024, 2, 29, 23, 59, 59, 123_456, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59Z", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_a_time_is_parsed_with_any_utc_offset(text: str, moment: datetime) -> None:
    assert Time().deserialize(text) == moment


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-20",
        "2026-11-20T20:15Z",
        "2026-11-20T20:15:00",
        "20261120T201500Z",
        "2026-W47-5T20:15:00Z",
        "2026-11-20T20:15:00,5Z",
        "2026-11-20T20:15:00.Z",
        "2026-11-20T20:15:00+01",
        "2026-11-20T20:15:00+0100",
        "2026-11-20T20:15:00+01:00:30",
        "2026-11-20T20:15:00Z\n",
        "2026-11-20T20:15:60Z",
        "2026-02-29T20:15:00Z",
        "2026-11-20T24:00:00Z",
        "2026-11-20T20:15:00+24:00",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "٢026-11-20T20:15:00Z",
        1763669700,
        "",
    ],
)
def test_an_invalid_time_is_refused(value: object) -> None:
    assert code_of(Time(), value) == "not-a-time"


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        (Time(), "2026-02-29T20:15:00Z", "is '2026-02-29T20:15:00Z', and February 2026 has 28 days; expected RFC 3339"),
        (Time(), "2026-13-01T20:15:00Z", "and a year has 12 months; expected RFC 3339"),
        (Time(), "2026-12-31T23:59:60Z", "and leap seconds are not accepted: send the second before it; expected"),
        (Time(), "2026-11-20T24:00:00Z", "outside the day: hours are 00 to 23, minutes and seconds 00 to 59; expected"),
        (Time(), "0000-01-01T00:00:00Z", "and years begin with 0001; expected RFC 3339"),
        (DateField(), "2026-02-29", "is '2026-02-29', and February 2026 has 28 days; expected a date, for example"),
        (
            UnitCodeField(),
            "€",
            "is '€'; expected a currency, for example EUR, or the code of a unit",
        ),
        (TableNameField(), "x\u202ey", "expected a name or id without control, format and private characters"),
    ],
)
def test_a_refused_value_is_explained(field: WireField, value: str, reason: str) -> None:
    with pytest.raises(ValidationError) as refused:
        field.deserialize(value)
    assert reason in str(refused.value.messages[0])


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_formatted_time_can_be_parsed(moment: datetime) -> None:
    written = show_time(moment)
    assert written is not None
    assert written.endswith("Z")
    assert Time().deserialize(written) == moment


# --- objects, and the values found ---


def test_every_invalid_value_of_a_table_has_its_key() -> None:
    with pytest.raises(ValidationError) as refused:
        Dictionary(Integer(), most=5).deserialize({"QQ": "7", "KK": 8, "AA": None, "x" * 61: 1})
    codes = {key: sentences(messages)[0].code for key, messages in refused.value.messages.items()}
    assert codes == {"QQ": "not-an-integer", "AA": "field-null", "x" * 61: "text-length"}


def test_a_table_with_too_many_entries_is_refused() -> None:
    assert code_of(Dictionary(Integer(), most=2), {"a": 1, "b": 2, "c": 3}) == "list-length"
    assert code_of(Listing(Integer(), most=2), [1, 2, 3]) == "list-length"


def test_a_list_is_not_searched_beyond_the_errors_that_are_reported() -> None:
    with pytest.raises(ValidationError) as refused:
        Listing(Dictionary(Integer(), most=5), most=10_000).deserialize([{"QQ": "7", "KK": None}, {"QQ": 7}] * 5_000)
    assert list(refused.value.messages) == list(range(0, MOST_SHOWN, 2))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (7, "7"),
        (1.5, "1.5"),
        ("As", "'As'"),
        ("a\n\0", r"'a\n\x00'"),
        ([1, [2]], "an array"),
        ({"a": 1}, "an object"),
        ("x" * 1000, "'" + "x" * 58 + "…"),
        (10**200, "1" + "0" * 58 + "…"),
    ],
)
def test_a_value_found_is_shown_as_short_json(value: object, shown: str) -> None:
    assert show(value) == shown
