"""Corrections over HTTP: hands accepted as played, repeated corrections, and two at once."""

from functools import partial

from tests.support.api_client import Api, replayed
from tests.support.api_corrections import (
    ENTERS,
    NO_QUEENS,
    SECOND,
    SWAPPED,
    VOID,
    correct,
    in_fantasyland,
    part_of,
    refused,
    round_of,
)
from tests.support.application import House
from tests.support.race import at_once
from tests.support.sample_rounds import THREE, Document, complete_round, hand, play, undo

# --- hands that stand ---


def test_a_later_hand_that_no_longer_follows_is_refused(api: Api, house: House) -> None:
    response = refused(api, house, in_fantasyland(api), patch=NO_QUEENS)
    assert (response.status, response["code"]) == (422, "hand-irregular")
    assert response.mistakes == {"#/patch": "fantasyland-not-earned"}
    assert response["errors"][0]["detail"].startswith(
        "`patch`: at #/hands/1/players/0/fantasyland of the patched document: "
    )
    assert response["detail"] == (
        "hand 2 does not follow the hands before it: seat 1 is in Fantasyland and has not earned it in the hand before;"
        " expected 0"
    )


def test_a_hand_accepted_as_played_is_marked_in_every_view(api: Api) -> None:
    round_id = in_fantasyland(api)
    response = correct(api, round_id, patch=NO_QUEENS, irregular="accept")
    assert response.status == 201, response
    reasons = [
        {
            "pointer": "#/players/0/fantasyland",
            "code": "fantasyland-not-earned",
            "detail": (
                "`players[0].fantasyland`: seat 1 is in Fantasyland and has not earned it in the hand before;"
                " expected 0"
            ),
        }
    ]
    assert [hand_["after"]["irregular"] for hand_ in response["hands"]] == [[], reasons]
    listed = part_of(api, round_id, "hands")["hands"]
    assert [each["irregular"] for each in listed] == [[], reasons]
    assert api.get(f"/v1/hands/{listed[1]['id']}")["irregular"] == reasons
    accepted = [{"hand": 2, "reasons": reasons}]
    assert part_of(api, round_id, "settlement")["irregular"] == accepted
    assert part_of(api, round_id, "document")["irregular"] == accepted
    assert part_of(api, round_id, "settlement", 1)["irregular"] == []
    assert "irregular" not in part_of(api, round_id, "document", 1).document


def test_a_hand_stays_accepted_until_it_is_regular_again(api: Api) -> None:
    round_id = in_fantasyland(api)
    correct(api, round_id, patch=NO_QUEENS, irregular="accept")
    play(api, round_id, hand(3, 1, THREE))
    undo(api, round_id, 3)
    assert [each["hand"] for each in part_of(api, round_id, "settlement")["irregular"]] == [2]
    response = correct(
        api, round_id, patch=[{"op": "replace", "path": "/hands/0/played_at", "value": "2026-11-20T20:15:00Z"}]
    )
    assert not replayed(response)
    assert [each["hand"] for each in part_of(api, round_id, "settlement")["irregular"]] == [2]
    back = [{"op": "replace", "path": "/hands/0", "value": ENTERS}]
    assert not replayed(correct(api, round_id, patch=back))
    assert part_of(api, round_id, "settlement")["irregular"] == []
    assert part_of(api, round_id, "settlement")["net"] == part_of(api, round_id, "settlement", 1)["net"]


# --- the same correction again, and two at once ---


def test_the_same_correction_again_changes_nothing(api: Api, house: House) -> None:
    round_id = complete_round(api)
    version = round_of(api, round_id)["version"]
    first = correct(api, round_id, patch=SWAPPED, version=version)
    records = house.count_records()
    again = correct(api, round_id, patch=SWAPPED, version=version)
    assert replayed(again)
    assert again.document == first.document
    assert house.count_records() == records
    assert first["changed"] is True


def test_a_correction_without_effect_is_a_200_without_a_revision(api: Api, house: House) -> None:
    round_id = complete_round(api)
    first = correct(api, round_id, patch=SWAPPED)
    records = house.count_records()
    for query in ("", "?dry_run=true"):
        again = correct(api, round_id, query=query, patch=SWAPPED, reason="seats 1 and 3 were swapped")
        assert (again.status, again["changed"]) == (200, False)
        assert "Idempotent-Replayed" not in again.headers
        assert (again["hands"], again["round"], again["revision"]) == ([], first["round"], 2)
        assert {each["change"] for each in again["net"]} == {0}
    assert house.count_records() == records


def test_a_late_copy_of_a_correction_does_not_revert_newer_ones(api: Api, house: House) -> None:
    round_id = complete_round(api)
    version = round_of(api, round_id)["version"]
    correct(api, round_id, patch=SWAPPED, version=version)
    correct(api, round_id, patch=[{"op": "replace", "path": "/hands/1", "value": SECOND}], version=version + 1)
    records = house.count_records()
    late = correct(api, round_id, patch=SWAPPED, version=version)
    assert replayed(late)
    assert (late["revision"], late["round"]["version"]) == (2, version + 2)
    assert house.count_records() == records


def test_a_correction_of_a_round_that_has_changed_since_it_was_read_is_a_conflict(api: Api, house: House) -> None:
    round_id = complete_round(api)
    version = round_of(api, round_id)["version"]
    correct(api, round_id, patch=SWAPPED)
    response = refused(api, house, round_id, patch=[{"op": "remove", "path": "/hands/2"}], version=version)
    assert (response.status, response["code"]) == (409, "round-changed")
    assert response.mistakes == {"#/version": "round-changed"}


def test_of_two_corrections_at_once_one_succeeds(api: Api) -> None:
    for attempt in range(5):
        round_id = complete_round(api, name=f"table {attempt}")
        version = round_of(api, round_id)["version"]
        responses = at_once(
            *[partial(correct, api, round_id, patch=patch, version=version) for patch in (SWAPPED, VOID)]
        )
        assert sorted(response.status for response in responses) == [201, 409]
        assert part_of(api, round_id, "settlement")["revision"] == 2


def test_a_correction_under_an_idempotency_key_is_stored_once(api: Api, house: House) -> None:
    round_id = complete_round(api)
    sent: Document = {
        "json": {"reason": "misread", "version": round_of(api, round_id)["version"], "patch": SWAPPED},
        "headers": {"Idempotency-Key": '"correction-1"'},
    }
    first = api.request("POST", f"/v1/rounds/{round_id}/corrections", **sent)
    correct(api, round_id, patch=[{"op": "replace", "path": "/hands/1", "value": SECOND}])
    records = house.count_records()
    again = api.request("POST", f"/v1/rounds/{round_id}/corrections", **sent)
    assert replayed(again)
    assert again.document == first.document
    assert house.count_records() == records
