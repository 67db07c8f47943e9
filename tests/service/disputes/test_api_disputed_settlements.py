"""The state of a settlement during and after disputes, over HTTP."""

import pytest

from service.disputes.actions import disputes
from service.rounds.actions.settlements import finalize_settlements
from tests.support.api_client import Api
from tests.support.api_disputes import (
    complete_round,
    correct,
    dispute,
    opened,
    step,
)
from tests.support.application import House
from tests.support.import_lines import club_of, database_of


def state_of(house: House, round_id: str) -> str:
    [(state,)] = house.query("SELECT settlement_state FROM round_heads WHERE round_id = %s", round_id)
    return str(state)


@pytest.mark.parametrize("end", ["upheld", "rejected", "withdrawn"])
def test_a_settlement_is_disputed_until_its_last_dispute_has_ended(api: Api, house: House, end: str) -> None:
    round_id = complete_round(api, correction_window_minutes=0)
    first, second = opened(api, round_id), opened(api, round_id, by="bob")
    step(api, first, "review")
    for dispute_id in (first, second):
        assert finalize_settlements(database_of(house), club_of(house, api)) == 0
        assert state_of(house, round_id) == "disputed"
        if end == "withdrawn":
            step(api, dispute_id, "withdraw")
        else:
            step(api, dispute_id, "review")
            step(api, dispute_id, "resolve", state=end)
    assert state_of(house, round_id) == "provisional"
    assert finalize_settlements(database_of(house), club_of(house, api)) == 1
    assert state_of(house, round_id) == "final"


def test_a_final_settlement_is_final_again_after_a_rejected_dispute(api: Api, house: House) -> None:
    round_id = complete_round(api, correction_window_minutes=0)
    assert finalize_settlements(database_of(house), club_of(house, api)) == 1
    dispute_id = opened(api, round_id)
    assert state_of(house, round_id) == "disputed"
    step(api, dispute_id, "comments")
    step(api, dispute_id, "review")
    assert state_of(house, round_id) == "disputed"
    step(api, dispute_id, "resolve")
    assert state_of(house, round_id) == "final"


def test_a_correction_for_a_dispute_starts_a_new_correction_window(api: Api, house: House) -> None:
    round_id = complete_round(api, correction_window_minutes=0)
    assert finalize_settlements(database_of(house), club_of(house, api)) == 1
    dispute_id = opened(api, round_id)
    step(api, dispute_id, "review")
    assert correct(api, round_id, dispute=dispute_id).status == 201
    assert state_of(house, round_id) == "disputed"
    step(api, dispute_id, "resolve", state="upheld")
    assert state_of(house, round_id) == "provisional"


def test_the_number_of_open_disputes_of_a_round_is_limited(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disputes, "MOST_OPEN", 2)
    round_id = complete_round(api)
    first = opened(api, round_id)
    opened(api, round_id, by="bob")
    full = dispute(api, round_id, by="cyd")
    assert (full.status, full["code"], full.codes) == (409, "dispute-refused", {"disputes-full"})
    step(api, first, "withdraw")
    assert dispute(api, round_id, by="cyd").status == 201
