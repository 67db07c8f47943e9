"""Authors of disputes and confirmations: players of the round and the key."""

import pytest

from service.clubs.actions import create_key, find_club
from service.clubs.queries.clubs import StoredClub
from service.clubs.scopes import KeyScope
from tests.support.api_client import Api, ApiResponse
from tests.support.api_disputes import dispute, opened, step
from tests.support.application import House
from tests.support.import_lines import club_of
from tests.support.sample_rounds import complete_round


def stored_club(house: House, api: Api) -> StoredClub:
    [(name,)] = house.query("SELECT name FROM clubs WHERE id = %s", club_of(house, api))
    return find_club(house.owner, name)


def is_unknown_author(response: ApiResponse, by: str) -> bool:
    """Return whether the author is refused, and the response lists the accepted names."""
    assert response.status == 422, response
    [mistake] = response["errors"]
    assert (mistake["pointer"], mistake["code"]) == ("#/by", "author-unknown")
    expected = "expected a player seated in the round ('ann', 'bob', 'cyd'), or 'first', the name of the key"
    return bool(mistake["detail"] == f"`by` is {by!r}; {expected}")


@pytest.mark.parametrize("by", ["dan", "Ann", "auditor-2"])
def test_an_author_must_be_a_player_of_the_round_or_the_key(api: Api, house: House, by: str) -> None:
    round_id = complete_round(api)
    before = house.count_records()
    assert is_unknown_author(dispute(api, round_id, by=by), by)
    assert house.count_records() == before
    dispute_id = opened(api, round_id)
    for name in ("comments", "review", "withdraw"):
        assert is_unknown_author(step(api, dispute_id, name, by=by), by)
    assert step(api, dispute_id, "review").status == 201
    assert is_unknown_author(step(api, dispute_id, "resolve", by=by), by)


def test_an_auditor_is_identified_by_the_key(api: Api, house: House) -> None:
    new_key = create_key(
        house.owner, stored_club(house, api), name="auditor-2", scopes=[KeyScope.READ, KeyScope.DISPUTES]
    )
    auditor = Api(house.app, new_key.secret)
    dispute_id = opened(api)
    assert step(auditor, dispute_id, "review", by="first").status == 422
    assert step(auditor, dispute_id, "review", by="auditor-2")["history"][-1]["by"] == "auditor-2"
    assert step(auditor, dispute_id, "comments", by="bob").status == 201
    kinds = "SELECT kind FROM events WHERE actor = %s ORDER BY sequence"
    assert [kind for (kind,) in house.query(kinds, new_key.key.id)] == ["dispute.reviewed", "dispute.commented"]


def test_a_confirmation_records_its_seat_and_key(api: Api, house: House) -> None:
    round_id = complete_round(api)
    new_key = create_key(
        house.owner, stored_club(house, api), name="scorekeeper", scopes=[KeyScope.READ, KeyScope.WRITE]
    )
    scorekeeper = Api(house.app, new_key.secret)
    confirmed = scorekeeper.post(f"/v1/rounds/{round_id}/confirmations", {"seat": 1})
    assert (confirmed.status, confirmed["confirmed"]) == (201, [1])
    [(actor,)] = house.query("SELECT actor FROM events WHERE kind = 'settlement.confirmed' AND round_id = %s", round_id)
    assert actor == new_key.key.id
    nobody = scorekeeper.post(f"/v1/rounds/{round_id}/confirmations", {"seat": 9})
    assert nobody["errors"][0]["pointer"] == "#/seat"
