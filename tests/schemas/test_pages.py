"""Cursors and query parameters."""

from contextlib import suppress
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import WireError, load
from schemas.pages import CURSOR_LENGTH, DEFAULT, PageQuerySchema, parse_cursor, show_cursor
from schemas.rounds import RoundQuerySchema


@given(st.uuids())
def test_a_cursor_is_parsed_to_its_item(last: UUID) -> None:
    cursor = show_cursor(last)
    assert parse_cursor(cursor) == last
    assert len(cursor) == CURSOR_LENGTH
    assert cursor.isascii()
    assert not set(cursor) & set("+/=& ")


@given(st.text(max_size=30))
def test_only_cursors_are_parsed(text: str) -> None:
    with suppress(ValueError):
        assert show_cursor(parse_cursor(text)) == text


@pytest.mark.parametrize("text", ["", "A", "=", "A" * 21, "A" * 23, "A" * 22 + "==", "A" * 21 + "B", "A" * 21 + "!"])
def test_almost_valid_cursors_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a cursor"):
        parse_cursor(text)


def test_omitted_parameters_are_none() -> None:
    assert load(PageQuerySchema(), {}) == {"limit": DEFAULT, "cursor": None}
    query = load(RoundQuerySchema(), {"limit": "7"})
    assert query == {
        "limit": 7,
        "cursor": None,
        "table_id": None,
        "table_name": None,
        "reference": None,
        "player": None,
        "status": None,
        "state": None,
        "opened_from": None,
        "opened_before": None,
    }


@pytest.mark.parametrize("text", ["0", "101", "007x", "-1", "+1", " 1", "1 ", "1_0", "٣", "", "1.0", "9" * 20])
def test_an_invalid_limit_is_refused(text: str) -> None:
    with pytest.raises(WireError, match="expected an integer from 1 to 100"):
        load(PageQuerySchema(), {"limit": text})


@pytest.mark.parametrize(("text", "limit"), [("1", 1), ("100", 100), ("007", 7)])
def test_a_limit_is_parsed(text: str, limit: int) -> None:
    assert load(PageQuerySchema(), {"limit": text})["limit"] == limit
