"""Entity tags: a client reads again only what has changed, and corrects only what it has read."""

from collections.abc import Callable
from typing import Any

import pytest

from service.openapi import build_contract
from tests.support.api_client import Api, ApiResponse
from tests.support.api_settlements import OTHER_HAND, correct, make_final
from tests.support.application import House
from tests.support.sample_rounds import (
    COMPLETE,
    SIXES,
    add_table,
    dealt_again,
    find_record,
    open_round,
    play,
    start_round,
)

Read = Callable[..., ApiResponse]


def read(api: Api, path: str, tag: str | None = None) -> ApiResponse:
    return api.request("GET", path, headers={} if tag is None else {"If-None-Match": tag})


@pytest.mark.parametrize("part", ["", "/settlement", "table"])
def test_what_has_not_changed_is_not_sent_again(api: Api, part: str) -> None:
    round_id = start_round(api)
    path = (
        f"/v1/tables/{api.get(f'/v1/rounds/{round_id}')['table']}"
        if part == "table"
        else f"/v1/rounds/{round_id}{part}"
    )
    first = read(api, path)
    tag = first.headers["ETag"]
    for sent in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = read(api, path, sent)
        assert (again.status, again.text, again.headers["ETag"]) == (304, "", tag)
        assert "Content-Type" not in again.headers
    other = read(api, path, '"other"')
    assert (other.status, other.document) == (200, first.document)


def test_lists_of_rounds_and_statements_are_sent_again_only_after_a_change(api: Api) -> None:
    round_id = start_round(api)
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    open_round(api, add_table(api, name="attic"))
    for path in (f"/v1/rounds?table={table}&limit=1", "/v1/rounds?limit=1", f"/v1/tables/{table}/statement"):
        first = read(api, path)
        tag = first.headers["ETag"]
        again = read(api, path, tag)
        assert (again.status, again.text) == (304, "")
        assert again.headers.get("Link") == first.headers.get("Link")
    before = [
        read(api, path).headers["ETag"] for path in (f"/v1/rounds?table={table}", f"/v1/tables/{table}/statement")
    ]
    play(api, round_id, COMPLETE[0])
    after = [
        read(api, path, tag).status
        for path, tag in zip((f"/v1/rounds?table={table}", f"/v1/tables/{table}/statement"), before, strict=True)
    ]
    assert after == [200, 200]


def test_every_change_of_a_round_changes_its_tag_and_that_of_its_settlement(api: Api) -> None:
    round_id = start_round(api)
    seen: set[tuple[str, str]] = set()

    def tags() -> tuple[str, str]:
        return read(api, f"/v1/rounds/{round_id}").headers["ETag"], read(
            api, f"/v1/rounds/{round_id}/settlement"
        ).headers["ETag"]

    seen.add(tags())
    for number, hand in enumerate(COMPLETE, start=2):
        play(api, round_id, hand)
        seen.add(tags())
        assert len({tag for tag, _ in seen}) == len({tag for _, tag in seen}) == number
    make_final(api, round_id)
    seen.add(tags())
    assert len({tag for tag, _ in seen}) == len({tag for _, tag in seen}) == len(COMPLETE) + 2


def test_a_revision_of_a_settlement_has_a_tag_of_its_own(api: Api) -> None:
    round_id = start_round(api)
    for hand in COMPLETE:
        play(api, round_id, hand)
    before = read(api, f"/v1/rounds/{round_id}/settlement")
    assert correct(api, round_id).status == 201
    old = read(api, f"/v1/rounds/{round_id}/settlement?revision=1")
    new = read(api, f"/v1/rounds/{round_id}/settlement")
    assert len({before.headers["ETag"], old.headers["ETag"], new.headers["ETag"]}) == 3


def test_a_tag_of_another_club_is_not_compared(api: Api, other_api: Api) -> None:
    path = f"/v1/rounds/{start_round(api)}"
    tag = read(api, path).headers["ETag"]
    assert read(other_api, path, tag).status == 404


CHANGES: dict[str, tuple[int, str, dict[str, Any]]] = {
    "record_hand": (2, "hands", dealt_again(COMPLETE[2])),
    "record_departure": (2, "departures", {"seat": 3}),
    "close_round": (2, "close", {"reason": "the bar closes"}),
    "undo_hand": (2, "undo", {"number": 2}),
    "confirm_settlement": (3, "confirmations", {"seat": 1}),
    "correct_round": (3, "corrections", {"reason": "typed wrong", "patch": OTHER_HAND}),
}
"""The operations that change one round: the hands that it needs, the path and a request body."""


def send(api: Api, round_id: str, operation: str, tag: str, sent: dict[str, Any] | None = None) -> ApiResponse:
    _, path, body = CHANGES[operation]
    body = {**body, **(make_more(api, round_id, operation) if sent is None else sent)}
    return api.request("POST", f"/v1/rounds/{round_id}/{path}", json=body, headers={"If-Match": tag})


def make_more(api: Api, round_id: str, operation: str) -> dict[str, Any]:
    """Return the record of the hand to undo, or the version of the round to correct, as they are now."""
    if operation == "undo_hand":
        return {"hand": find_record(api, round_id, CHANGES[operation][2]["number"])}
    if operation == "correct_round":
        return {"version": api.get(f"/v1/rounds/{round_id}").document.get("version", 1)}
    return {}


def test_every_operation_that_compares_versions_is_tested(house: House) -> None:
    contract = build_contract(house.app.extensions["ofc_contract"])
    found = {
        operation["operationId"]
        for path in contract["paths"].values()
        for method, operation in path.items()
        if method != "parameters"
        and any(parameter.get("name") == "If-Match" for parameter in operation.get("parameters", ()))
    }
    assert found == set(CHANGES)


class TestIfMatch:
    """Changes of the version that the client has read."""

    @pytest.fixture(params=CHANGES)
    def operation(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def round_id(self, api: Api, operation: str) -> str:
        round_id = start_round(api, "pineapple-qq", SIXES)
        for hand in COMPLETE[: CHANGES[operation][0]]:
            play(api, round_id, hand)
        return round_id

    def test_a_change_of_another_version_is_refused(self, api: Api, round_id: str, operation: str) -> None:
        round_ = read(api, f"/v1/rounds/{round_id}")
        for stale in (f'"{round_["version"] - 1}"', f'"{round_["version"] + 1}"'):
            response = send(api, round_id, operation, stale)
            assert (response.status, response["code"]) == (412, "precondition-failed")
            assert f"expected version {round_['version']}" in response["detail"]
        assert read(api, f"/v1/rounds/{round_id}").document == round_.document

    @pytest.mark.parametrize("form", ["{tag}", '"{version}"', "W/{tag}"])
    def test_a_change_of_the_version_that_was_read_is_recorded(
        self, api: Api, round_id: str, operation: str, form: str
    ) -> None:
        round_ = read(api, f"/v1/rounds/{round_id}")
        tag = form.format(tag=round_.headers["ETag"], version=round_["version"])
        more = make_more(api, round_id, operation)
        first = send(api, round_id, operation, tag, more)
        assert first.status in (200, 201)
        changed = read(api, f"/v1/rounds/{round_id}")
        assert changed["version"] > round_["version"]
        # The same request again is a replay, although the round has another version now.
        again = send(api, round_id, operation, tag, more)
        assert (again.status, again.headers["Idempotent-Replayed"]) == (first.status, "true")
        assert read(api, f"/v1/rounds/{round_id}").document == changed.document

    def test_a_refusal_because_of_another_version_is_a_412(self, api: Api, round_id: str, operation: str) -> None:
        """A client that asks for a version hears of the version first, and not of what follows from it."""
        stale = read(api, f"/v1/rounds/{round_id}").headers["ETag"]
        if CHANGES[operation][0] < len(COMPLETE):
            assert api.post(f"/v1/rounds/{round_id}/close", {"reason": "a guest fell ill"}).status == 200
        else:
            assert correct(api, round_id, [{"op": "replace", "path": "/seats/0/stack", "value": 70}]).status == 201
        assert send(api, round_id, operation, stale)["code"] == "precondition-failed"

    @pytest.mark.parametrize("tag", ["7", "*", '"x"', '"1", "2"', '"0"', '"' + "9" * 40 + '"'])
    def test_what_is_no_tag_of_a_round_is_refused(self, api: Api, round_id: str, operation: str, tag: str) -> None:
        response = send(api, round_id, operation, tag)
        assert (response.status, response["code"]) == (400, "precondition-invalid")
        assert repr(tag[:80]) in response["detail"]

    def test_a_round_of_another_club_is_not_found(self, other_api: Api, round_id: str, operation: str) -> None:
        assert send(other_api, round_id, operation, '"1"').status == 404
