"""`ofc api`: any request of the contract, with fields, headers, a body and pages."""

import json
from pathlib import Path

import pytest

from client.api import Client
from tests.support.client.faulty_server import build_response, faulty
from tests.support.client.run_ofc import EXAMPLES, ofc
from tests.support.client.terminal import terminal


def test_fields_are_a_body_with_types(reached: dict[str, str], table: str) -> None:
    fields = ("-f", f"name={table}", "-f", "ruleset=pineapple", "-F", "point_value=50", "-f", "unit=EUR")
    response = ofc("api", "post", "v1/tables", *fields, **reached).document
    assert (response["name"], response["point_value"], response["unit"]) == (table, 50, "EUR")
    as_text = ofc("api", "POST", "/v1/tables", "-f", f"name={table} 2", "-f", "minimum_stack=5", **reached)
    assert (as_text.code, as_text.out, "#/minimum_stack" in as_text.err) == (1, "", True)


def test_members_of_objects_and_elements_of_arrays_are_set(reached: dict[str, str]) -> None:
    kinds = ("-f", "kinds[]=round.completed", "-f", "kinds[]=hand.recorded")
    added = ofc("api", "POST", "/v1/webhooks", "-f", "url=https://club.example/api", *kinds, **reached).document
    assert added["kinds"] == ["hand.recorded", "round.completed"]
    path = f"/v1/webhooks/{added['id']}"
    assert ofc("api", "PATCH", path, "-f", "state=disabled", **reached).document["state"] == "disabled"
    removed = ofc("api", "DELETE", path, **reached)
    assert (removed.code, removed.out) == (0, "")


def test_fields_of_a_read_are_a_query_and_pages_are_joined(reached: dict[str, str], client: Client, table: str) -> None:
    for number in range(3):
        client.add_table({"name": f"{table} {number}", "ruleset": "pineapple"})
    first = ofc("api", "GET", "/v1/tables", "-F", "limit=2", **reached).document
    assert len(first["tables"]) == 2
    assert first["next_cursor"]
    every = ofc("api", "GET", "/v1/tables", "-F", "limit=2", "--paginate", **reached).document
    assert [each["id"] for each in every["tables"]] == [each["id"] for each in client.list_tables()]
    assert every["next_cursor"] is None
    named = ofc("api", "GET", "/v1/tables", "-f", f"name={table} 1", **reached).document
    assert [each["name"] for each in named["tables"]] == [f"{table} 1"]


def test_pages_of_csv_have_one_header() -> None:
    first = build_response(200, "payer\r\nann\r\n", "text/csv", Link='</v1/ledger?cursor=abc>; rel="next"')
    with faulty(first, build_response(200, "payer\r\nbob\r\n", "text/csv")) as server:
        result = ofc("api", "GET", "/v1/ledger", "-H", "Accept: text/csv", "--paginate", OFC_URL=server.url)
        assert server.requests == ["GET /v1/ledger", "GET /v1/ledger?cursor=abc"]
    assert (result.code, result.out.split()) == (0, ["payer", "ann", "bob"])


def test_a_body_is_read_from_a_file_or_standard_input(reached: dict[str, str]) -> None:
    scored = ofc("api", "POST", "/v1/score", "--input", EXAMPLES / "score.json", **reached).document
    text = (EXAMPLES / "score.json").read_bytes()
    assert ofc("api", "POST", "/v1/score", "--input", "-", text=text, **reached).document == scored
    assert scored["players"]


def test_a_file_is_the_value_of_a_typed_field(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    file = tmp_path / "name"
    file.write_text(table, encoding="utf-8")
    response = ofc("api", "POST", "/v1/tables", "-F", f"name=@{file}", "-f", "ruleset=pineapple", **reached).document
    assert response["name"] == table


def test_headers_are_sent(reached: dict[str, str], table: str) -> None:
    fields = ("-f", f"name={table}", "-f", "ruleset=pineapple", "-H", f"Idempotency-Key: {table}")
    response = ofc("api", "POST", "/v1/tables", *fields, **reached).document
    assert ofc("api", "POST", "/v1/tables", *fields, **reached).document == response
    other = ofc("api", "POST", "/v1/tables", *fields[:3], "ruleset=turbo", *fields[4:], **reached)
    assert (other.code, "idempotency-key-reused" in other.err) == (1, True)
    with faulty(build_response(304, "", ETag='"1"')) as server:
        unchanged = ofc("api", "GET", "/v1/rounds/1", "-H", 'If-None-Match: "1"', OFC_URL=server.url)
    assert (unchanged.code, unchanged.out, unchanged.err) == (0, "", "not modified\n")


def test_a_post_without_a_key_takes_effect_once() -> None:
    with faulty(build_response(201, {})) as server:
        assert ofc("api", "POST", "/v1/tables", OFC_URL=server.url).code == 0
        assert ofc("api", "GET", "/v1/tables", OFC_URL=server.url).code == 0
        assert [bool(key) for key in server.keys] == [True, False]


def test_a_refusal_is_on_stderr(reached: dict[str, str]) -> None:
    result = ofc("api", "GET", "/v1/rounds/nothing", **reached)
    assert (result.code, result.out) == (1, "")
    assert "(not-found)" in result.err


def test_json_is_indented_on_a_terminal_and_as_received_elsewhere(reached: dict[str, str]) -> None:
    received = ofc("api", "GET", "/v1/club", **reached).out
    assert "\n" not in received.rstrip("\n")
    with terminal("api", "GET", "/v1/club", **reached) as opened:
        assert opened.end() == 0
        lines = [line for line in opened.lines if line]
    assert json.loads("".join(lines)) == json.loads(received)
    assert (lines[0], lines[-1], len(lines) > 3) == ("{", "}", True)


def test_lines_are_printed_on_a_terminal(reached: dict[str, str], table: str) -> None:
    for number in range(2):
        ofc("table", "create", f"{table} {number}", "--ruleset", "pineapple", **reached)
    with terminal("api", "GET", "/v1/events", "-f", "limit=2", **reached) as opened:
        assert opened.end() == 0
        printed = "".join(opened.lines)
    assert printed.count('"position"') == 2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["GET", "http://127.0.0.1/v1/club"], "is not a path; expected one such as /v1/rounds"),
        (["GET", "/v1/rounds?status=open"], "contains a query; expected options such as -f status=open"),
        (["GET", "/v1/rounds", "-f", "status"], "'status' is not a field; expected NAME=VALUE"),
        (["GET", "/v1/rounds", "-F", "a[b]=1"], "the field 'a' is an object"),
        (["POST", "/v1/tables", "-f", "name=a", "-f", "name=b"], "'name' contradicts another field"),
        (["POST", "/v1/tables", "-f", "name=a", "-f", "name[b]=b"], "'name[b]' contradicts another field"),
        (["POST", "/v1/tables", "-f", "a[][b]=1"], "'a[][b]' contradicts another field"),
        (["GET", "/v1/rounds", "-H", "Accept"], "'Accept' is not a header; expected NAME: VALUE"),
        (["POST", "/v1/tables", "--paginate"], "--paginate was given with another method than GET"),
        (["FETCH", "/v1/tables"], "'FETCH' is not one of"),
        (["POST", "/v1/score", "--input", "nowhere.json"], "nowhere.json"),
    ],
)
def test_invalid_arguments_are_refused(arguments: list[str], expected: str) -> None:
    result = ofc("api", *arguments)
    assert (result.code, result.out) == (2, "")
    assert expected in result.err
