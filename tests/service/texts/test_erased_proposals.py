"""The requests and reasons of proposals are texts: erased with the proposal or with its round."""

from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.auditors import auditor, confirm, proposed, withdraw
from tests.support.database.search_tables import tables_that_hold
from tests.support.sample_rounds import complete_round

ERASED = "Erasable in a proposal"


def test_the_request_of_a_proposal_is_erased_and_it_cannot_be_confirmed(house: House, api: Api) -> None:
    second = auditor(house, api, "auditor-2")
    path = proposed(api, complete_round(api), reason=f"misread, {ERASED}")
    assert api.get(path)["reason"] == f"misread, {ERASED}"
    proposal_id = path.rpartition("/")[2]
    assert api.delete(f"/v1/texts/{proposal_id}").status == 204
    erased = api.get(path)
    assert (erased["reason"], erased["comparison"], erased["state"]) == (None, None, "waiting")
    refused = confirm(second, path)
    assert (refused.status, refused["code"]) == (409, "proposal-changed")
    assert withdraw(second, path, "cannot be read").status == 201
    assert tables_that_hold(house, ERASED) == set()
    assert verify(house, api) == []


def test_the_texts_of_proposals_are_erased_with_their_round(house: House, api: Api) -> None:
    second = auditor(house, api, "auditor-2")
    round_id = complete_round(api)
    path = proposed(api, round_id, reason=f"misread, {ERASED}")
    assert withdraw(second, path, f"who has seen it? {ERASED}").status == 201
    confirmed = proposed(api, round_id, reason=f"misread again, {ERASED}")
    assert confirm(second, confirmed).status == 201
    assert api.delete(f"/v1/texts/{round_id}").status == 204
    assert (api.get(path)["reason"], api.get(path)["end"]["reason"]) == (None, None)
    assert api.get(confirmed)["reason"] is None
    assert tables_that_hold(house, ERASED) == set()
    assert verify(house, api) == []


def test_the_same_proposal_sent_again_is_a_replay(house: House, api: Api) -> None:
    round_id = complete_round(api)
    path = proposed(api, round_id)
    assert proposed(api, round_id) == path
    assert verify(house, api) == []


def test_the_requests_of_proposals_are_erased_with_a_player_of_the_round(house: House, api: Api) -> None:
    path = proposed(api, complete_round(api), reason=f"{ERASED} by seat")
    assert api.delete("/v1/players/ann").status == 204
    assert api.get(path)["reason"] is None
    assert tables_that_hold(house, ERASED) == set()
    assert verify(house, api) == []


def test_comments_with_a_key_that_declares_a_player_are_erased_with_the_player(house: House, api: Api) -> None:
    key = auditor(house, api, "zoe's phone", scopes=("write", "disputes"), player="zoe")
    claim = {"round": complete_round(api), "claim": "the top is misread", "by": "ann"}
    dispute = api.post("/v1/disputes", claim)["id"]
    comment = {"comment": f"{ERASED} with a key", "by": "zoe's phone"}
    assert key.post(f"/v1/disputes/{dispute}/comments", comment).status == 201
    assert api.delete("/v1/players/zoe").status == 204
    assert tables_that_hold(house, f"{ERASED} with a key") == set()
    read = api.get(f"/v1/disputes/{dispute}").document
    assert (read["claim"], read["history"][0]["words"]) == ("the top is misread", None)
    assert verify(house, api) == []
