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

from schemas.accounting.payment_lines import PaymentPlace
from schemas.pages import parse_cursor, show_cursor
from tests.support.api_client import Api, ApiResponse, Document

ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z")
"""A time that the service wrote: those of the story have no fractions of a second."""
DIGEST = re.compile(r"\b(?!0{64})[0-9a-f]{64}\b")
"""What depends on ids that differ whenever the story is played."""
TOKEN = re.compile(r"(?<![\w-])[\w-]{96}(?![\w-])")
"""The signed word of a link."""
SECRET = re.compile(r"\bwhsec_[A-Za-z0-9+/=]+")
"""The secret of a webhook."""
LINK_SECRET = re.compile(r"\bofc_link_[0-9A-Za-z]{43}\b")
"""The secret of a link to a table."""
KEY = re.compile(r"\bofc_[0-9a-z]{8}\b")
"""How a key begins."""
A_TOKEN = "AaH6hGSgcIWX84r9vW68Jw" * 4 + "Aa-6hGSg"
EVENING = datetime(2026, 11, 20, 20, 0, tzinfo=UTC)
SIGNED = re.compile(
    r"(?m)^[A-Za-z0-9+/]{43}=$|(?<=^rounds )[A-Za-z0-9+/]{43}=$|(?<=^— tablestakes )[A-Za-z0-9+/=]+$"
    r"|[A-Za-z0-9+/]{120,}={0,2}"
)
"""The roots and the signature of a checkpoint, and the bytes of an event."""
COUNTED = re.compile(r" \d+\.\d+$")
HEADERS = ("Location", "Link")
LINES = "application/x-ndjson"


class Stable:
    """Gives every id and every moment another that is the same whenever the story is played."""

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
        place = PaymentPlace.parse(real)
        return replace(place, round_id=UUID(self.id_of(str(place.round_id)))).show()

    def __call__(self, part: Any) -> Any:
        """Copy what was said with what never changes."""
        if isinstance(part, dict):
            return {
                name: self.cursor_of(inner) if name == "next_cursor" and inner else self(shortened(name, inner))
                for name, inner in part.items()
            }
        if isinstance(part, list):
            return [self(inner) for inner in part]
        if not isinstance(part, str):
            return part
        text = TOKEN.sub(A_TOKEN, part)
        text = KEY.sub("ofc_7q2mx40a", text)
        text = LINK_SECRET.sub("ofc_link_Xk3vT8wYb0nLqJ4xZc6hUa3dPo7sGiKe1rMfXE9gV5k", text)
        text = SECRET.sub("whsec_fXE9gV5kRm2vT8wYb0nLqJ4xZc6hUa3dPo7sGiKe1rM=", text)
        text = ID.sub(lambda found: self.id_of(found[0]), text)
        text = DIGEST.sub("7d" * 32, text)
        text = SIGNED.sub(lambda found: b64encode(b"}" * (32 if len(found[0]) == 44 else 68)).decode(), text)
        text = MOMENT.sub(lambda found: self.moment_of(found[0]), text)
        return re.sub(r"(?<=cursor=)[\w-]{22,27}", lambda found: self.cursor_of(found[0]), text)


def shortened(name: str, part: Any) -> Any:
    """Leave one hash in the proof of a round's newest event: its length depends on the ids of all rounds."""
    return {**part, "proof": part["proof"][:1]} if name == "newest" and isinstance(part, dict) else part


class Recorder:
    """Asks for operations by their name, and keeps the first answer of each status and kind as its example."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.stable = Stable()
        self.examples: dict[str, Document] = {}
        self.problems: Document = {}
        self.keys_used = 0

    def ask(
        self, operation: str, asked: Document | None = None, body: object = None, *, form: str | None = None
    ) -> ApiResponse:
        """
        Ask for what is done and answered, and keep it where it is the first of its status.

        Args:
            operation: its name.
            asked: the parameters.
            body: the body of the request.
            form: what a further example of a request body, of another form than the first one, is called.
        """
        answer = self._send(operation, asked or {}, body)
        assert answer.status < 300, f"{operation}: {answer}"
        recorded = self.examples.setdefault(operation, {"parameters": {}, "answers": {}})
        for name, value in (asked or {}).items():
            kept = self.stable.cursor_of(value) if name == "cursor" else self.stable(value)
            recorded["parameters"].setdefault(name, kept)
        if body is not None:
            recorded.setdefault("request", self.stable(body))
        if form is not None:
            recorded.setdefault("forms", {})[form] = self.stable(body)
        recorded["answers"].setdefault(str(answer.status), self._keep(answer))
        return answer

    def record(self, operation: str, asked: Document, body: object) -> ApiResponse:
        """Try an operation, do it, and send it again as one does who got no answer."""
        self.keys_used += 1
        key = {"Idempotency-Key": f"7c4a8d09-2026-4b1f-9d3e-{self.keys_used:012d}"}
        tried = self._send(operation, {**asked, "dry_run": True}, body)
        done = self.ask(operation, {**asked, **key}, body)
        again = self._send(operation, {**asked, **key}, body)
        self.examples[operation]["parameters"]["dry_run"] = True
        assert (again.status, again.document) == (done.status, done.document)
        assert tried.status == done.status
        return done

    def refuse(
        self,
        code: str,
        operation: str,
        asked: Document | None = None,
        body: object = None,
        *,
        api: Api | None = None,
        **options: Any,
    ) -> None:
        """Ask for what must be refused, and keep the problem as the example of its kind."""
        answer = self._send(operation, asked or {}, body, api, **options)
        assert answer.status >= 400, f"{operation}: {answer}"
        assert answer["code"] == code, f"{operation}: {answer}"
        self.problems.setdefault(code, self.stable(answer.document))

    def cut(self, operation: str, name: str, length: int) -> None:
        """Shorten a long list to its first items."""
        recorded = self.examples[operation]
        listed = recorded["answers"]["200"]["body"]
        recorded["cut"] = f"Cut to the first {length} of {len(listed[name])}."
        listed[name] = listed[name][:length]

    def read(self, operation: str, path: str, line: str) -> None:
        """Read a text, and keep those of its lines that are the same everywhere."""
        headers = {"Authorization": f"Bearer {self.api.key}"}
        lines = self.api.app.test_client().get(path, headers=headers).get_data(as_text=True).splitlines()
        # A process counts everything since its start: what came before the story is not recorded.
        kept = "".join(f"{COUNTED.sub(' 0.0', found)}\n" for found in lines if re.match(line, found))
        assert kept, f"{path} says nothing like {line}"
        answered = {"200": {"headers": {}, "body": self.stable(kept)}}
        ids = dict(zip(re.findall(r"\{(\w+)\}", self._find(operation)[1]), ID.findall(path), strict=True))
        self.examples[operation] = {"parameters": self.stable(ids), "answers": answered}
        if len(lines) > len(kept.splitlines()):
            self.examples[operation]["cut"] = "Some of its lines."

    def send_lines(self, operation: str, content: bytes, shown: str, **asked: Any) -> ApiResponse:
        """Send a file of lines, under a key, and keep it as an example that shows less of it."""
        self.keys_used += 1
        key = {"Idempotency-Key": f"7c4a8d09-2026-4b1f-9d3e-{self.keys_used:012d}"}
        parameters = {**key, **asked}
        answer = self._send(operation, parameters, None, data=content, headers={"Content-Type": "application/x-ndjson"})
        assert answer.status in (200, 202), answer
        self.examples[operation] = {
            "parameters": parameters,
            "answers": {str(answer.status): self._keep(answer)},
            "request": self.stable(shown),
            "cut": "Cut to one of its lines.",
        }
        return answer

    def read_in(self, form: str, operation: str, asked: Document, line: str = "") -> None:
        """Read what was answered as JSON in another form, and keep its lines, or those that begin alike."""
        answer = self._send(operation, asked, None, headers={"Accept": form})
        assert answer.status == 200, f"{operation}: {answer}"
        kept = "".join(f"{found}\n" for found in answer.text.splitlines() if re.match(line, found))
        assert kept, f"{operation} says nothing like {line}"
        cut = {"summary": "Some of its lines."} if line else {}
        forms = self.examples[operation]["answers"]["200"].setdefault("forms", {})
        forms[form] = {**cut, "value": self.stable(kept)}

    def _keep(self, answer: ApiResponse) -> Document:
        headers = {name: self.stable(answer.headers[name]) for name in HEADERS if name in answer.headers}
        if answer.document is None:
            return {"headers": headers}
        body = self.stable(answer.document)
        if answer.headers["Content-Type"] == LINES:  # of one line here
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
        self, operation: str, asked: Document, body: object, api: Api | None = None, **options: Any
    ) -> ApiResponse:
        method, path, places = self._find(operation)
        query, headers = {}, dict(options.pop("headers", {}))
        for name, value in asked.items():
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
        return (api or self.api).ask(method, address, headers=headers, **options)


def next_cursor(page: ApiResponse) -> str:
    """Read where the next page begins, as the header `Link` says."""
    address = page.headers["Link"].partition(">")[0].removeprefix("<")
    return parse_qs(urlsplit(address).query)["cursor"][0]


def write_examples(folder: Path, examples: dict[str, Document]) -> None:
    """Write the examples, one file for each operation and one for all problems; what nobody tells any more goes."""
    for path in folder.glob("*.json"):
        path.unlink()
    for name, recorded in examples.items():
        (folder / f"{name}.json").write_text(readable(recorded) + "\n", encoding="utf-8")


def readable(part: Any, indent: str = "", before: int = 0) -> str:
    """
    Write JSON, with all that fits on one line on one line.

    >>> print(readable({"cards": ["As", "Kd"], "said": "so " * 40}).splitlines()[1])
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
