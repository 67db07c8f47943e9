"""Disputes over HTTP: open, comment, review, resolve, withdraw and list."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from evidence.texts import digest_text
from tests.support.api_client import Api, replayed
from tests.support.api_disputes import (
    AUDITOR,
    CLAIM,
    REASON,
    STEPS,
    body_of,
    brought_to,
    complete_round,
    correct,
    dispute,
    opened,
    step,
)
from tests.support.application import House
from tests.support.sample_rounds import (
    COMPLETE,
    NOBODYS,
    add_table,
    close,
    open_round,
    play,
    play_to_the_end,
    start_round,
    walk,
)

STATES = ("open", "under_review", "upheld", "rejected", "withdrawn")


def version_of(api: Api, round_id: str) -> int:
    return int(api.get(f"/v1/rounds/{round_id}")["version"])


# --- opening ---


@pytest.mark.smoke
def test_a_dispute_has_its_claim_author_and_place(api: Api) -> None:
    round_id = complete_round(api)
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    response = dispute(api, round_id, hand=2, seat=1, row="top")
    assert response.status == 201, response
    assert response.headers["Location"] == f"/v1/disputes/{response['id']}"
    entries = {name: response[name] for name in ("round", "table", "revision", "hand", "seat", "row", "claim", "by")}
    assert entries == {
        "round": round_id, "table": table, "revision": 1, "hand": 2, "seat": 1, "row": "top", "claim": CLAIM,
        "by": "ann",
    }  # as a table  # fmt: skip
    assert (response["state"], response["version"], response["history"], response["corrections"]) == ("open", 1, [], [])
    assert api.get(f"/v1/disputes/{response['id']}").document == response.document


@pytest.mark.parametrize("place", [{}, {"seat": 3}, {"hand": 3}, {"hand": 1, "row": "bottom"}])
def test_a_dispute_may_be_about_the_whole_round_or_a_part_of_it(api: Api, place: dict[str, Any]) -> None:
    response = dispute(api, complete_round(api), **place)
    assert {name: response[name] for name in ("hand", "seat", "row")} == {
        "hand": None,
        "seat": None,
        "row": None,
        **place,
    }


@pytest.mark.parametrize(
    ("place", "mistakes"),
    [
        ({"hand": 4}, {"#/hand": "hand-unknown"}),
        ({"hand": 4, "seat": 4}, {"#/hand": "hand-unknown", "#/seat": "seat-unknown"}),
        ({"row": "top", "seat": 1}, {"#/hand": "field-missing"}),
        ({"hand": 1, "row": "front"}, {"#/row": "not-a-choice"}),
        ({"claim": ""}, {"#/claim": "text-length"}),
        ({"claim": "x" * 1001}, {"#/claim": "text-length"}),
        ({"by": "x" * 101}, {"#/by": "text-length"}),
    ],
)
def test_an_unknown_hand_or_seat_is_refused(api: Api, place: dict[str, Any], mistakes: dict[str, str]) -> None:
    response = dispute(api, complete_round(api), **place)
    assert (response.status, response.mistakes) == (422, mistakes)


def test_an_open_round_cannot_be_disputed(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, COMPLETE[0])
    response = dispute(api, round_id)
    assert (response.status, response["code"], response.codes) == (409, "dispute-refused", {"round-open"})
    assert close(api, round_id).status == 200
    assert dispute(api, round_id).status == 201


def test_the_same_claim_is_the_same_dispute_in_any_state(api: Api, house: House) -> None:
    round_id = complete_round(api)
    first = dispute(api, round_id, hand=2)
    records = house.count_records()
    again = dispute(api, round_id, hand=2)
    assert replayed(again)
    assert again.document == first.document
    assert house.count_records() == records
    step(api, first["id"], "withdraw")
    assert (replayed(dispute(api, round_id, hand=2)), dispute(api, round_id, hand=2)["state"]) == (True, "withdrawn")
    others = [dispute(api, round_id, hand=2, **other)["id"] for other in ({"by": "bob"}, {"claim": "no"}, {"seat": 1})]
    assert len({first["id"], *others}) == 4


def test_a_request_with_an_idempotency_key_is_processed_once(api: Api) -> None:
    dispute_id = opened(api)
    path, key = f"/v1/disputes/{dispute_id}/comments", {"Idempotency-Key": "once"}
    body = body_of("comments", 1)
    first = api.request("POST", path, json=body, headers=key)
    assert not replayed(first)
    assert step(api, dispute_id, "withdraw").status == 201
    again = api.request("POST", path, json=body, headers=key)
    assert replayed(again)
    assert again.document == first.document


def test_every_dispute_operation_has_a_dry_run(api: Api, house: House) -> None:
    round_id, dispute_id = complete_round(api, name="attic"), opened(api)
    records = house.count_records()
    tried = api.post("/v1/disputes?dry_run=true", {"round": round_id, "claim": CLAIM, "by": "ann"})
    assert tried.status == 201
    for name in ("comments", "review", "withdraw"):
        assert api.post(f"/v1/disputes/{dispute_id}/{name}?dry_run=true", body_of(name, 1)).status == 201
    assert house.count_records() == records
    assert api.get(f"/v1/disputes/{tried['id']}").status == 404
    assert api.get(f"/v1/disputes/{dispute_id}")["state"] == "open"


# --- from state to state ---

LEGAL = {
    ("open", "comments"): "open",
    ("open", "review"): "under_review",
    ("open", "withdraw"): "withdrawn",
    ("under_review", "comments"): "under_review",
    ("under_review", "resolve"): "rejected",
    ("under_review", "withdraw"): "withdrawn",
}
WHY_NOT = {"open": "dispute-not-reviewed", "under_review": "dispute-under-review"}


@pytest.mark.parametrize(("state", "name"), [(state, name) for state in STATES for name in STEPS])
def test_only_allowed_transitions_are_accepted(api: Api, house: House, state: str, name: str) -> None:
    dispute_id = brought_to(api, state)
    before, records = api.get(f"/v1/disputes/{dispute_id}").document, house.count_records()
    response = (
        step(api, dispute_id, name, comment="something new") if name == "comments" else step(api, dispute_id, name)
    )
    if (state, name) in LEGAL:
        assert (response.status, response["state"]) == (201, LEGAL[state, name])
        assert response["version"] == before["version"] + 1
        assert [entry["version"] for entry in response["history"]] == [*range(2, response["version"] + 1)]
        assert api.get(f"/v1/disputes/{dispute_id}").document == response.document
    else:
        assert (response.status, response["code"]) == (409, "dispute-refused")
        assert response.codes == {WHY_NOT.get(state, "dispute-ended")}
        assert (api.get(f"/v1/disputes/{dispute_id}").document, house.count_records()) == (before, records)


@pytest.mark.parametrize("name", ["review", "resolve", "withdraw"])
def test_the_same_transition_again_returns_the_current_dispute(api: Api, house: House, name: str) -> None:
    dispute_id = brought_to(api, "under_review" if name == "resolve" else "open")
    version = api.get(f"/v1/disputes/{dispute_id}")["version"]
    first = step(api, dispute_id, name, version)
    assert not replayed(first)
    records = house.count_records()
    again = step(api, dispute_id, name, version)
    assert replayed(again)
    assert again.document == first.document
    assert house.count_records() == records
    other = step(api, dispute_id, name, version, by="cyd")
    assert (other.status, other["code"], other.mistakes) == (409, "dispute-changed", {"#/version": "dispute-changed"})


def test_a_transition_needs_the_current_version(api: Api) -> None:
    dispute_id = brought_to(api, "under_review")
    version = api.get(f"/v1/disputes/{dispute_id}")["version"]
    assert step(api, dispute_id, "comments")["version"] == version + 1
    late = step(api, dispute_id, "resolve", version)
    assert (late.status, late["code"]) == (409, "dispute-changed")
    assert "expected version 3" in late["detail"]
    assert step(api, dispute_id, "resolve", version + 1).status == 201


def test_the_history_has_every_entry_with_its_author(api: Api) -> None:
    dispute_id = brought_to(api, "under_review")
    step(api, dispute_id, "comments")
    step(api, dispute_id, "resolve")
    entries = [
        (entry["kind"], entry["by"], entry["words"]) for entry in api.get(f"/v1/disputes/{dispute_id}")["history"]
    ]
    assert entries == [
        ("under_review", AUDITOR, None),
        ("comment", "bob", "the camera was on"),
        ("rejected", AUDITOR, REASON),
    ]


def test_the_same_comment_by_the_same_author_is_stored_once(api: Api) -> None:
    dispute_id = opened(api)
    first = step(api, dispute_id, "comments")
    again = step(api, dispute_id, "comments")
    assert (replayed(first), replayed(again), again.document) == (False, True, first.document)
    assert not replayed(step(api, dispute_id, "comments", by="cyd"))


def test_comments_are_limited_but_a_full_dispute_can_be_resolved(api: Api) -> None:
    dispute_id = opened(api)
    for number in range(200):
        assert step(api, dispute_id, "comments", 1, comment=f"and {number}").status == 201
    full = step(api, dispute_id, "comments", 1, comment="and more")
    assert (full.status, full.codes) == (409, {"comments-full"})
    assert step(api, dispute_id, "review").status == 201
    assert len(step(api, dispute_id, "resolve")["history"]) == 202


# --- upheld and corrected ---


def test_an_upheld_dispute_has_the_correction_that_names_it(api: Api) -> None:
    round_id = complete_round(api)
    dispute_id = opened(api, round_id, hand=2, seat=1)
    step(api, dispute_id, "review")
    assert correct(api, round_id, dispute=dispute_id).status == 201
    assert api.get(f"/v1/disputes/{dispute_id}")["corrections"] == [2]
    upheld = step(api, dispute_id, "resolve", state="upheld", reason=None)
    assert (upheld["state"], upheld["corrections"], upheld["history"][-1]["correction"]) == ("upheld", [2], 2)
    assert upheld["revision"] == 1


def test_upholding_without_a_correction_requires_a_reason(api: Api) -> None:
    dispute_id = brought_to(api, "under_review")
    silent = step(api, dispute_id, "resolve", state="upheld", reason=None)
    assert (silent.status, silent["code"], silent.mistakes) == (
        422,
        "dispute-invalid",
        {"#/reason": "correction-missing"},
    )
    upheld = step(api, dispute_id, "resolve", state="upheld", reason="paid back at the table")
    assert (upheld.status, upheld["history"][-1]["correction"]) == (201, None)


def test_rejecting_requires_a_reason(api: Api) -> None:
    dispute_id = brought_to(api, "under_review")
    silent = step(api, dispute_id, "resolve", reason=None)
    assert (silent.status, silent.mistakes) == (422, {"#/reason": "field-missing"})


def test_a_correction_cannot_name_a_dispute_of_another_round(api: Api, other_api: Api, house: House) -> None:
    round_id = complete_round(api)
    of_another_round = opened(api, complete_round(api, name="attic"))
    records = house.count_records()
    for wrong in (NOBODYS, of_another_round, opened(other_api)):
        refused = correct(api, round_id, dispute=wrong)
        assert (refused.status, refused["code"]) == (422, "correction-invalid")
        assert refused.mistakes == {"#/dispute": "dispute-unknown"}
    assert house.count_records()["corrections"] == records["corrections"]


def test_a_correction_cannot_name_a_dispute_that_has_ended(api: Api) -> None:
    round_id = complete_round(api)
    dispute_id = opened(api, round_id)
    options = {"dispute": dispute_id, "version": version_of(api, round_id)}
    corrected = correct(api, round_id, **options)
    assert step(api, dispute_id, "withdraw").status == 201
    assert replayed(correct(api, round_id, **options))
    assert correct(api, round_id, **options)["revision"] == corrected["revision"]
    refused = correct(api, round_id, dispute=dispute_id, patch=[])
    assert (refused.status, refused["code"], refused.mistakes) == (
        409,
        "dispute-refused",
        {"#/dispute": "dispute-ended"},
    )


# --- the worklist ---


@pytest.fixture
def worklist(api: Api) -> dict[str, str]:
    """A dispute in every state, at a table of its own, the oldest first."""
    ids = {}
    for state in STATES:
        round_id = complete_round(api, name=state)
        ids[state] = opened(api, round_id)
        for name in {"open": (), "under_review": ("review",), "withdrawn": ("withdraw",)}.get(
            state, ("review", "resolve")
        ):
            more = {"state": state} if name == "resolve" else {}
            assert step(api, ids[state], name, **more).status == 201
    return ids


def listed(api: Api, query: str = "") -> list[str]:
    return [each["id"] for page in walk(api, f"/v1/disputes{query}") for each in page["disputes"]]


def test_disputes_are_listed_the_oldest_first_and_page_by_page(api: Api, worklist: dict[str, str]) -> None:
    assert listed(api) == listed(api, "?limit=2") == [*worklist.values()]
    assert [len(page["disputes"]) for page in walk(api, "/v1/disputes?limit=2")] == [2, 2, 1]
    whole = api.get("/v1/disputes")["disputes"]
    for each in whole:
        case = api.get(f"/v1/disputes/{each['id']}").document
        assert each == {name: value for name, value in case.items() if name not in ("history", "corrections")}


@pytest.mark.parametrize("state", STATES)
def test_disputes_are_found_by_state_table_and_round(api: Api, worklist: dict[str, str], state: str) -> None:
    [match] = api.get(f"/v1/disputes?state={state}")["disputes"]
    assert match["id"] == worklist[state]
    for query in (f"?table={match['table']}", f"?round={match['round']}", f"?state={state}&table={match['table']}"):
        assert listed(api, query) == [worklist[state]]
    other = worklist["open" if state != "open" else "upheld"]
    assert listed(api, f"?state={state}&round={api.get(f'/v1/disputes/{other}')['round']}") == []


def test_disputes_of_another_club_are_not_listed(api: Api, other_api: Api, worklist: dict[str, str]) -> None:
    assert listed(other_api) == []
    table = api.get(f"/v1/disputes/{worklist['open']}")["table"]
    assert listed(other_api, f"?table={table}") == []


def test_another_club_s_round_cannot_be_disputed(api: Api, other_api: Api) -> None:
    round_id = complete_round(other_api)
    refused, nothing = dispute(api, round_id), dispute(api, NOBODYS)
    assert refused.status == nothing.status == 422
    assert refused.mistakes == nothing.mistakes == {"#/round": "round-unknown"}
    assert refused["detail"].replace(round_id, "") == nothing["detail"].replace(NOBODYS, "")


# --- the audit trail ---


def events_of(house: House, round_id: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
    rows = house.query("SELECT kind, sequence, content FROM events WHERE round_id = %s ORDER BY sequence", round_id)
    for kind, sequence, content in rows:
        yield kind, sequence, json.loads(bytes(content))


def resolve(house: House, event: dict[str, Any]) -> dict[str, Any]:
    """Return an event with the texts of its digests, which are those of the texts with their salts."""
    texts = house.query("SELECT content, salt FROM texts")
    contents = {digest_text(content, salt).hex(): content for content, salt in texts}
    return {name: contents.get(value, value) if isinstance(value, str) else value for name, value in event.items()}


def test_events_of_disputes_have_digests_and_not_texts(api: Api, house: House) -> None:
    round_id = complete_round(api)
    before = version_of(api, round_id)
    dispute_id = opened(api, round_id, hand=2, seat=1, row="top")
    for name in ("comments", "review", "resolve"):
        step(api, dispute_id, name)
    other = opened(api, round_id, claim="another")
    step(api, other, "withdraw")
    entries = [event for event in events_of(house, round_id) if event[1] > before]
    assert [kind for kind, _, _ in entries] == [
        "dispute.opened", "dispute.commented", "dispute.reviewed", "dispute.resolved", "dispute.opened",
        "dispute.withdrawn",
    ]  # as a table  # fmt: skip
    assert [sequence for _, sequence, _ in entries] == [*range(before + 1, before + 7)]
    assert version_of(api, round_id) == before + 6
    assert resolve(house, entries[0][2]) == {
        "dispute": dispute_id, "round": round_id, "revision": 1, "hand": 2, "seat": 1, "row": "top", "by": "ann",
        "claim": CLAIM,
    }  # as a table  # fmt: skip
    assert resolve(house, entries[3][2]) == {
        "dispute": dispute_id, "round": round_id, "version": 4, "kind": "rejected", "by": None, "correction": None,
        "key_name": AUDITOR, "words": REASON,
    }  # as a table  # fmt: skip


def test_a_disputed_round_does_not_block_the_next_round(api: Api) -> None:
    table = add_table(api)
    first = open_round(api, table)["id"]
    play_to_the_end(api, first)
    opened(api, first)
    assert open_round(api, table).status == 201
