"""Corrections of final settlements over HTTP where the club requires a second auditor."""

from typing import Any

import pytest

from service.proposals import queries as proposals
from tests.service.feed.test_api_feed import feed
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.api_disputes import opened, step
from tests.support.api_settlements import confirm as confirm_result
from tests.support.api_settlements import correct, refused
from tests.support.application import House
from tests.support.auditors import (
    FIRST_HAND,
    auditor,
    confirm,
    correction,
    final_round,
    propose,
    proposed,
    require_second_auditor,
    withdraw,
)
from tests.support.check_club import check_everywhere
from tests.support.sample_rounds import complete_round, settlement_of

AGAIN = {"reason": "misread again", "patch": FIRST_HAND}


@pytest.fixture
def second(house: House, api: Api) -> Api:
    return auditor(house, api)


def needs_second(response: ApiResponse) -> bool:
    return (response.status, response["code"]) == (409, "second-auditor-required")


def part_of(comparison: Any) -> Any:
    """Return what a comparison has in common before and after the correction was stored."""
    return {name: comparison[name] for name in ("hands", "net", "carried_over", "dropped_departures", "adjustment")}


@pytest.mark.smoke
def test_a_correction_of_a_final_settlement_takes_effect_when_another_key_confirms_it(
    api: Api, house: House, second: Api
) -> None:
    round_id = final_round(house, api)
    before = house.count_records()
    assert needs_second(correct(api, round_id))
    assert house.count_records() == before
    proposal = propose(api, round_id)
    assert proposal.status == 201, proposal
    path = proposal.headers["Location"]
    assert (proposal["state"], proposal["revision"], proposal["by"], proposal["end"]) == ("waiting", 1, "first", None)
    assert settlement_of(api, round_id)["state"] == "final", "nothing of the round changes"
    assert api.get(path).document == proposal.document
    confirmed = confirm(second, path)
    assert (confirmed.status, confirmed["state"]) == (201, "confirmed")
    assert (confirmed["end"]["by"], confirmed["end"]["revision"]) == ("second", 2)
    assert part_of(confirmed["comparison"]) == part_of(proposal["comparison"])
    settlement = settlement_of(api, round_id)
    assert (settlement["revision"], settlement["reason"], settlement["state"]) == (2, "misread", "provisional")
    assert part_of(api.get(path)["comparison"]) == part_of(proposal["comparison"])
    assert [each["kind"] for each in feed(house, api, kind="proposal.opened,proposal.confirmed")] == [
        "proposal.opened",
        "proposal.confirmed",
    ]
    check_everywhere(house, api)


def test_what_is_not_final_is_corrected_with_one_key(api: Api, house: House) -> None:
    require_second_auditor(house, api)
    assert api.get("/v1/club")["second_auditor"] is True
    assert correct(api, complete_round(api)).status == 201
    round_id = final_round(house, api, name="attic")
    require_second_auditor(house, api, is_required=False)
    assert correct(api, round_id).status == 201
    require_second_auditor(house, api)
    # A settlement that was final once stays one.
    assert needs_second(correct(api, round_id, FIRST_HAND))


def test_the_same_proposal_is_made_once_and_its_end_is_replayed(api: Api, house: House, second: Api) -> None:
    round_id = final_round(house, api)
    path = proposed(api, round_id)
    before = house.count_records()
    again = propose(api, round_id)
    assert replayed(again)
    assert again.headers["Location"] == path
    another = propose(api, round_id, reason="another")
    assert refused(another, "proposal-refused", "proposal-waiting")
    assert path.rpartition("/")[2] in another["detail"]
    assert house.count_records() == before
    assert not replayed(confirm(second, path))
    before = house.count_records()
    assert replayed(confirm(second, path))
    assert refused(confirm(auditor(house, api, "third"), path), "proposal-refused", "proposal-ended")
    assert refused(withdraw(api, path), "proposal-refused", "proposal-ended")
    assert {**house.count_records(), "api_keys": 0, "events": 0} == {**before, "api_keys": 0, "events": 0}


def test_a_proposal_is_withdrawn_and_made_again(api: Api, house: House, second: Api) -> None:
    round_id = final_round(house, api)
    path = proposed(api, round_id)
    withdrawn = withdraw(api, path, "I misread it")
    assert (withdrawn.status, withdrawn["state"], withdrawn["end"]["reason"]) == (201, "withdrawn", "I misread it")
    assert replayed(withdraw(api, path, "I misread it"))
    assert refused(confirm(second, path), "proposal-refused", "proposal-ended")
    assert settlement_of(api, round_id)["revision"] == 1
    assert propose(api, round_id)["state"] == "withdrawn", "the same request is the same proposal"
    other = proposed(api, round_id, reason="misread, on the second video")
    refusal = withdraw(second, other, "not enough")
    assert (refusal["end"]["by"], refusal["state"]) == ("second", "withdrawn")
    assert confirm(second, proposed(api, round_id, reason="and on the third")).status == 201
    check_everywhere(house, api)


def test_a_round_that_has_changed_since_is_refused_with_what_changed(api: Api, house: House, second: Api) -> None:
    round_id = final_round(house, api)
    path = proposed(api, round_id)
    require_second_auditor(house, api, is_required=False)
    assert correct(second, round_id, FIRST_HAND, reason="the first hand").status == 201
    require_second_auditor(house, api)
    before = house.count_records()
    response = confirm(second, path)
    assert (response.status, response["code"]) == (409, "proposal-changed"), response
    assert response["detail"] == "the round has revision 2; the proposal is for revision 1"
    [mistake] = response["errors"]
    assert mistake["detail"] == "revision 2 was made by second: the first hand"
    assert house.count_records() == before
    assert api.get(path)["comparison"] is None
    assert withdraw(api, path).status == 201


def test_a_confirmation_of_players_since_does_not_matter(api: Api, house: House, second: Api) -> None:
    round_id = final_round(house, api)
    path = proposed(api, round_id)
    dispute_id = opened(api, round_id)
    assert confirm(second, path).status == 201
    assert step(api, dispute_id, "withdraw").status == 201
    assert confirm_result(api, round_id, 1).status == 201
    check_everywhere(house, api)


def test_a_correction_that_would_have_another_result_is_refused(
    api: Api, house: House, second: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = proposed(api, final_round(house, api))
    digest = "service.corrections.actions.planning.PlannedCorrection.digest"
    monkeypatch.setattr(digest, property(lambda _: bytes(32)))
    before = house.count_records()
    response = confirm(second, path)
    assert (response.status, response["code"]) == (409, "proposal-changed")
    assert "would have another result than when it was proposed" in response["detail"]
    assert house.count_records() == before


def test_a_dispute_is_upheld_together_with_its_correction(api: Api, house: House, second: Api) -> None:
    round_id = final_round(house, api)
    dispute_id = opened(api, round_id)
    upholds = {"version": 2, "by": "first", "reason": "the video shows it"}
    fields: dict[str, Any] = {"dispute": dispute_id, "upholds": upholds}
    assert refused(propose(api, round_id, **fields), "dispute-changed", "dispute-changed")
    assert step(api, dispute_id, "review").status == 201
    path = proposed(api, round_id, **fields)
    assert api.get(f"/v1/disputes/{dispute_id}")["state"] == "under_review"
    assert step(api, dispute_id, "comments", by="bob").status == 201, "a comment does not change the decision"
    assert confirm(second, path).status == 201
    case = api.get(f"/v1/disputes/{dispute_id}")
    assert (case["state"], case["corrections"]) == ("upheld", [2])
    assert (case["history"][-1]["by"], case["history"][-1]["words"]) == ("first", "the video shows it")
    check_everywhere(house, api)


def test_the_author_of_a_decision_is_the_proposer_also_if_a_player_gets_the_same_name(
    api: Api, house: House, second: Api
) -> None:
    round_id = final_round(house, api)
    dispute_id = opened(api, round_id)
    assert step(api, dispute_id, "review").status == 201
    patch = [{"op": "replace", "path": "/seats/1/player", "value": "first"}]
    upholds = {"version": 2, "by": "first", "reason": "the video shows it"}
    path = proposed(api, round_id, dispute=dispute_id, upholds=upholds, patch=patch)
    assert confirm(second, path).status == 201
    decided = house.query("SELECT author, author_name IS NULL FROM dispute_entries WHERE kind = 'upheld'")
    assert decided == [(None, False)]
    check_everywhere(house, api)


def test_the_author_of_a_decision_can_be_a_player_whom_the_correction_removes(
    api: Api, house: House, second: Api
) -> None:
    round_id = final_round(house, api)
    dispute_id = opened(api, round_id)
    assert step(api, dispute_id, "review").status == 201
    patch = [{"op": "replace", "path": "/seats/1/player", "value": "bobby"}]
    upholds = {"version": 2, "by": "bob", "reason": "the video shows it"}
    path = proposed(api, round_id, dispute=dispute_id, upholds=upholds, patch=patch)
    assert confirm(second, path).status == 201
    assert api.get(f"/v1/disputes/{dispute_id}")["history"][-1]["by"] == "bob"
    check_everywhere(house, api)


def test_a_dispute_that_ended_otherwise_is_not_upheld(api: Api, house: House, second: Api) -> None:
    round_id = final_round(house, api)
    dispute_id = opened(api, round_id)
    step(api, dispute_id, "review")
    path = proposed(api, round_id, dispute=dispute_id, upholds={"version": 2, "by": "first", "reason": "seen"})
    assert step(api, dispute_id, "withdraw").status == 201
    before = house.count_records()
    response = confirm(second, path)
    assert (response.status, response["code"]) == (409, "dispute-refused"), response
    assert house.count_records() == before


def test_nothing_is_stored_if_a_part_fails(
    api: Api, house: House, second: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The revision, the decision and the confirmation are one transaction: whatever ends it, none of them is stored."""
    round_id = final_round(house, api)
    dispute_id = opened(api, round_id)
    step(api, dispute_id, "review")
    path = proposed(api, round_id, dispute=dispute_id, upholds={"version": 2, "by": "first", "reason": "seen"})
    before = house.count_records()

    def fail(*_: object) -> None:
        raise ConnectionResetError("the process ends here")

    with monkeypatch.context() as patched:
        patched.setattr(proposals, "confirm", fail)
        assert confirm(second, path).status == 500
    assert house.count_records() == before
    assert confirm(second, path).status == 201
    assert api.get(f"/v1/disputes/{dispute_id}")["state"] == "upheld"
    check_everywhere(house, api)


def test_dry_runs_store_nothing(api: Api, house: House, second: Api) -> None:
    round_id = final_round(house, api)
    before = house.count_records()
    tried = propose(api, round_id, query="?dry_run=true")
    assert (tried.status, tried["state"]) == (201, "waiting")
    assert house.count_records() == before
    path = proposed(api, round_id)
    before = house.count_records()
    assert confirm(second, path, "?dry_run=true")["end"]["revision"] == 2
    assert second.post(f"{path}/withdraw?dry_run=true", {"reason": "no"})["state"] == "withdrawn"
    assert house.count_records() == before
    assert api.get(path)["state"] == "waiting"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"version": 1}, "round-changed"),
        ({"patch": []}, "correction-invalid"),
        ({"patch": [{"op": "remove", "path": "/hands/9"}]}, "request-invalid"),
        ({"upholds": {"version": 1, "by": "first"}}, "request-invalid"),
    ],
)
def test_what_cannot_be_corrected_is_not_proposed(api: Api, house: House, fields: Any, code: str) -> None:
    round_id = final_round(house, api)
    before = house.count_records()
    response = propose(api, round_id, **fields)
    assert (response.status in (409, 422), response["code"]) == (True, code), response
    assert house.count_records() == before


def test_proposals_are_listed_by_state_and_round(api: Api, house: House, second: Api) -> None:
    first, other = final_round(house, api), final_round(house, api, name="attic")
    ended = proposed(api, first)
    confirm(second, ended)
    waiting = [proposed(api, first, **AGAIN), proposed(api, other)]

    def paths(query: str) -> list[str]:
        return [f"/v1/proposals/{each['id']}" for each in api.get(f"/v1/proposals?{query}")["proposals"]]

    assert paths("") == [*waiting[::-1], ended]
    assert paths("state=waiting") == waiting[::-1]
    assert paths(f"state=confirmed&round={first}") == [ended]
    assert paths(f"round={other}") == waiting[1:]
    assert paths("state=withdrawn") == []
    page = api.get("/v1/proposals?limit=2")
    assert paths(f"limit=2&cursor={page['next_cursor']}") == [ended]


def test_proposals_are_of_one_club(api: Api, house: House, other_api: Api) -> None:
    path = proposed(api, final_round(house, api))
    require_second_auditor(house, other_api)
    assert other_api.get("/v1/proposals")["proposals"] == []

    def are_unknown(*responses: ApiResponse) -> bool:
        return {response.status for response in responses} == {404}

    assert are_unknown(other_api.get(path), confirm(other_api, path), withdraw(other_api, path))
    other_round = complete_round(other_api)
    assert are_unknown(api.post(f"/v1/rounds/{other_round}/proposals", correction(other_api, other_round)))
