"""
The functions of orjson that `evidence` and `schemas` use, by Python's own `json`.

orjson is compiled and does not run in a browser. Only the rules in the browser import this module; tests compare it
with orjson.
"""

import json
from typing import Any, Final, NoReturn

OPT_SORT_KEYS: Final = 1
JSONDecodeError = json.JSONDecodeError


class JSONEncodeError(TypeError):
    """The value has no JSON."""


class Fragment:
    """JSON that is encoded already. It cannot be part of a document here: nothing in a browser writes events."""

    def __init__(self, contents: bytes) -> None:
        self.contents = contents


def loads(text: bytes) -> Any:
    """
    Decode JSON in UTF-8.

    >>> loads(b'{"a": [1, 2.5]}')
    {'a': [1, 2.5]}

    Raises:
        JSONDecodeError: it is not JSON, or nests too deeply.
    """
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
    except JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise JSONDecodeError(str(error), "", 0) from None


def dumps(content: object, option: int = 0) -> bytes:
    """
    Encode a value as JSON without spaces, in UTF-8.

    >>> dumps({"b": 1, "a": [2.5]}, OPT_SORT_KEYS)
    b'{"a":[2.5],"b":1}'

    Raises:
        JSONEncodeError: the value has no JSON.
    """
    is_sorted = bool(option & OPT_SORT_KEYS)
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=is_sorted)
        return text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise JSONEncodeError(str(error)) from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
