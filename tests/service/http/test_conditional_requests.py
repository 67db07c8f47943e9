"""Entity tags: a client reads again only what has changed."""

from collections.abc import Callable

import pytest

from tests.support.api_client import Api, ApiResponse
from tests.support.api_settlements import correct, make_final
from tests.support.sample_rounds import (
    COMPLETE,
    add_table,
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
