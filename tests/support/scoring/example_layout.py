"""The layout of the example files: rows on one line."""

import json
from typing import Any

WIDTH = 120


def lay_out(value: Any, indent: int = 0, before: int = 0) -> str:
    """
    Write JSON: what is plain or short on one line, but every object of a list on its own.

    >>> print(lay_out({"seats": [{"seat": 1}, {"seat": 2}], "top": ["Qs", "Qd", "4c"]}))
    {
      "seats": [
        {"seat": 1},
        {"seat": 2}
      ],
      "top": ["Qs", "Qd", "4c"]
    }
    """
    line = json.dumps(value, ensure_ascii=False)
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    is_plain = not any(isinstance(part, dict | list) for part in parts)
    if is_plain or (not _lists_objects(value) and indent + before + len(line) <= WIDTH):
        return line
    inner = indent + 2
    if isinstance(value, dict):
        lines = [f"{json.dumps(key)}: {lay_out(part, inner, len(key) + 4)}" for key, part in value.items()]
    else:
        lines = [lay_out(part, inner) for part in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(" " * inner + line for line in lines) + "\n" + " " * indent + closing


def _lists_objects(value: Any) -> bool:
    """Whether there is a list of objects in it, however deep."""
    if isinstance(value, dict):
        return any(map(_lists_objects, value.values()))
    return isinstance(value, list) and any(isinstance(part, dict) or _lists_objects(part) for part in value)
