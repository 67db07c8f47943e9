"""Nobody decides a dispute of a round in which they played, as far as the players of keys are declared."""

import pytest

from service.clubs.actions import create_key, rotate_key
from tests.service.disputes.test_dispute_authors import stored_club
from tests.service.feed.test_api_feed import feed
from tests.service.links.linked_table import link_to
from tests.support.api_client import Api, ApiResponse
from tests.support.api_disputes import MISREAD, correct, opened, step
from tests.support.api_settlements import another_key
from tests.support.application import House
from tests.support.auditors import auditor
from tests.support.browser.console_visitor import Visitor
from tests.support.sample_rounds import (
    COMPLETE,
    complete_round,
    correct_round,
    document_of,
    post_document,
    undo,
)

KEY_OF_ANN = "the key 'ann-phone' is that of the player 'ann', who sat in round {}; expected a key of somebody who"


@pytest.fixture
def ann(house: House, api: Api) -> Api:
    return auditor(house, api, "ann-phone", player="ann")


def refused(response: ApiResponse, round_id: str) -> bool:
    """Return whether a decision is refused with the player and the round."""
    assert (response.status, response["code"]) == (403, "own-round"), response
    return str(response["detail"]).startswith(KEY_OF_ANN.format(round_id))


@pytest.mark.smoke
def test_a_player_decides_no_dispute_of_their_own_round(api: Api, house: House, ann: Api) -> None:
    round_id = complete_round(api)
    dispute_id = opened(api, round_id, by="bob")
    before = house.count_records()
    assert refused(step(ann, dispute_id, "review", by="ann-phone"), round_id)
    assert refused(correct(ann, round_id, dispute=dispute_id), round_id)
    assert house.count_records() == before
    assert step(api, dispute_id, "review").status == 201
    before = house.count_records()
    for state in ("upheld", "rejected"):
        assert refused(step(ann, dispute_id, "resolve", by="ann-phone", state=state), round_id)
    assert house.count_records() == before


def test_a_player_decides_disputes_of_other_rounds(api: Api, ann: Api) -> None:
    round_id = complete_round(api)
    others = correct_round(api, round_id, {"reason": "another player", "patch": [_rename("ann", "dan")]})
    assert others.status == 201
    other = complete_round(api, name="attic")
    assert refused(step(ann, opened(api, other), "review", by="ann-phone"), other)
    # Ann sat in the first revision of the round, so that it remains her own.
    assert refused(step(ann, opened(api, round_id, by="dan"), "review", by="ann-phone"), round_id)


def _rename(before: str, after: str) -> dict[str, object]:
    assert before == "ann"
    return {"op": "replace", "path": "/seats/0/player", "value": after}


def test_a_key_of_another_person_decides(api: Api, house: House) -> None:
    dan, round_id = auditor(house, api, "dan-phone", player="dan"), complete_round(api)
    dispute_id = opened(api, round_id)
    assert step(dan, dispute_id, "review", by="dan-phone").status == 201
    assert correct(dan, round_id, dispute=dispute_id).status == 201
    assert step(dan, dispute_id, "resolve", by="dan-phone", state="upheld").status == 201


def test_a_player_comments_and_corrects_what_nobody_disputes(api: Api, ann: Api) -> None:
    round_id = complete_round(api)
    dispute_id = opened(api, round_id, by="bob")
    assert step(ann, dispute_id, "comments", by="ann").status == 201
    assert correct_round(ann, round_id, {"reason": "misread", "patch": MISREAD}).status == 201
    assert undo(ann, complete_round(api, name="attic"), 3).status == 201


def test_a_player_withdraws_only_their_own_dispute(api: Api, ann: Api) -> None:
    round_id = complete_round(api)
    of_bob, own = opened(api, round_id, by="bob"), opened(api, round_id, by="ann")
    assert refused(step(ann, of_bob, "withdraw", by="bob"), round_id)
    assert step(ann, own, "withdraw", by="ann").status == 201


@pytest.mark.parametrize("renew", ["rotated", "link"])
def test_a_new_key_remains_that_of_the_player(api: Api, house: House, renew: str) -> None:
    round_id = complete_round(api)
    dispute_id = opened(api, round_id, by="bob")
    new_key = create_key(house.owner, stored_club(house, api), name="ann-phone", player="ann")
    if renew == "rotated":
        holder = Api(house.app, rotate_key(house.owner, new_key.key.prefix).new.secret)
        response = step(holder, dispute_id, "review", by="ann-phone")
    else:
        holder = link_to(house, Api(house.app, new_key.secret), api.get(f"/v1/rounds/{round_id}")["table"])
        response = correct(holder, round_id, dispute=dispute_id)
    assert (response.status, response["code"]) == (403, "own-round"), response
    assert f"is that of the player 'ann', who sat in round {round_id}" in response["detail"]


def test_a_scorekeepers_link_of_another_person_corrects_for_a_dispute(api: Api, house: House) -> None:
    round_id = complete_round(api)
    dispute_id = opened(api, round_id)
    link = link_to(house, api, api.get(f"/v1/rounds/{round_id}")["table"])
    assert correct(link, round_id, dispute=dispute_id).status == 201


def test_the_next_dispute_of_a_player_is_of_a_round_of_others(api: Api, house: House, ann: Api) -> None:
    opened(api, complete_round(api), by="bob")
    sitting = {1: "dan 100", 2: "eve 100", 3: "fay 100"}
    other = post_document(api, document_of(sitting=sitting, hands=COMPLETE, table="attic"))["round"]["id"]
    dispute_id = opened(api, other, by="eve")
    visitor = Visitor.signed_in(house, ann)
    taken = [visitor.submit("/disputes", "/disputes/next", {}).location for _ in range(2)]
    assert taken == [f"/console/disputes/{dispute_id}", "/console/disputes?taken=none"]
    assert api.get(f"/v1/disputes/{dispute_id}")["state"] == "under_review"


def test_the_player_of_a_key_is_listed_and_in_its_event(api: Api, house: House) -> None:
    created = api.post("/v1/keys", {"name": "ann-phone", "scopes": ["read"], "player": "ann"})
    assert (created.status, created["player"]) == (201, "ann"), created
    plain = api.post("/v1/keys", {"name": "tablet", "scopes": ["read"]})
    assert plain["player"] is None
    listed = {each["name"]: each for each in api.get("/v1/keys")["keys"]}
    assert {name: each["player"] for name, each in listed.items()} == {
        "first": None,
        "ann-phone": "ann",
        "tablet": None,
    }
    assert listed["tablet"]["created_by"] == listed["first"]["id"]
    assert listed["first"]["created_by"] is None
    contents = {each["content"]["key"]: each["content"] for each in feed(house, api, kind="key.created")}
    assert contents[created["id"]]["player"] == "ann"
    assert "player" not in contents[plain["id"]]


@pytest.mark.parametrize("player", ["", "a\nb", "x" * 101, 7])
def test_the_player_of_a_key_is_an_id(api: Api, player: object) -> None:
    response = api.post("/v1/keys", {"name": "phone", "scopes": ["read"], "player": player})
    assert (response.status, [*response.mistakes]) == (422, ["#/player"]), response


def test_a_narrow_key_without_a_player_decides(api: Api, house: House) -> None:
    assert step(another_key(house, api, "read", "disputes"), opened(api), "review", by="narrow").status == 201
