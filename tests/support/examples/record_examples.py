"""Plays the story to a service and stores one example of each request and response, with stable ids and times."""

import json
import re
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit
from uuid import UUID
from zoneinfo import ZoneInfo

from schemas.ledger.ledger_places import LedgerPlace
from schemas.pages import parse_cursor, show_cursor
from service.http.formats import format_day
from tests.support.api_client import Api, ApiResponse, Document

ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z")
"""A time that the service wrote: those of the story have no fractions of a second."""
DAY = re.compile(r"\b[A-Z][a-z]+day \d{1,2} [A-Z][a-z]+ \d{4}\b")
"""The day in words, as pages show it."""
DIGEST = re.compile(r"\b(?!0{64})[0-9a-f]{64}\b")
"""What depends on ids that differ whenever the story is played."""
SECRET = re.compile(r"\bwhsec_[A-Za-z0-9+/=]+")
"""The secret of a webhook."""
LINK_SECRET = re.compile(r"\bofc_link_[0-9A-Za-z]{43}\b")
"""The secret of a link."""
CONSOLE_CODE = re.compile(r"(?<=/console/sign-in/)[\w-]{43}")
"""The code of a link to the console."""
PHONE_CODE = re.compile(r"\bofc_phone_[\w-]{43}")
"""The code of a link that signs a phone in."""
KEY_SECRET = re.compile(r"\bofc_[0-9a-z]{8}_[0-9A-Za-z]{43}\b")
"""A key."""
KEY = re.compile(r"\bofc_[0-9a-z]{8}\b")
"""How a key begins."""
ENDING = re.compile(r"[0-9a-f]{6}")
"""The end of an id, alone."""
EVENING = datetime(2026, 11, 20, 20, 0, tzinfo=UTC)
SIGNED = re.compile(
    r"(?m)^[A-Za-z0-9+/]{43}=$|(?<=^rounds )[A-Za-z0-9+/]{43}=$|(?<=^— tablestakes )[A-Za-z0-9+/=]+$"
    r"|[A-Za-z0-9+/]{100,}={0,2}"
)
"""The roots, the signature and the cosignature of a checkpoint, and the bytes of an event."""
COUNTED = re.compile(r" \d+\.\d+$")
HEADERS = ("Location", "Link")
LINES = "application/x-ndjson"


class Stable:
    """Replaces every id and every moment by another that is the same whenever the story is played."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}
        self.moments: dict[str, str] = {}

    def id_of(self, real: str) -> str:
        return self.ids.setdefault(real, f"01a1fa84-64a0-7085-97f3-{len(self.ids) + 1:012x}")

    def moment_of(self, real: str) -> str:
        later = EVENING + timedelta(minutes=len(self.moments))
        return self.moments.setdefault(real, later.isoformat().replace("+00:00", "Z"))

    def cursor_of(self, real: str) -> str:
        if len(real) == len(show_cursor(UUID(int=0))):
            return show_cursor(UUID(self.id_of(str(parse_cursor(real)))))
        place = LedgerPlace.parse(real)
        return replace(place, waiting=UUID(self.id_of(str(place.waiting)))).show() if place.waiting.int else real

    def __call__(self, part: Any) -> Any:
        """Copy a document with stable ids, times and secrets."""
        if isinstance(part, dict):
            return {
                name: self.cursor_of(inner) if name == "next_cursor" and inner else self(shortened(name, inner))
                for name, inner in part.items()
            }
        if isinstance(part, list):
            return [self(inner) for inner in part]
        if not isinstance(part, str):
            return part
        if ENDING.fullmatch(part):
            return next((stable[-6:] for real, stable in self.ids.items() if real.endswith(part)), part)
        text = KEY_SECRET.sub("ofc_7q2mx40a_Xk3vT8wYb0nLqJ4xZc6hUa3dPo7sGiKe1rMfXE9gV5k", part)
        text = KEY.sub("ofc_7q2mx40a", text)
        text = LINK_SECRET.sub("ofc_link_Xk3vT8wYb0nLqJ4xZc6hUa3dPo7sGiKe1rMfXE9gV5k", text)
        text = PHONE_CODE.sub("ofc_phone_Xk3vT8wYb0nLqJ4xZc6hUa3dPo7sGiKe1rMfXE9gV5k", text)
        text = CONSOLE_CODE.sub("Xk3vT8wYb0nLqJ4xZc6hUa3dPo7sGiKe1rMfXE9gV5k", text)
        text = SECRET.sub("whsec_fXE9gV5kRm2vT8wYb0nLqJ4xZc6hUa3dPo7sGiKe1rM=", text)
        text = ID.sub(lambda match: self.id_of(match[0]), text)
        text = DIGEST.sub("7d" * 32, text)
        text = SIGNED.sub(lambda match: b64encode(b"}" * (32 if len(match[0]) == 44 else 68)).decode(), text)
        text = MOMENT.sub(lambda match: self.moment_of(match[0]), text)
        text = DAY.sub(format_day(EVENING, ZoneInfo("UTC")), text)
        return re.sub(r"(?<=cursor=)[\w-]{22,43}", lambda match: self.cursor_of(match[0]), text)


def shortened(name: str, part: Any) -> Any:
    """Leave one hash in the proof of a round's newest event: its length depends on the ids of all rounds."""
    return {**part, "proof": part["proof"][:1]} if name == "newest" and isinstance(part, dict) else part


class Recorder:
    """Calls operations by their name, and stores the first response of each status and kind as its example."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.stable = Stable()
        self.examples: dict[str, Document] = {}
        self.problems: Document = {}
        self.keys_used = 0

    def call(
        self, operation: str, parameters: Document | None = None, body: object = None, *, form: str | None = None
    ) -> ApiResponse:
        """
        Call an operation that succeeds, and store the response if it is the first of its status.

        Args:
            operation: its name.
            parameters: its parameters.
            body: the body of the request.
            form: what a further example of a request body, of another form than the first one, is called.
        """
        response = self._send(operation, parameters or {}, body)
        assert response.status < 300, f"{operation}: {response}"
        recorded = self.examples.setdefault(operation, {"parameters": {}, "answers": {}})
        for name, value in (parameters or {}).items():
            example = self.stable.cursor_of(value) if name == "cursor" else self.stable(value)
            recorded["parameters"].setdefault(name, example)
        if body is not None:
            recorded.setdefault("request", self.stable(body))
        if form is not None:
            recorded.setdefault("forms", {})[form] = self.stable(body)
        recorded["answers"].setdefault(str(response.status), self._example_of(response))
        return response

    def record(self, operation: str, parameters: Document, body: object) -> ApiResponse:
        """Try an operation, do it, and send it again as a client does that received no response."""
        self.keys_used += 1
        key = {"Idempotency-Key": f"7c4a8d09-2026-4b1f-9d3e-{self.keys_used:012d}"}
        tried = self._send(operation, {**parameters, "dry_run": True}, body)
        done = self.call(operation, {**parameters, **key}, body)
        again = self._send(operation, {**parameters, **key}, body)
        self.examples[operation]["parameters"]["dry_run"] = True
        assert (again.status, again.document) == (done.status, done.document)
        assert tried.status == done.status
        return done

    def refuse(
        self,
        code: str,
        operation: str,
        parameters: Document | None = None,
        body: object = None,
        *,
        api: Api | None = None,
        **options: Any,
    ) -> None:
        """Send a request that must be refused, and store the problem as the example of its kind."""
        response = self._send(operation, parameters or {}, body, api, **options)
        assert response.status >= 400, f"{operation}: {response}"
        assert response["code"] == code, f"{operation}: {response}"
        self.problems.setdefault(code, self.stable(response.document))

    def cut(self, operation: str, name: str, length: int) -> None:
        """Shorten a long list to its first items."""
        recorded = self.examples[operation]
        listed = recorded["answers"]["200"]["body"]
        recorded["cut"] = f"Cut to the first {length} of {len(listed[name])}."
        listed[name] = listed[name][:length]

    def read(self, operation: str, path: str, line: str) -> None:
        """Read a text, and store those of its lines that are the same everywhere."""
        headers = {"Authorization": f"Bearer {self.api.key}"}
        lines = self.api.app.test_client().get(path, headers=headers, buffered=True).get_data(as_text=True).splitlines()
        # A process counts everything since its start: what came before the story is not recorded.
        text = "".join(f"{COUNTED.sub(' 0.0', each)}\n" for each in lines if re.match(line, each))
        assert text, f"{path} says nothing like {line}"
        responses = {"200": {"headers": {}, "body": self.stable(text)}}
        ids = dict(zip(re.findall(r"\{(\w+)\}", self._find(operation)[1]), ID.findall(path), strict=True))
        self.examples[operation] = {"parameters": self.stable(ids), "answers": responses}
        if len(lines) > len(text.splitlines()):
            self.examples[operation]["cut"] = "Some of its lines."

    def send_lines(self, operation: str, content: bytes, shown: str, **more: Any) -> ApiResponse:
        """Send a file of lines, under a key, and store it as an example that shows less of it."""
        self.keys_used += 1
        key = {"Idempotency-Key": f"7c4a8d09-2026-4b1f-9d3e-{self.keys_used:012d}"}
        parameters = {**key, **more}
        response = self._send(
            operation, parameters, None, data=content, headers={"Content-Type": "application/x-ndjson"}
        )
        assert response.status in (200, 202), response
        self.examples[operation] = {
            "parameters": parameters,
            "answers": {str(response.status): self._example_of(response)},
            "request": self.stable(shown),
            "cut": "Cut to one of its lines.",
        }
        return response

    def read_in(self, form: str, operation: str, parameters: Document, line: str = "") -> None:
        """Read the response in another media type, and store its lines, or those that match."""
        response = self._send(operation, parameters, None, headers={"Accept": form})
        assert response.status == 200, f"{operation}: {response}"
        text = "".join(f"{each}\n" for each in response.text.splitlines() if re.match(line, each))
        assert text, f"{operation} says nothing like {line}"
        cut = {"summary": "Some of its lines."} if line else {}
        forms = self.examples[operation]["answers"]["200"].setdefault("forms", {})
        forms[form] = {**cut, "value": self.stable(text)}

    def read_file(self, form: str, operation: str, parameters: Document) -> None:
        """Read the response in a media type that is no text, and store the parameters."""
        response = self._send(operation, parameters, None, headers={"Accept": form})
        assert (response.status, response.headers["Content-Type"]) == (200, form), f"{operation}: {response}"
        self.examples[operation]["parameters"] |= self.stable(parameters)

    def _example_of(self, response: ApiResponse) -> Document:
        headers = {name: self.stable(response.headers[name]) for name in HEADERS if name in response.headers}
        if response.document is None:
            return {"headers": headers}
        body = self.stable(response.document)
        if response.headers["Content-Type"] == LINES:  # of one line here
            body = json.dumps(body, separators=(",", ":")) + "\n"
        return {"headers": headers, "body": body}

    def _find(self, operation: str) -> tuple[str, str, dict[str, str]]:
        """Return the method and address of an operation, and the place of each of its parameters."""
        for path, item in self.api.contract["paths"].items():
            for method, described in item.items():
                if method != "parameters" and described["operationId"] == operation:
                    parameters = [*item.get("parameters", []), *described.get("parameters", [])]
                    return method.upper(), path, {parameter["name"]: parameter["in"] for parameter in parameters}
        raise AssertionError(f"the contract has no operation {operation}")

    def _send(
        self, operation: str, parameters: Document, body: object, api: Api | None = None, **options: Any
    ) -> ApiResponse:
        method, path, places = self._find(operation)
        query, headers = {}, dict(options.pop("headers", {}))
        for name, value in parameters.items():
            text = json.dumps(value) if isinstance(value, bool | int) else str(value)
            if places[name] == "path":
                path = path.replace(f"{{{name}}}", quote(text, safe="@"))
            elif places[name] == "query":
                query[name] = text
            else:
                headers[name] = text
        if body is not None:
            options["json"] = body
        address = f"{path}?{urlencode(query)}" if query else path
        return (api or self.api).request(method, address, headers=headers, **options)


def next_cursor(page: ApiResponse) -> str:
    """Read where the next page begins, as the header `Link` says."""
    address = page.headers["Link"].partition(">")[0].removeprefix("<")
    return parse_qs(urlsplit(address).query)["cursor"][0]


def read_two_pages(recorder: Recorder, operation: str, parameters: Document | None = None) -> None:
    """Read a list one by one."""
    one = {**(parameters or {}), "limit": 1}
    first: ApiResponse = recorder.call(operation, one)
    recorder.call(operation, {**one, "cursor": next_cursor(first)})


def write_examples(folder: Path, examples: dict[str, Document]) -> None:
    """Write one file of examples for each operation, and one for all problems; remove the files of other operations."""
    for path in folder.glob("*.json"):
        path.unlink()
    for name, recorded in examples.items():
        (folder / f"{name}.json").write_text(readable(recorded) + "\n", encoding="utf-8")


def readable(part: Any, indent: str = "", before: int = 0) -> str:
    """
    Write JSON, with all that fits on one line on one line.

    >>> print(readable({"cards": ["As", "Kd"], "claim": "so " * 40}).splitlines()[1])
      "cards": ["As", "Kd"],
    """
    line = json.dumps(part, ensure_ascii=False)
    if len(indent) + before + len(line) < 120 or not isinstance(part, dict | list) or not part:
        return line
    inner = indent + "  "
    if isinstance(part, list):
        items = [readable(item, inner) for item in part]
    else:
        names = {name: json.dumps(name) + ": " for name in part}
        items = [names[name] + readable(item, inner, len(names[name])) for name, item in part.items()]
    opening, closing = "[]" if isinstance(part, list) else "{}"
    return f"{opening}\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}{closing}"
