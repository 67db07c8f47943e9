"""Cursors and questions."""

from contextlib import suppress
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import WireError, load
from schemas.pages import CURSOR_LENGTH, DEFAULT, PageQuerySchema, read_cursor, show_cursor
from schemas.rounds import RoundQuerySchema


@given(st.uuids())
def test_a_cursor_leads_on_after_its_item(last: UUID) -> None:
    cursor = show_cursor(last)
    assert read_cursor(cursor) == last
    assert len(cursor) == CURSOR_LENGTH
    assert cursor.isascii()
    assert not set(cursor) & set("+/=& ")


@given(st.text(max_size=30))
def test_what_is_read_as_a_cursor_is_one(text: str) -> None:
    with suppress(ValueError):
        assert show_cursor(read_cursor(text)) == text


@pytest.mark.parametrize("text", ["", "A", "=", "A" * 21, "A" * 23, "A" * 22 + "==", "A" * 21 + "B", "A" * 21 + "!"])
def test_what_is_nearly_a_cursor_is_refused_too(text: str) -> None:
    with pytest.raises(ValueError, match="is no cursor"):
        read_cursor(text)


def test_what_is_not_asked_for_is_none() -> None:
    assert load(PageQuerySchema(), {}) == {"limit": DEFAULT, "cursor": None}
    asked = load(RoundQuerySchema(), {"limit": "7"})
    assert asked == {
        "limit": 7,
        "cursor": None,
        "table_id": None,
        "player": None,
        "status": None,
        "state": None,
        "opened_from": None,
        "opened_before": None,
    }


@pytest.mark.parametrize("text", ["0", "101", "007x", "-1", "+1", " 1", "1 ", "1_0", "٣", "", "1.0", "9" * 20])
def test_a_limit_is_plain_digits_in_its_range(text: str) -> None:
    with pytest.raises(WireError, match="a whole number from 1 to 100 is right"):
        load(PageQuerySchema(), {"limit": text})


@pytest.mark.parametrize(("text", "limit"), [("1", 1), ("100", 100), ("007", 7)])
def test_a_limit_is_read(text: str, limit: int) -> None:
    assert load(PageQuerySchema(), {"limit": text})["limit"] == limit
