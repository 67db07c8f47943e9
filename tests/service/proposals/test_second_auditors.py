"""Who confirms a proposal: another key, not of the same people, and nobody who played in the round."""

from collections.abc import Sequence

import pytest

from service.clubs.actions import find_key, rotate_key
from tests.service.links.linked_table import link_to
from tests.support.api_client import Api, ApiResponse
from tests.support.api_disputes import opened, step
from tests.support.application import House
from tests.support.auditors import auditor, confirm, final_round, propose, proposed, withdraw

AUDITING = ("read", "disputes", "correct", "correct-final", "admin")


@pytest.fixture
def round_id(api: Api, house: House) -> str:
    return final_round(house, api)


def create(maker: Api, name: str, *, scopes: Sequence[str] = AUDITING, player: str | None = None) -> Api:
    """Create a key with another key."""
    created = maker.post("/v1/keys", {"name": name, "scopes": [*scopes], "player": player})
    assert created.status == 201, created
    return Api(maker.app, created["secret"])


def refused(response: ApiResponse, sentence: str, code: str = "not-second-auditor") -> bool:
    assert (response.status, response["code"]) == (403, code), response
    return sentence in str(response["detail"])


def test_the_same_key_does_not_confirm(api: Api, house: House, round_id: str) -> None:
    path = proposed(api, round_id)
    before = house.count_records()
    assert refused(confirm(api, path), "the key 'first' has proposed it; expected a key of another auditor")
    assert house.count_records() == before


def test_a_key_that_the_proposing_key_created_does_not_confirm(api: Api, round_id: str) -> None:
    path = proposed(api, round_id)
    own = create(api, "own")
    sentence = "was created by 'first', which has proposed it, or replaces it"
    assert refused(confirm(own, path), f"the key 'own' {sentence}")
    assert refused(confirm(create(own, "of own"), path), f"the key 'of own' {sentence}")


def test_the_key_that_created_the_proposing_key_does_not_confirm(api: Api, round_id: str) -> None:
    path = proposed(create(api, "own"), round_id)
    assert refused(confirm(api, path), "the key 'own', which has proposed it, was created by 'first', or replaces it")


def test_a_rotated_key_does_not_confirm_what_it_proposed(api: Api, house: House, round_id: str) -> None:
    second = auditor(house, api)
    path = proposed(second, round_id)
    assert second.key is not None
    rotated = Api(house.app, rotate_key(house.owner, find_key(house.owner, second.key).prefix).new.secret)
    assert refused(confirm(rotated, path), "which has proposed it, or replaces it")


def test_two_keys_of_one_player_are_one_auditor(api: Api, house: House, round_id: str) -> None:
    phone, laptop = (auditor(house, api, name, player="dan") for name in ("dan-phone", "dan-laptop"))
    path = proposed(phone, round_id)
    sentence = "the key 'dan-phone', which has proposed it, is also that of the player 'dan'"
    assert refused(confirm(laptop, path), sentence)
    assert confirm(auditor(house, api, player="eve"), path).status == 201


def test_two_keys_that_a_manager_created_are_two_auditors(api: Api, round_id: str) -> None:
    one, other = create(api, "one"), create(api, "other")
    assert confirm(other, proposed(one, round_id)).status == 201


def test_who_played_in_the_round_does_not_confirm(api: Api, house: House, round_id: str) -> None:
    path, ann = proposed(api, round_id), auditor(house, api, "ann-phone", player="ann")
    sentence = f"the key 'ann-phone' is that of the player 'ann', who sat in round {round_id}"
    assert refused(confirm(ann, path), sentence, "own-round")
    assert refused(withdraw(ann, path), sentence, "own-round")
    assert confirm(auditor(house, api, "dan-phone", player="dan"), path).status == 201


def test_a_player_proposes_and_withdraws_a_correction_of_their_own_round(api: Api, house: House, round_id: str) -> None:
    ann = auditor(house, api, "ann-phone", player="ann")
    assert withdraw(ann, proposed(ann, round_id)).status == 201
    assert confirm(api, proposed(ann, round_id, reason="misread after all")).status == 201


@pytest.mark.parametrize(
    ("scopes", "proposes", "confirms"),
    [
        (("read", "correct", "correct-final"), True, True),
        (("read", "correct"), False, False),
        (("read", "correct-final"), False, True),
        (("read", "disputes", "recompute"), False, False),
    ],
)
def test_each_step_requires_its_scope(
    api: Api, house: House, round_id: str, scopes: tuple[str, ...], *, proposes: bool, confirms: bool
) -> None:
    narrow = auditor(house, api, "narrow", scopes=scopes)

    def is_allowed(response: ApiResponse) -> bool:
        assert response.status == 201 or (response.status, response["code"]) == (403, "scope-missing"), response
        return response.status == 201

    path = proposed(api, round_id)
    assert is_allowed(confirm(narrow, path, "?dry_run=true")) == confirms
    assert is_allowed(withdraw(narrow, path)) == confirms
    assert is_allowed(propose(narrow, round_id, reason="another")) == proposes


def test_upholding_requires_the_scope_of_disputes(api: Api, house: House, round_id: str) -> None:
    narrow = auditor(house, api, "narrow", scopes=("read", "correct", "correct-final"))
    dispute_id = opened(api, round_id)
    step(api, dispute_id, "review")
    upholds = {"version": 2, "by": "narrow", "reason": "seen"}
    response = propose(narrow, round_id, dispute=dispute_id, upholds=upholds)
    assert (response.status, response["code"]) == (403, "scope-missing"), response


def test_a_link_of_a_scorekeeper_proposes_nothing_for_final_settlements(api: Api, house: House, round_id: str) -> None:
    link = link_to(house, api, api.get(f"/v1/rounds/{round_id}")["table"])
    for response in (propose(link, round_id), link.get("/v1/proposals")):
        assert response.status == 403, response
