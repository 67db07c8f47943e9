"""The strict JSON parser."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import strict_json
from schemas.base import WireError
from schemas.strict_json import read_json
from tests.schemas.test_fields import json_values


@given(json_values)
def test_json_is_decoded_as_it_was_encoded(value: Any) -> None:
    for ascii_only in (True, False):
        try:
            written = json.dumps(value, ensure_ascii=ascii_only).encode()
        except UnicodeEncodeError:
            continue
        assert read_json(written) == value


KEYS = st.sampled_from(["a", "b", "a:", ":", "\u00e9", '"', ""])
NUMBERS = st.sampled_from(
    ["0", "-0", "-0.0", "1.0", "2.50", "1e3", "1e-999", *(str(2**63 + each) for each in (-1, 0, 2**63))]
)
TOO_LONG = "1234567890" * 3


def objects(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return objects with duplicate keys, or with spaces around their colons."""
    member = st.tuples(KEYS.map(json.dumps), st.sampled_from([":", " : ", "\t:\n"]), inner).map("".join)
    return st.lists(member, max_size=3).map(lambda members: "{" + ",".join(members) + "}")


WRITTEN = st.recursive(
    KEYS.map(lambda text: json.dumps(text, ensure_ascii=False)) | NUMBERS | st.sampled_from([TOO_LONG, "null", "NaN"]),
    lambda inner: objects(inner) | st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
    max_leaves=8,
)


@given(WRITTEN)
def test_orjson_and_the_strict_parser_agree(written: str) -> None:
    def read(by: Callable[[bytes], Any]) -> str:
        try:
            return repr(by(written.encode()))
        except WireError as error:
            return repr(error.mistakes)

    assert read(read_json) == read(strict_json._parse_strictly)


@given(st.binary(max_size=40))
def test_any_bytes_are_decoded_or_refused_with_one_code(body: bytes) -> None:
    try:
        read_json(body)
    except WireError as error:
        [mistake] = error.mistakes
        assert mistake.code.startswith("json-")
        assert mistake.path == ()
        assert mistake.detail.isprintable()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "json-empty"),
        (b" \n", "json-empty"),
        (b"{", "json-syntax"),
        (b"{}{}", "json-syntax"),
        (b"[1,]", "json-syntax"),
        (b"\xef\xbb\xbf{}", "json-encoding"),
        (b"\xff\xfe{\0}\0", "json-encoding"),
        (b'"\xed\xa0\x80"', "json-encoding"),
        (b'{"a": 1, "a": 1}', "json-key-twice"),
        (b'[[{"a": 1, "b": {}, "\\u0061": 2}]]', "json-key-twice"),
        (b"NaN", "json-number"),
        (b"[-Infinity]", "json-number"),
        (b"1e999", "json-number"),
        (b"-1E999", "json-number"),
        (b"9" * 4301, "json-number"),
        (b"[" * 100_000, "json-depth"),
        (b'{"":' * 100_000, "json-depth"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else value,
)
def test_ambiguous_json_is_refused(body: bytes, code: str) -> None:
    with pytest.raises(WireError) as refused:
        read_json(body)
    assert [mistake.code for mistake in refused.value.mistakes] == [code]


def test_two_objects_can_have_the_same_key() -> None:
    assert read_json(b'[{"a": 1}, {"a": {"a": 2}}]') == [{"a": 1}, {"a": {"a": 2}}]


@pytest.mark.parametrize("digits", ["1e-999", "-1E-400", "0.0e-99999999999999999999", "2.00000000000000000001", "1e15"])
def test_a_number_does_not_lose_its_fraction(digits: str) -> None:
    if float(digits) == 1e15:
        assert read_json(digits.encode()) == 10**15
        return
    with pytest.raises(WireError, match="would be read as"):
        read_json(b"[%s]" % digits.encode())
