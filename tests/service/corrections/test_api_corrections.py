"""Corrections and what-if questions over HTTP."""

import json

import pytest

from tests.support.api_client import Api, replayed
from tests.support.api_corrections import (
    ENTERS,
    FIRST,
    IN_FANTASYLAND,
    LAST,
    NO_QUEENS,
    SECOND,
    SWAPPED,
    VOID,
    correct,
    in_fantasyland,
    part_of,
    refused,
    round_of,
    sent_corrections,
)
from tests.support.application import House
from tests.support.database.recomputed_rounds import named, recompute
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.sample_rounds import (
    HIGH,
    LOW,
    MID,
    THREE,
    Document,
    add_table,
    cards,
    changed,
    close,
    complete_round,
    hand,
    open_round,
    play,
    post_document,
    start_round,
    undo,
    without,
)

# --- what comes of it ---


@pytest.mark.smoke
def test_a_corrected_hand_and_all_later_hands_are_replayed(api: Api) -> None:
    round_id = complete_round(api)
    response = correct(api, round_id, patch=SWAPPED)
    assert response.status == 201, response
    assert not replayed(response)
    assert response["revision"] == 2
    assert [compared["number"] for compared in response["hands"]] == [2, 3]
    second, last = response["hands"]
    assert [player["points"] for player in second["before"]["players"]] == [12, 0, -12]
    assert [player["points"] for player in second["after"]["players"]] == [-12, 0, 12]
    assert second["before"]["players"][0]["board"]["top"] == ["Ah", "Kd", "9c"]
    assert second["after"]["players"][0]["board"]["top"] == ["Qs", "Jc", "6d"]
    assert [side["stacks"] for side in last.values() if isinstance(side, dict)] == [
        {"1": 136, "2": 100, "3": 64},
        {"1": 112, "2": 100, "3": 88},
    ]
    assert response["net"] == [
        {"player": "ann", "before": 36, "after": 12, "change": -24},
        {"player": "bob", "before": 0, "after": 0, "change": 0},
        {"player": "cyd", "before": -36, "after": -12, "change": 24},
    ]
    assert response["round"] == round_of(api, round_id)
    settled = part_of(api, round_id, "settlement")
    assert (settled["revision"], settled["reason"], settled["net"]) == (2, "misread", {"1": 12, "2": 0, "3": -12})


def test_older_revisions_stay_readable(api: Api) -> None:
    round_id = complete_round(api)
    before = {part: part_of(api, round_id, part).document for part in ("settlement", "hands", "document")}
    correct(api, round_id, patch=SWAPPED)
    old, new = part_of(api, round_id, "hands", 1)["hands"], part_of(api, round_id, "hands")["hands"]
    assert part_of(api, round_id, "settlement", 1).document == {
        **before["settlement"],
        "state": "superseded",
        "provisional_until": None,
    }
    assert part_of(api, round_id, "document", 1).document == before["document"]
    assert old == [changed(listed, ("in_force", listed["number"] != 2)) for listed in before["hands"]["hands"]]
    assert [a["id"] == b["id"] for a, b in zip(old, new, strict=True)] == [True, False, True]
    assert api.get(f"/v1/hands/{old[1]['id']}")["in_force"] is False
    assert part_of(api, round_id, "document")["hands"][1]["players"][0]["top"] == ["Qs", "Jc", "6d"]
    assert api.get(f"/v1/rounds/{round_id}/document?revision=3").status == 404


def test_an_amended_document_has_the_same_result_as_a_patch(api: Api) -> None:
    patched, amended = complete_round(api), complete_round(api, name="attic")
    document = part_of(api, amended, "document").document
    for index, board in ((0, LOW), (2, HIGH)):
        for row, text in zip(("top", "middle", "bottom"), board.split("/"), strict=True):
            document["hands"][1]["players"][index][row] = cards(text)
    by_patch, by_document = correct(api, patched, patch=SWAPPED), correct(api, amended, document=document)
    for part in ("hands", "net", "revision"):
        assert by_document[part] == by_patch[part]


def test_a_dry_run_returns_the_same_as_the_correction(api: Api, house: House) -> None:
    round_id = complete_round(api)
    records = house.count_records()
    tried = correct(api, round_id, query="?dry_run=true", patch=SWAPPED)
    assert house.count_records() == records
    assert part_of(api, round_id, "settlement")["revision"] == 1
    done = correct(api, round_id, patch=SWAPPED)
    assert (done.status, done.document) == (tried.status, tried.document)


# --- everything can be corrected ---

STACK = [{"op": "replace", "path": "/seats/2/stack", "value": 9}]
TOP_UP = [{"op": "add", "path": "/hands/0/top_ups/-", "value": {"seat": 3, "points": 50}}]
OTHER_SEATS = [{"op": "replace", "path": f"/seats/{at}/player", "value": who} for at, who in ((0, "cyd"), (2, "ann"))]
ANOTHER_PLAYER = [{"op": "replace", "path": "/seats/1/player", "value": "dan"}]
MISSING = [
    {"op": "replace", "path": "/hands/2/number", "value": 4},
    {"op": "replace", "path": "/hands/2/button", "value": 3},
    {"op": "add", "path": "/hands/2", "value": hand(3, 2, THREE)},
]
DEPARTURE = [
    {"op": "remove", "path": "/hands/2"},
    {"op": "add", "path": "/departures/-", "value": {"seat": 3, "after_hand": 2, "reason": "the last train"}},
]
RULESET = [{"op": "replace", "path": "/ruleset", "value": "pineapple"}]


@pytest.mark.parametrize(
    ("patch", "more"),
    [
        pytest.param(STACK, {"irregular": "accept"}, id="an opening stack"),
        pytest.param(TOP_UP, {}, id="a top-up"),
        pytest.param(OTHER_SEATS, {}, id="who sat where"),
        pytest.param(ANOTHER_PLAYER, {}, id="who played"),
        pytest.param(VOID, {}, id="a void hand"),
        pytest.param(MISSING, {"irregular": "accept"}, id="a missing hand"),
        pytest.param(DEPARTURE, {}, id="a departure"),
        pytest.param(RULESET, {}, id="the ruleset"),
    ],
)
def test_a_corrected_round_equals_one_recorded_without_the_error(
    api: Api, other_api: Api, house: House, patch: list[Document], more: Document
) -> None:
    round_id = complete_round(api, ruleset="pineapple-qq")
    response = correct(api, round_id, patch=patch, **more)
    assert not replayed(response)
    assert sum(each["after"] or 0 for each in response["net"]) == 0
    exported = part_of(api, round_id, "document").document
    right = post_document(other_api, exported)
    assert right.status == 201, right
    with database_of(house).transaction(club_of(house, api)) as transaction:
        assert named(recompute(transaction)) == []
    settled = part_of(api, round_id, "settlement").document
    beside = ("revision", "reason", "provisional_until", "table", "round")
    assert without(right["settlement"], *beside) == without(settled, *beside)
    assert part_of(other_api, right["round"]["id"], "document").document == exported
    generated = ("id", "table", "version", "opened_at", "recorded_at")
    assert without(round_of(api, round_id), *generated) == without(
        round_of(other_api, right["round"]["id"]), *generated
    )


def test_a_corrected_round_can_be_continued_undone_and_corrected_again(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND)
    correct(api, round_id, patch=SWAPPED)
    play(api, round_id, hand(3, 3, {1: MID, 2: HIGH, 3: LOW}))
    assert part_of(api, round_id, "settlement")["stacks"] == {"1": 100, "2": 112, "3": 88}
    undo(api, round_id, 3)
    assert not replayed(correct(api, round_id, patch=[{"op": "replace", "path": "/hands/1", "value": SECOND}]))
    settled = part_of(api, round_id, "settlement")
    assert (settled["revision"], settled["stacks"]) == (4, {"1": 124, "2": 100, "3": 76})


def test_a_correction_replays_the_payout_of_scope_round(api: Api) -> None:
    round_id = start_round(api, "progressive-round")
    play(api, round_id, FIRST, SECOND)
    close(api, round_id)
    response = correct(api, round_id, patch=SWAPPED)
    assert [compared["number"] for compared in response["hands"]] == [2]
    assert [len(response["hands"][0][side]["transfers"]) for side in ("before", "after")] == [3, 0]
    assert part_of(api, round_id, "settlement")["net"] == {"1": 0, "2": 0, "3": 0}


# --- what is refused ---


@pytest.mark.parametrize(
    ("patch", "mistakes"),
    [
        ([{"op": "remove", "path": "/hands/7"}], {"#/patch/0": "patch-failed"}),
        ([{"op": "replace", "path": "/seats/0/stack/x", "value": 1}], {"#/patch/0": "patch-failed"}),
        ([{"op": "test", "path": "/hands/0/button", "value": 2}], {"#/patch/0": "patch-test"}),
        ([{"op": "add", "path": "/hands/0/points", "value": 3}], {"#/patch/0/value": "field-unknown"}),
        ([{"op": "replace", "path": "/hands/0/players/0/top/0", "value": "Xx"}],
         {"#/patch/0/value": "card-unknown"}),
        ([{"op": "replace", "path": "/hands/0/players/0/top/0", "value": "Kd"}],
         {"#/patch/0": "card-twice"}),
        ([{"op": "replace", "path": "/table", "value": "attic"}], {"#/patch/0/value": "correction-fixed"}),
        ([{"op": "replace", "path": "/ruleset", "value": "pinapple"}], {"#/patch/0/value": "ruleset-unknown"}),
        ([{"op": "remove", "path": "/hands/0"}], {"#/patch/0": "hand-number"}),
        ([{"op": "rename", "path": "/hands"}], {"#/patch/0/op": "not-a-choice"}),
        ([{"op": "move", "path": "/hands"}], {"#/patch/0/from": "field-missing"}),
        ([{"op": "add", "path": "/hands/0"}], {"#/patch/0/value": "field-missing"}),
        ([{"op": "remove", "path": "hands"}], {"#/patch/0/path": "text-pattern"}),
        ([{"op": "replace", "path": "/table", "value": "x" * 501}], {"#/patch/0/value": "text-length"}),
        (None, {"#": "patch-or-document"}),
    ],
)  # as a table  # fmt: skip
def test_an_invalid_correction_is_refused_with_its_mistakes(
    api: Api, house: House, patch: list[Document] | None, mistakes: dict[str, str]
) -> None:
    round_id = complete_round(api)
    response = refused(api, house, round_id, patch=patch)
    assert response.status == 422
    assert response.mistakes == mistakes


def test_a_patch_that_copies_copies_is_stopped(api: Api, house: House) -> None:
    round_id = complete_round(api)
    copies = [{"op": "copy", "from": "/hands", "path": f"/hands/0/x{index}"} for index in range(60)]
    response = refused(api, house, round_id, patch=copies)
    assert response.status == 422
    assert response.codes == {"patch-growth"}


def test_expected_values_are_checked(api: Api, house: House) -> None:
    round_id = complete_round(api)
    response = refused(api, house, round_id, patch=SWAPPED, expected={"net": [{"player": "ann", "after": 13}]})
    assert (response.status, response["code"]) == (422, "expected-differs")


def test_a_correction_cannot_reopen_a_round_that_a_later_one_follows(api: Api, house: House) -> None:
    table = add_table(api)
    round_id = open_round(api, table)["id"]
    play(api, round_id, FIRST, SECOND, LAST)
    following = open_round(api, table, {1: "ann", 2: "bob", 3: "cyd 70"})
    response = refused(api, house, round_id, patch=VOID[:1])
    assert (response.status, response.mistakes) == (422, {"#/patch/0": "round-follows"})
    assert following["id"] in response["detail"]
    done = correct(api, round_id, patch=VOID)
    # A player with a stack in the request had not carried one over.
    assert done["carried_over"] == [
        {"round": following["id"], "seat": 1, "player": "ann", "opening_stack": 136, "left": 124},
        {"round": following["id"], "seat": 2, "player": "bob", "opening_stack": 100, "left": 100},
    ]
    assert round_of(api, following["id"])["seats"] == following["seats"]


# --- the audit trail ---


def test_a_correction_records_an_event_with_the_request(api: Api, house: House) -> None:
    round_id = complete_round(api)
    before = [listed["id"] for listed in part_of(api, round_id, "hands")["hands"]]
    dispute = api.post("/v1/disputes", {"round": round_id, "claim": "the cards were exchanged", "by": "cyd"})["id"]
    version = round_of(api, round_id)["version"]
    response = correct(api, round_id, patch=SWAPPED, dispute=dispute)
    after = [listed["id"] for listed in part_of(api, round_id, "hands")["hands"]]
    (kind, sequence, content) = house.query(
        "SELECT kind, sequence, content FROM events WHERE round_id = %s ORDER BY sequence DESC LIMIT 1", round_id
    )[0]
    assert (kind, sequence) == ("round.corrected", response["round"]["version"])
    event = json.loads(bytes(content))
    assert len(bytes.fromhex(event["reason"])) == 32
    assert (event["hands_before"], event["hands"], event["irregular"]) == (before, after, [])
    assert [recorded["hand"] for recorded in event["recorded"]] == [after[1]]
    assert event["dispute"] == dispute
    assert sent_corrections(house, round_id) == [
        {"reason": "misread", "version": version, "patch": SWAPPED, "dispute": dispute}
    ]
    assert house.query("SELECT dispute::text FROM corrections WHERE round_id = %s", round_id) == [(dispute,)]


# --- what if ---


def test_what_if_returns_the_result_under_other_rules_and_stores_nothing(api: Api, house: House) -> None:
    round_id = start_round(api, "pineapple", {1: "ann 100", 2: "bob 100", 3: "cyd 100"})
    play(api, round_id, ENTERS, IN_FANTASYLAND)
    records = house.count_records()
    response = api.post(f"/v1/rounds/{round_id}/what-if", {"ruleset": "classic"})
    assert response.status == 200, response
    assert house.count_records() == records
    assert (response["revision"], response["round"]["ruleset"]) == (1, "classic@1")
    last = response["hands"][-1]
    assert {reason["code"] for reason in last["after"]["irregular"]} == {"fantasyland-count", "fantasyland-cards"}
    assert sum(each["after"] for each in response["net"]) == 0
    patched = api.post(f"/v1/rounds/{round_id}/what-if", {"patch": NO_QUEENS})
    corrected = correct(api, round_id, patch=NO_QUEENS, irregular="accept")
    for part in ("hands", "net", "carried_over"):
        assert patched[part] == corrected[part]


def test_a_what_if_without_changes_has_no_differences(api: Api) -> None:
    round_id = complete_round(api)
    response = api.post(f"/v1/rounds/{round_id}/what-if", {})
    assert (response.status, response["hands"]) == (200, [])
    assert response["round"] == round_of(api, round_id)
    assert {each["change"] for each in response["net"]} == {0}


# --- elsewhere ---


def test_a_round_with_an_irregular_hand_has_no_differences_in_an_audit(api: Api, house: House) -> None:
    correct(api, in_fantasyland(api), patch=NO_QUEENS, irregular="accept")
    with database_of(house).transaction(club_of(house, api)) as transaction:
        assert named(recompute(transaction)) == []


def test_an_irregular_hand_is_explained(api: Api) -> None:
    round_id = in_fantasyland(api)
    correct(api, round_id, patch=NO_QUEENS, irregular="accept")
    standing = part_of(api, round_id, "hands")["hands"][1]
    explained = api.get(f"/v1/hands/{standing['id']}/explanation")
    assert explained.status == 200, explained


def test_a_round_with_an_irregular_hand_is_exported_and_imported(api: Api, other_api: Api, house: House) -> None:
    round_id = in_fantasyland(api)
    correct(api, round_id, patch=NO_QUEENS, irregular="accept")
    exported = part_of(api, round_id, "document").document
    assert api.get("/v1/export").document == exported
    expecting = {**exported, "expected": {"settlement": {"irregular": exported["irregular"]}}}
    imported, again = import_all(house, club_of(house, other_api), lines_of([expecting, expecting]))
    later = import_all(house, club_of(house, other_api), lines_of([expecting]))
    assert [line.status for line in (imported, again, *later)] == ["stored", "replayed", "replayed"]
    there = str(imported.round_id)
    assert part_of(other_api, there, "document").document == exported
    settled = [part_of(club, at, "settlement").document for club, at in ((api, round_id), (other_api, there))]
    beside = ("revision", "reason", "table", "round")
    assert without(settled[0], *beside) == without(settled[1], *beside)
