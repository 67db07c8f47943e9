"""Requests that a scorekeeper's page has exported: a file of lines of JSON."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from client.errors import UnreadableError
from client.outbox.entries import OPENING, VERBS

_TEXTS: Final = ("table", "body", "idempotency_key")


@dataclass(frozen=True, slots=True)
class ExportedRequest:
    """
    A request that waits on another device.

    Its round has an ID, or the reference with which it was opened on the device.
    """

    operation: str
    table: str
    round_id: str | None
    reference: str | None
    body: str
    key: str

    @property
    def document(self) -> dict[str, Any]:
        """The content of the request."""
        read: dict[str, Any] = json.loads(self.body)
        return read

    @classmethod
    def read(cls, line: Any) -> Self:
        """
        Parse a line.

        Raises:
            ValueError: it is not a request that a device exported.
        """
        if not isinstance(line, dict) or line.get("operation") not in VERBS:
            raise ValueError(f"`operation` is not one of {', '.join(VERBS)}")
        for name in _TEXTS:
            if not isinstance(line.get(name), str):
                raise ValueError(f"`{name}` is not a string")
        round_id, reference = line.get("round"), line.get("reference")
        named = reference if line["operation"] == OPENING or round_id is None else round_id
        if not isinstance(named, str):
            raise ValueError("the request has neither a `round` nor a `reference`")
        if not isinstance(json.loads(line["body"]), dict):
            raise ValueError("`body` is not the JSON of an object")
        return cls(line["operation"], line["table"], round_id, reference, line["body"], line["idempotency_key"])


def read_exported(path: Path) -> list[ExportedRequest]:
    """
    Read the requests of a file.

    Raises:
        UnreadableError: a line is not a request that a device exported.
    """
    requests = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(f"{path} cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        try:
            requests.append(ExportedRequest.read(json.loads(line)))
        except ValueError as error:
            raise UnreadableError(
                f"{path}, line {number}: {error}; expected a file that the scorekeeper's page has exported"
            ) from None
    return requests
