"""Request bodies: strict validation of JSON, text and numbers, without internal errors."""

import gzip
import json
from typing import Any

import pytest

from service.app import MOST_BYTES
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    HIGH,
    MID,
    THREE,
    WORKED,
    add_table,
    changed,
    document_of,
    hand,
    player,
    seats,
    start_round,
)

POSTS = ["/v1/score", "/v1/rulesets", "/v1/tables", "/v1/documents"]


def sent(api: Api, path: str, body: bytes, **headers: str) -> Any:
    return api.request("POST", path, data=body, headers={"Content-Type": "application/json", **headers})


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/xml", "", "json"])
def test_an_unsupported_media_type_is_rejected(api: Api, path: str, kind: str) -> None:
    headers = {"Content-Type": kind} if kind else {}
    response = api.request("POST", path, data=json.dumps(WORKED).encode(), headers=headers)
    assert response.status == 415
    assert response["code"] == "media-type-unsupported"
    assert "Content-Type: application/json" in response["detail"]


@pytest.mark.parametrize("coding", ["gzip", "br", "x-unknown"])
def test_a_compressed_body_is_rejected(api: Api, coding: str) -> None:
    """A compressed body is rejected by its media type, not as invalid UTF-8."""
    response = sent(api, "/v1/score", gzip.compress(json.dumps(WORKED).encode()), **{"Content-Encoding": coding})
    assert (response.status, response["code"]) == (415, "media-type-unsupported")
    expected = "expected 'Content-Type: application/json' without a Content-Encoding"
    assert response["detail"] == f"Content-Encoding is {coding!r}; {expected}"
    assert sent(api, "/v1/score", json.dumps(WORKED).encode(), **{"Content-Encoding": "identity"}).status == 200


def test_the_charset_utf_8_is_accepted(api: Api) -> None:
    for kind in ("application/json; charset=utf-8", "Application/JSON"):
        response = api.request("POST", "/v1/score", data=json.dumps(WORKED), headers={"Content-Type": kind})
        assert response.status == 200


@pytest.mark.parametrize("path", POSTS)
def test_a_body_over_the_limit_is_rejected(api: Api, path: str) -> None:
    response = sent(api, path, b" " * (MOST_BYTES + 1))
    assert response.status == 413
    assert response["code"] == "body-too-large"
    assert "1 MiB" in response["detail"]


def test_a_body_at_the_limit_is_accepted(api: Api) -> None:
    body = json.dumps(WORKED).encode()
    assert sent(api, "/v1/score", body + b" " * (MOST_BYTES - len(body))).status == 200


BAD_JSON: dict[str, tuple[bytes, str, str]] = {
    "nothing": (b"", "json-empty", "the body is empty; expected a JSON document"),
    "spaces": (b" \r\n\t", "json-empty", "the body is empty"),
    "no JSON": (b"ruleset=pineapple", "json-syntax", "line 1, column 1: Expecting value"),
    "half": (b'{"ruleset": "pineapple",\n "players": [', "json-syntax", "line 2, column 14"),
    "two": (b"{} {}", "json-syntax", "line 1, column 4: Extra data"),
    "single quotes": (b"{'ruleset': 'pineapple'}", "json-syntax", "line 1, column 2"),
    "a comma too many": (b'{"ruleset": "pineapple",}', "json-syntax", "line 1, column 2"),
    "a control character": (b'{"ruleset": "a\nb"}', "json-syntax", "Invalid control character, found '\\n'"),
    "a byte order mark": (
        b"\xef\xbb\xbf{}",
        "json-encoding",
        "begins with a byte order mark; expected JSON without one",
    ),
    "Latin-1": ('{"ruleset": "é"}'.encode("latin-1"), "json-encoding", "byte 13 is not UTF-8"),
    "UTF-16": ('{"ruleset": "a"}'.encode("utf-16"), "json-encoding", "byte 0 is not UTF-8"),
    "a surrogate in UTF-8": (b'{"ruleset": "\xed\xa0\x80"}', "json-encoding", "byte 13 is not UTF-8"),
    "a key twice": (b'{"button": 1, "button": 2}', "json-key-twice", "the key 'button' is given twice in one object"),
    "a key twice inside": (b'{"players": [{"seat": 1, "se\\u0061t": 2}]}', "json-key-twice", "the key 'seat'"),
    "NaN": (b'{"button": NaN}', "json-number", "NaN is not a JSON number"),
    "Infinity": (b'{"button": -Infinity}', "json-number", "-Infinity is not a JSON number"),
    "1e400": (b'{"button": 1e400}', "json-number", "1e400 is too large a number"),
    "-1e400": (b'{"button": -1e400}', "json-number", "-1e400 is too large a number"),
    "nearly nothing": (
        b'{"button": 1e-400}',
        "json-number",
        "1e-400 would be read as 0; expected a number with fewer digits",
    ),
    "nearly two": (b'{"button": 2.00000000000000000001}', "json-number", "would be read as 2"),
    "many digits": (b'{"button": ' + b"1" * 5000 + b"}", "json-number", "expected at most 4300"),
    "deep lists": (b"[" * 200_000 + b"]" * 200_000, "json-depth", "expected fewer levels"),
    "deep objects": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "json-depth", "expected fewer levels"),
    "deep and broken": (b"[" * 200_000, "json-depth", "expected fewer levels"),
}


@pytest.mark.parametrize("kind", BAD_JSON)
def test_ambiguous_json_is_rejected(api: Api, kind: str) -> None:
    body, code, words = BAD_JSON[kind]
    for path in ("/v1/score", "/v1/rulesets"):
        response = sent(api, path, body)
        assert response.status == 400
        assert response["code"] == "json-invalid"
        assert response.mistakes == {"#": code}
        assert words in response["detail"]


@pytest.mark.parametrize("depth", [10, 100, 500, 700, 800, 850, 880, 900, 920, 940, 960, 980, 1000, 1100])
@pytest.mark.parametrize("place", ["button", "players", "expected", "unknown"])
def test_deeply_nested_json_is_rejected(api: Api, depth: int, place: str) -> None:
    for begin, end in (("[", "]"), ('{"a":', "}")):
        body = f'{{"ruleset": "pineapple", "players": [], "{place}": {begin * depth}1{end * depth}}}'
        response = sent(api, "/v1/score", body.replace('"players": [], "players"', '"players"').encode())
        assert response.status in (400, 422)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"null", "null"),
        (b"[]", "an array"),
        (b'"pineapple"', "'pineapple'"),
        (b"7", "7"),
        (b"true", "true"),
        (b"[{}]", "an array"),
    ],
)
@pytest.mark.parametrize("path", POSTS)
def test_a_body_that_is_not_an_object_is_rejected(api: Api, path: str, body: bytes, shown: str) -> None:
    response = sent(api, path, body)
    assert response.status == 422
    assert response.mistakes == {"#": "not-an-object"}
    assert response["detail"].startswith(f"the document is {shown}; expected an object with ")


def test_an_object_with_thousands_of_unknown_fields_is_rejected(api: Api) -> None:
    many = {f"field {number}": 0 for number in range(50_000)}
    response = api.post("/v1/score", WORKED | many)
    assert response.status == 422
    assert response.mistakes == {"#": "fields-too-many"}
    assert response["detail"].startswith(f"the document has {50_000 + len(WORKED)} fields; expected one of ruleset, ")
    inside = changed(WORKED, ("button", "x"), ("players/1", WORKED["players"][1] | many))
    assert api.post("/v1/score", inside).mistakes == {"#/button": "not-an-integer", "#/players/1": "fields-too-many"}


def test_every_unknown_field_is_reported(api: Api) -> None:
    unknown = {f"field{number:03}": 0 for number in range(100)}
    assert api.post("/v1/score", WORKED | unknown).mistakes == {f"#/{name}": "field-unknown" for name in unknown}


# --- characters that no database or reader takes ---

TEXTS: dict[str, str] = {
    "NUL": "\0",
    "a lone surrogate": "a\ud800",
    "half a pair": "\udc00b",
    "a line": "a\nb",
    "DEL": "\x7f",
}


def text_fields(api: Api) -> dict[str, tuple[str, Any]]:
    """Return every text field of a request: its path, and a request with a text in it."""
    table, round_id = add_table(api, name=f"for {id(api)}"), start_round(api)
    document = document_of(hands=[hand(1, 1, THREE)])
    opening = {"seats": seats({1: "ann 5", 2: "bob 5"})}
    ruleset = {**api.get("/v1/rulesets/pineapple").document, "name": "own"}
    return {
        "score/ruleset": ("/v1/score", (WORKED, "ruleset")),
        "score/players/0/player": ("/v1/score", (WORKED, "players/0/player")),
        "score/players/0/top/0": ("/v1/score", (WORKED, "players/0/top/0")),
        "rulesets/name": ("/v1/rulesets", (ruleset, "name")),
        "rulesets/variant": ("/v1/rulesets", (ruleset, "variant")),
        "rulesets/stay": ("/v1/rulesets", (ruleset, "fantasyland/stay/top")),
        "tables/name": ("/v1/tables", ({"name": "x", "ruleset": "pineapple"}, "name")),
        "tables/ruleset": ("/v1/tables", ({"name": "x", "ruleset": "pineapple"}, "ruleset")),
        "tables/unit": ("/v1/tables", ({"name": "x", "ruleset": "pineapple"}, "unit")),
        "rounds/player": (f"/v1/tables/{table}/rounds", (opening, "seats/0/player")),
        "rounds/reference": (f"/v1/tables/{table}/rounds", (opening, "reference")),
        "hands/player": (f"/v1/rounds/{round_id}/hands", (hand(1, 1, THREE), "players/0/player")),
        "hands/played_at": (f"/v1/rounds/{round_id}/hands", (hand(1, 1, THREE), "played_at")),
        "departures/reason": (f"/v1/rounds/{round_id}/departures", ({"seat": 1}, "reason")),
        "close/reason": (f"/v1/rounds/{round_id}/close", ({}, "reason")),
        "documents/table": ("/v1/documents", (document, "table")),
        "documents/ruleset": ("/v1/documents", (document, "ruleset")),
        "documents/reference": ("/v1/documents", (document, "reference")),
        "documents/unit": ("/v1/documents", (document, "unit")),
        "documents/player": ("/v1/documents", (document, "seats/0/player")),
        "documents/reason": (
            "/v1/documents",
            ({**document, "closed": {"after_hand": 1, "reason": "x"}}, "closed/reason"),
        ),
        "documents/departure": (
            "/v1/documents",
            ({**document, "departures": [{"seat": 1, "after_hand": 1}]}, "departures/0/reason"),
        ),
    }


@pytest.mark.parametrize("kind", TEXTS)
def test_text_that_cannot_be_stored_is_rejected_in_every_field(api: Api, house: House, kind: str) -> None:
    places = text_fields(api)
    records = house.count_records()
    for name, (path, (request, pointer)) in places.items():
        body = json.dumps(changed(request, (pointer, TEXTS[kind]))).encode()
        response = sent(api, path, body)
        assert response.status == 422, name
        assert list(response.mistakes) == [f"#/{pointer}"], name
    assert house.count_records() == records


@pytest.mark.parametrize("key", ["\0", "\ud800", "\n", "a b", "ä♣", "/", "~", "%", '"', "k" * 200_000], ids=ascii)
def test_unknown_fields_are_reported_whatever_their_characters(api: Api, key: str) -> None:
    royalties = {**api.get("/v1/rulesets/pineapple").document, "name": "own"}
    royalties["royalties"]["top"][key] = 1
    for path, request in (
        ("/v1/score", {**WORKED, key: 1}),
        ("/v1/score", {**WORKED, "expected": {key: 1}}),
        ("/v1/score", {**WORKED, "expected": {"stacks": {key: {key: key}}}}),
        ("/v1/rulesets", royalties),
        ("/v1/rulesets", changed(royalties, ("royalties/middle", {key: "x"}))),
        ("/v1/documents", document_of(hands=[{**hand(1, 1, THREE), key: [key]}])),
    ):
        response = sent(api, path, json.dumps(request).encode())
        assert response.status == 422
        assert len(json.dumps(response.document)) < 5000
        assert all(mistake["pointer"].isascii() for mistake in response["errors"])


def test_pointers_use_the_encoding_of_uri_fragments(api: Api) -> None:
    response = api.post("/v1/score", {**WORKED, "a/b~c": 1, "Ort und Zeit": 2, "%": 3, "ä": 4})
    assert set(response.mistakes) == {"#/a~1b~0c", "#/Ort%20und%20Zeit", "#/%25", "#/%C3%A4"}


def test_text_in_any_script_is_stored_unchanged(api: Api) -> None:
    name = "Zoë ♣ 张伟 👑 İ"
    table = add_table(api, name=name)
    assert api.get(f"/v1/tables/{table}")["name"] == name
    request = {"seats": [{"seat": 1, "player": name, "stack": 5}, {"seat": 2, "player": "'; --", "stack": 5}]}
    opened = api.post(f"/v1/tables/{table}/rounds", {**request, "reference": name})
    assert opened["seats"][0]["player"] == name
    assert api.get(f"/v1/rounds/{opened['id']}/document")["reference"] == name


def test_the_number_of_reported_errors_is_limited(api: Api) -> None:
    request = {"ruleset": "pineapple", "players": [], **{f"field {number}": 1 for number in range(1000)}}
    response = api.post("/v1/score", request)
    assert response.status == 422
    assert len(response["errors"]) == 200
    assert response["detail"].startswith("200 mistakes or more, the first: ")


# --- numbers ---


@pytest.mark.parametrize(
    ("number", "is_right"),
    [("1", True), ("1.0", True), ("1e0", True), ("10e-1", True), ("0.1e1", True), ("true", False), ('"1"', False)],
)
def test_every_notation_of_an_integer_is_accepted(api: Api, number: str, is_right: bool) -> None:
    body = json.dumps({**WORKED, "button": 77}).replace("77", number).encode()
    assert sent(api, "/v1/score", body).status == (200 if is_right else 422)


@pytest.mark.parametrize(
    "number",
    ["9007199254740992", "9007199254740993.0", "-9007199254740993", "1e300", "1" * 4000, "-0.5", "-1"],
)
def test_a_number_out_of_range_is_rejected(api: Api, number: str) -> None:
    for pointer in ("players/0/stack", "players/0/seat", "button", "players/0/stays"):
        body = json.dumps(changed(WORKED, (pointer, 77777))).replace("77777", number).encode()
        response = sent(api, "/v1/score", body)
        assert response.status == 422
        assert set(response.mistakes) == {f"#/{pointer}"}
        assert len(response["detail"]) < 200


def test_very_large_numbers_of_stays_are_out_of_range(api: Api) -> None:
    request = {"ruleset": "pineapple", "players": [player(1, HIGH, fantasyland=14, stays=2**53), player(2, MID)]}
    assert api.post("/v1/score", request).mistakes == {"#/players/0/stays": "out-of-range"}
