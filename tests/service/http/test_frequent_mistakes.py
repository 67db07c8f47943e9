"""Frequent mistakes of integrators: each problem has what was received, and what is expected."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.support.api_client import Api, ApiResponse
from tests.support.sample_rounds import THREE, add_table, changed, hand, start_round

NDJSON = "application/x-ndjson"
HAND = hand(1, 1, THREE)
CARD = "expected a rank of 23456789TJQKA and a suit of cdhs, for example 'As' or 'Td'"


@dataclass(frozen=True)
class Sent:
    """A request with a mistake, by default of a hand of the round `{round}`; the status and detail of its response."""

    status: int
    detail: str
    path: str = "/v1/rounds/{round}/hands"
    method: str = "POST"
    body: Any = field(default_factory=lambda: HAND)
    headers: dict[str, str] = field(default_factory=dict)

    def to(self, api: Api, round_id: str) -> ApiResponse:
        written = self.body if isinstance(self.body, str) else json.dumps(self.body)
        headers = {"Content-Type": "application/json", **self.headers}
        path = self.path.replace("{round}", round_id)
        return api.request(self.method, path, data=None if self.method == "GET" else written, headers=headers)


def get(path: str, status: int, detail: str, **headers: str) -> Sent:
    return Sent(status, detail, path, "GET", headers={name.replace("_", "-"): value for name, value in headers.items()})


def typed(media_type: str, detail: str, **more: str) -> Sent:
    return Sent(415, detail, headers={"Content-Type": media_type, **more})


BEARER = "expected the header 'Authorization: Bearer KEY'"
JSON_EXPECTED = "expected 'Content-Type: application/json' without a Content-Encoding"
LINES_EXPECTED = "expected 'Content-Type: application/x-ndjson' without a Content-Encoding"
MISTAKES = {
    "another scheme": get(
        "/v1/tables",
        401,
        f"the header Authorization does not begin with 'Bearer '; {BEARER}",
        Authorization="Basic YTpi",
    ),
    "a key without its scheme": get(
        "/v1/tables", 401, f"the header Authorization does not begin with 'Bearer '; {BEARER}", Authorization="ofc_a_b"
    ),
    "a variable that is not set": get(
        "/v1/tables", 401, f"the header Authorization has no key after 'Bearer'; {BEARER}", Authorization="Bearer "
    ),
    "a key that was revoked": get(
        "/v1/tables",
        401,
        "the API key 'ofc_ab12cd34_…' is unknown, expired or revoked; expected a valid key of a club",
        Authorization="Bearer ofc_ab12cd34_secret",
    ),
    "a key of something else": get(
        "/v1/tables",
        401,
        "the API key is unknown, expired or revoked; expected a valid key of a club",
        Authorization="Bearer sk_live_1234",
    ),
    "a form": typed(
        "application/x-www-form-urlencoded", f"Content-Type is 'application/x-www-form-urlencoded'; {JSON_EXPECTED}"
    ),
    "text": typed("text/plain; charset=utf-8", f"Content-Type is 'text/plain; charset=utf-8'; {JSON_EXPECTED}"),
    "no type": typed("", f"Content-Type is missing; {JSON_EXPECTED}"),
    "compressed": typed(
        "application/json", f"Content-Encoding is 'gzip'; {JSON_EXPECTED}", **{"Content-Encoding": "gzip"}
    ),
    "JSON instead of lines": Sent(415, f"Content-Type is 'application/json'; {LINES_EXPECTED}", "/v1/hands"),
    "an import of JSON": Sent(
        415,
        "Content-Type is 'application/json'; expected 'Content-Type: application/x-ndjson' with"
        " 'Content-Encoding: gzip' or without",
        "/v1/imports",
    ),
    "a comma too many": Sent(
        400,
        "line 1, column 14: Expecting property name enclosed in double quotes, found ','; expected a JSON document",
        body='{"number": 1,, "button": 2}',
    ),
    "half a document": Sent(
        400,
        "line 2, column 12: Expecting value, found the end of the text; expected a JSON document",
        body='{"number": 1,\n "button": ',
    ),
    "a list of hands": Sent(
        422,
        "the document is an array; expected an object with number, button, played_at, top_ups, players, restores,"
        " dealt_again, charges, reference, metadata, expected",
        body=[HAND],
    ),
    "a card of three characters": Sent(
        422, f"`players[0].top[0]` is '10s'; {CARD}", body=changed(HAND, ("players/0/top/0", "10s"))
    ),
    "a row as text": Sent(
        422, "`players[0].top` is 'As Ad Ac'; expected an array", body=changed(HAND, ("players/0/top", "As Ad Ac"))
    ),
    "a number that is not the next": Sent(409, "hand 3 was received; expected hand 1", body={**HAND, "number": 3}),
    "a field of another style": Sent(
        422,
        "`playedAt` is unknown; expected one of number, button, played_at, top_ups, players, restores, dealt_again,"
        " charges, reference, metadata, expected",
        body={**HAND, "playedAt": "2026-11-20T20:04:00Z"},
    ),
    "a number as the ID": Sent(
        404, "`round_id` in the URL is '123'; expected an ID of the service: a UUID", "/v1/rounds/123/hands"
    ),
    "a path without its version": Sent(
        404,
        "the URL '/tables' is not known; expected a path of the contract at /openapi.yaml",
        "/tables",
    ),
    "a method that an URL does not have": Sent(
        405, "the method is PUT; expected one of GET, HEAD, OPTIONS, POST", method="PUT"
    ),
    "a cursor that is none": get(
        "/v1/rounds?cursor=2",
        422,
        "`query.cursor` is '2', which is not a cursor of this list; expected the `next_cursor` of a page",
    ),
    "a cursor of another list": get(
        "/v1/rounds?cursor=AAAAAAAAAAAAAAAAAAAAAA",
        422,
        "`query.cursor` is 'AAAAAAAAAAAAAAAAAAAAAA', which is not a cursor of this list; expected the `next_cursor`"
        " of a page",
    ),
    "a page number": get(
        "/v1/tables?page=2", 422, "`query.page` is unknown; expected one of limit, cursor, name, archived, reference"
    ),
    "a large body": Sent(
        413,
        "the body has 1100002 bytes; expected at most 1048576 (1 MiB)",
        body=json.dumps("x" * 1_100_000),
    ),
    "too many lines": Sent(
        422,
        "the document has 501 lines; expected 1 to 500 lines",
        "/v1/hands",
        body="{}\n" * 501,
        headers={"Content-Type": NDJSON},
    ),
    "another media type accepted": get(
        "/v1/tables",
        406,
        "Accept is 'text/xml'; expected 'application/json', '*/*' or no Accept header",
        Accept="text/xml",
    ),
    "a media type that another operation has": get(
        "/v1/ledger",
        406,
        "Accept is 'image/png'; expected 'application/json', 'text/csv', 'application/vnd.apache.parquet', '*/*' or"
        " no Accept header",
        Accept="image/png",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_with_what_is_expected(api: Api, name: str) -> None:
    sent = MISTAKES[name]
    response = sent.to(api, start_round(api))
    assert (response.status, response["detail"]) == (sent.status, sent.detail)


def test_a_table_that_is_added_twice_is_named(api: Api) -> None:
    """A client that takes the name of another table finds that table, and how it differs."""
    table = add_table(api)
    refused = api.post("/v1/tables", {"name": "kitchen", "ruleset": "turbo"})
    assert (refused.status, refused["code"]) == (409, "table-conflict")
    named = f"table {table} has the name 'kitchen' and other values; expected a unique name in the club"
    assert refused["detail"] == named
    assert refused["errors"][1]["detail"] == "`ruleset`: 'pineapple@1' is recorded, 'turbo' was received"


def test_long_values_are_cut_in_problems(api: Api) -> None:
    for path in (f"/{'x' * 3000}", f"/v1/rounds/{'x' * 3000}"):
        assert len(api.get(path)["detail"]) < 200
    headers = {"Content-Type": f"text/{'x' * 3000}"}
    assert len(api.request("POST", "/v1/tables", data="{}", headers=headers)["detail"]) < 200
