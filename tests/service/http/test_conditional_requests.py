"""Entity tags: a client reads again only what has changed, and corrects only what it has read."""

from collections.abc import Callable

import pytest

from tests.support.api_client import Api, ApiResponse
from tests.support.api_settlements import OTHER_HAND, correct, make_final
from tests.support.sample_rounds import COMPLETE, play, start_round

Read = Callable[..., ApiResponse]


def read(api: Api, path: str, tag: str | None = None) -> ApiResponse:
    return api.ask("GET", path, headers={} if tag is None else {"If-None-Match": tag})


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


class TestIfMatch:
    """Corrections of the version that the client has read."""

    def tagged(self, api: Api, round_id: str, tag: str) -> ApiResponse:
        body = {"reason": "typed wrong", "patch": OTHER_HAND}
        return api.ask("POST", f"/v1/rounds/{round_id}/corrections", json=body, headers={"If-Match": tag})

    @pytest.fixture
    def round_id(self, api: Api) -> str:
        round_id = start_round(api)
        for hand in COMPLETE:
            play(api, round_id, hand)
        return round_id

    def test_a_correction_of_an_older_version_is_refused(self, api: Api, round_id: str) -> None:
        round_ = read(api, f"/v1/rounds/{round_id}")
        for stale in (f'"{round_["version"] - 1}"', f'"{round_["version"] + 1}"'):
            answer = self.tagged(api, round_id, stale)
            assert (answer.status, answer["code"]) == (412, "precondition-failed")
            assert f"expected version {round_['version']}" in answer["detail"]
        assert read(api, f"/v1/rounds/{round_id}").document == round_.document

    @pytest.mark.parametrize("form", ["{tag}", '"{version}"', "W/{tag}"])
    def test_a_correction_of_the_version_that_was_read_is_recorded(self, api: Api, round_id: str, form: str) -> None:
        round_ = read(api, f"/v1/rounds/{round_id}")
        tag = form.format(tag=round_.headers["ETag"], version=round_["version"])
        assert self.tagged(api, round_id, tag).status == 201
        # The same request again is a replay, although the round has another version now.
        again = self.tagged(api, round_id, tag)
        assert (again.status, again.headers["Idempotent-Replayed"]) == (201, "true")

    @pytest.mark.parametrize("tag", ["7", "*", '"x"', '"1", "2"', '"0"', '"' + "9" * 40 + '"'])
    def test_what_is_no_tag_of_a_round_is_refused(self, api: Api, round_id: str, tag: str) -> None:
        answer = self.tagged(api, round_id, tag)
        assert (answer.status, answer["code"]) == (400, "precondition-invalid")
        assert repr(tag[:80]) in answer["detail"]
