"""Places in documents, written as JSON pointers in the fragment of an address."""

from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from schemas.problems import show_pointer


def follow(pointer: str) -> list[str]:
    """Read a pointer as RFC 6901 says."""
    head, *steps = unquote(pointer).split("/")
    assert head == "#"
    return [step.replace("~1", "/").replace("~0", "~") for step in steps]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=4))
def test_a_pointer_leads_where_it_says(path: list[str]) -> None:
    pointer = show_pointer(tuple(path))
    assert follow(pointer) == path
    assert pointer.isascii()
    assert pointer.isprintable()
    assert " " not in pointer


@given(st.lists(st.text() | st.integers(0, 99), max_size=4))
def test_every_key_can_be_pointed_at(path: list[str | int]) -> None:
    assert show_pointer(tuple(path)).isascii()


def test_long_keys_are_cut() -> None:
    assert show_pointer(("expected", "k" * 10_000, 7)) == "#/expected/" + "k" * 100 + "/7"
