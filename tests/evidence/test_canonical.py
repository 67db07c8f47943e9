"""Canonical JSON: the same content has the same bytes, however it was spaced and ordered."""

import json
from hashlib import sha256
from typing import Any

from hypothesis import assume, given

from evidence import canonical_json, digest_of
from tests.schemas.test_fields import json_values


@given(json_values)
def test_content_has_the_bytes_that_it_had_before_it_was_written_quickly(value: Any) -> None:
    def is_exact(part: Any) -> bool:
        """Whether it holds no fractions, as no record does."""
        if isinstance(part, list | dict):
            return all(map(is_exact, part.values() if isinstance(part, dict) else part))
        return not isinstance(part, float)

    assume(is_exact(value))
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert canonical_json(value) == written
    assert digest_of(value) == sha256(written).digest()


@given(json_values)
def test_the_same_content_has_the_same_bytes_in_any_order(value: Any) -> None:
    def turned(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: turned(inner) for key, inner in reversed(part.items())}
        return [turned(inner) for inner in part] if isinstance(part, list) else part

    try:
        written = canonical_json(value)
    except UnicodeEncodeError:
        return
    assert canonical_json(turned(value)) == written
    assert len(digest_of(value)) == 32
