"""JSON pointers in URI fragments."""

from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from schemas.problems import show_pointer


def follow(pointer: str) -> list[str]:
    """Decode a pointer as in RFC 6901."""
    head, *steps = unquote(pointer).split("/")
    assert head == "#"
    return [step.replace("~1", "/").replace("~0", "~") for step in steps]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=4))
def test_a_pointer_is_decoded_to_its_path(path: list[str]) -> None:
    pointer = show_pointer(tuple(path))
    assert follow(pointer) == path
    assert pointer.isascii()
    assert pointer.isprintable()
    assert " " not in pointer


@given(st.lists(st.text() | st.integers(0, 99), max_size=4))
def test_every_key_has_a_pointer(path: list[str | int]) -> None:
    assert show_pointer(tuple(path)).isascii()


def test_long_keys_are_truncated() -> None:
    assert show_pointer(("expected", "k" * 10_000, 7)) == "#/expected/" + "k" * 100 + "/7"
