"""Proposals from several clients at once: each is made, confirmed and withdrawn once."""

from collections import Counter
from functools import partial

from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.api_settlements import events_of
from tests.support.application import House
from tests.support.auditors import auditor, confirm, correction, final_round, propose, proposed, withdraw
from tests.support.check_club import check_everywhere
from tests.support.race import at_once
from tests.support.sample_rounds import settlement_of

ROUNDS = 6
AT_ONCE = 8


def statuses(responses: list[ApiResponse]) -> list[int]:
    return sorted(response.status for response in responses)


def corrections_of(house: House, round_id: str) -> int:
    return Counter(kind for _, kind in events_of(house, round_id))["round.corrected"]


def test_of_two_auditors_who_confirm_at_once_one_does(api: Api, house: House) -> None:
    auditors = [auditor(house, api, name) for name in ("second", "third")]
    for number in range(ROUNDS):
        round_id = final_round(house, api, name=f"table {number}")
        path = proposed(api, round_id)
        responses = at_once(*(partial(confirm, each, path) for each in auditors))
        assert statuses(responses) == [201, 409]
        [lost] = [response for response in responses if response.status == 409]
        assert lost["code"] == "proposal-refused"
        assert corrections_of(house, round_id) == 1
    check_everywhere(house, api)


def test_a_confirmation_sent_several_times_at_once_is_stored_once(api: Api, house: House) -> None:
    round_id = final_round(house, api)
    path, second = proposed(api, round_id), auditor(house, api)
    responses = at_once(*[partial(confirm, second, path)] * AT_ONCE)
    assert statuses(responses) == [201] * AT_ONCE
    assert sum(not replayed(response) for response in responses) == 1
    assert corrections_of(house, round_id) == 1


def test_a_proposal_sent_several_times_at_once_is_one(api: Api, house: House) -> None:
    round_id = final_round(house, api)
    body = correction(api, round_id)
    path = f"/v1/rounds/{round_id}/proposals"
    responses = at_once(*[partial(api.post, path, body)] * AT_ONCE)
    assert statuses(responses) == [201] * AT_ONCE
    assert len({response["id"] for response in responses}) == 1
    assert len(api.get("/v1/proposals")["proposals"]) == 1


def test_of_two_proposals_at_once_one_waits(api: Api, house: House) -> None:
    second = auditor(house, api)
    for number in range(ROUNDS):
        round_id = final_round(house, api, name=f"table {number}")
        responses = at_once(
            partial(propose, api, round_id, reason="misread"), partial(propose, second, round_id, reason="mistyped")
        )
        assert statuses(responses) == [201, 409]
        assert len(api.get(f"/v1/proposals?round={round_id}&state=waiting")["proposals"]) == 1


def test_a_confirmation_and_a_withdrawal_at_once_end_it_once(api: Api, house: House) -> None:
    second, ends = auditor(house, api), Counter[str]()
    for number in range(ROUNDS):
        round_id = final_round(house, api, name=f"table {number}")
        path = proposed(api, round_id)
        responses = at_once(partial(confirm, second, path), partial(withdraw, api, path))
        assert statuses(responses) == [201, 409]
        state = api.get(path)["state"]
        assert settlement_of(api, round_id)["revision"] == (2 if state == "confirmed" else 1)
        ends[state] += 1
    assert set(ends) <= {"confirmed", "withdrawn"}
    check_everywhere(house, api)
