"""Metadata and the client's own IDs over HTTP: set when a record is created, changed, read, and found again."""

from json import loads
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import WireError, load
from schemas.metadata import LONGEST_VALUE, MOST_ENTRIES, MetadataChangesSchema, read_metadata, write_metadata
from service.verification.club_records import expect_club_records
from service.verification.queries import audited
from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api
from tests.support.api_corrections import SWAPPED, correct
from tests.support.application import House
from tests.support.database.search_tables import tables_that_hold
from tests.support.import_lines import club_of, database_of, lines_of
from tests.support.sample_rounds import COMPLETE, SIXES, THREE, Document, add_table, hand, open_round, play, seats, undo

METADATA: Final = {"tournament": "friday-7", "table.side": "left, by the window"}
OTHER: Final = {"tournament": "friday-8"}


def created(api: Api) -> dict[str, str]:
    """Create a record of each kind with metadata; return their addresses."""
    table = api.post("/v1/tables", {"name": "kitchen", "ruleset": "pineapple", "metadata": METADATA})
    opened = open_round(api, table["id"], metadata=METADATA)
    played = api.post(f"/v1/rounds/{opened['id']}/hands", {**COMPLETE[0], "metadata": METADATA})
    named = api.put("/v1/players/ann", {"display_name": "Ann", "metadata": METADATA})
    for response in (table, opened, played, named):
        assert (response.status, response["metadata"]) == (201, METADATA), response
    return {
        "table": f"/v1/tables/{table['id']}",
        "round": f"/v1/rounds/{opened['id']}",
        "hand": f"/v1/hands/{played['id']}",
        "player": "/v1/players/ann",
    }


def change(api: Api, address: str, metadata: Document) -> Any:
    if address.startswith("/v1/players/"):
        return api.put(address, {"display_name": "Ann", "metadata": metadata})
    return api.patch(address, {"metadata": metadata})


@pytest.mark.smoke
def test_metadata_are_set_changed_and_removed(house: House, api: Api) -> None:
    for address in created(api).values():
        assert api.get(address)["metadata"] == METADATA
        for metadata in (OTHER, {}, METADATA):
            changed = change(api, address, metadata)
            assert (changed.status, changed["metadata"]) == (200, metadata)
            assert api.get(address)["metadata"] == metadata
        events = house.query("SELECT count(*) FROM events")
        assert change(api, address, METADATA)["metadata"] == METADATA
        assert house.query("SELECT count(*) FROM events") == events, "the same metadata change nothing"
    assert verify(house, api) == []


def test_metadata_that_are_omitted_stay_as_they_are(api: Api) -> None:
    addresses = created(api)
    assert api.patch(addresses["table"], {"minimum_stack": 20})["metadata"] == METADATA
    assert api.put(addresses["player"], {"display_name": "Annie"})["metadata"] == METADATA


def test_lists_are_without_metadata(api: Api) -> None:
    addresses = created(api)
    lists = {"/v1/tables": "tables", "/v1/rounds": "rounds", "/v1/hands": "hands", "/v1/players": "players"}
    for address, name in {**lists, f"{addresses['round']}/hands": "hands"}.items():
        [listed] = api.get(address)[name]
        assert "metadata" not in listed


def test_a_change_leaves_no_trace_of_what_was_there(house: House, api: Api) -> None:
    addresses = created(api)
    for address in addresses.values():
        change(api, address, {"note": "Vanishing words"})
        change(api, address, OTHER)
    assert tables_that_hold(house, "Vanishing") == set()
    assert verify(house, api) == []


def test_a_corrected_hand_keeps_its_metadata_and_its_reference(house: House, api: Api) -> None:
    round_id = open_round(api, add_table(api), SIXES)["id"]
    play(api, round_id, COMPLETE[0])
    second = {**COMPLETE[1], "metadata": METADATA, "reference": "deal/2", "dealt_again": True}
    recorded = api.post(f"/v1/rounds/{round_id}/hands", second)
    play(api, round_id, COMPLETE[2])
    assert correct(api, round_id, patch=SWAPPED).status == 201
    [corrected] = api.get("/v1/hands?reference=deal/2")["hands"]
    assert corrected["id"] != recorded["id"]
    assert api.get(f"/v1/hands/{corrected['id']}")["metadata"] == METADATA
    before = api.get(f"/v1/hands/{recorded['id']}")
    assert (before["metadata"], before["reference"], before["in_force"]) == ({}, "deal/2", False)
    assert verify(house, api) == []


def test_metadata_and_reference_of_a_hand_stay_with_its_cards_when_a_hand_before_it_is_removed(
    house: House, api: Api
) -> None:
    round_id = open_round(api, add_table(api), SIXES)["id"]
    named = [{"metadata": {"deal": str(number)}, "reference": f"deal/{number}"} for number in (1, 2, 3)]
    deals = [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
    ids = []
    for number, (deal, more) in enumerate(zip(deals, named, strict=True), start=1):
        body = hand(number, number, {seat: THREE[board] for seat, board in enumerate(deal, start=1)})
        ids.append(api.post(f"/v1/rounds/{round_id}/hands", {**body, **more})["id"])
    # The second hand was no hand of this round.
    remove = [{"op": "remove", "path": "/hands/1"}]
    remove += [{"op": "replace", "path": f"/hands/1/{name}", "value": 2} for name in ("number", "button")]
    removed = correct(api, round_id, patch=remove)
    assert removed.status == 201, removed
    [second] = api.get("/v1/hands?reference=deal/3")["hands"]
    assert (second["number"], api.get(f"/v1/hands/{second['id']}")["metadata"]) == (2, {"deal": "3"})
    assert api.get("/v1/hands?reference=deal/2")["hands"] == []
    changed = api.patch(f"/v1/hands/{ids[2]}", {"metadata": OTHER})
    assert (changed["id"], changed["metadata"]) == (second["id"], OTHER)
    refused = api.patch(f"/v1/hands/{ids[1]}", {"metadata": OTHER})
    assert (refused.status, refused["code"]) == (409, "hand-conflict")
    assert verify(house, api) == []


def test_the_order_of_changes_is_that_of_their_digests_and_not_of_their_times(house: House, api: Api) -> None:
    """Two servers whose clocks differ can give a later change an earlier ID."""
    table = api.post("/v1/tables", {"name": "kitchen", "ruleset": "pineapple", "metadata": METADATA})
    for metadata in (OTHER, {}, METADATA):
        assert api.patch(f"/v1/tables/{table['id']}", {"metadata": metadata}).status == 200
    with database_of(house).transaction(club_of(house, api)) as transaction:
        events = list(audited.list_loose_events(transaction))
    expected = [expect_club_records(order)[0]["texts"].keys() for order in (events, [events[0], *events[:0:-1]])]
    assert expected[0] == expected[1]
    assert len(expected[0]) == 1


def test_a_link_neither_sees_nor_sets_metadata(house: House, api: Api) -> None:
    addresses = created(api)
    table_id = addresses["table"].rpartition("/")[2]
    issued = api.post("/v1/links", {"table": table_id, "kind": "scorekeeper"})
    link = Api(house.app, issued["url"].partition("#")[2])
    for name in ("table", "round", "hand"):
        assert link.get(addresses[name])["metadata"] == {}
        assert link.patch(addresses[name], {"metadata": OTHER})["code"] == "scope-missing"
    again = {**COMPLETE[1], "dealt_again": True}
    for more in ({"metadata": METADATA}, {"reference": "deal/2"}):
        assert link.post(f"{addresses['round']}/hands", {**again, **more})["code"] == "scope-missing"
    assert link.post(f"{addresses['round']}/hands", again).status == 201
    opening = {"seats": seats(SIXES), "metadata": METADATA}
    assert link.post(f"{addresses['table']}/rounds", opening)["code"] == "scope-missing"


def test_the_hands_of_a_batch_have_metadata_and_references(api: Api) -> None:
    table = add_table(api)
    open_round(api, table, SIXES, reference="evening/1")
    named = {"round": {"table": "kitchen", "reference": "evening/1"}}
    lines = [
        {**named, **COMPLETE[0], "reference": "deal/1", "metadata": METADATA},
        {**named, **COMPLETE[1], "reference": "deal/1", "dealt_again": True},
    ]
    first, second = post_lines(api, lines)
    assert (first["status"], first["hand"]["metadata"]) == ("recorded", METADATA)
    assert (second["status"], second["problem"]["code"]) == ("refused", "hand-conflict")
    [replayed, _] = post_lines(api, lines)
    assert (replayed["status"], replayed["hand"]) == ("replayed", first["hand"])


def post_lines(api: Api, lines: list[Document]) -> list[Document]:
    body = b"\n".join(lines_of(lines))
    response = api.request("POST", "/v1/hands", data=body, headers={"Content-Type": "application/x-ndjson"})
    return [loads(line) for line in response.text.splitlines()]


# --- the client's own IDs ---


def test_a_table_is_found_by_its_reference_also_if_it_is_archived(house: House, api: Api) -> None:
    table = add_table(api, reference="room/1")
    add_table(api, name="attic")
    assert [each["id"] for each in api.get("/v1/tables?reference=room/1")["tables"]] == [table]
    assert api.patch(f"/v1/tables/{table}", {"is_archived": True}).status == 200
    assert [each["id"] for each in api.get("/v1/tables?reference=room/1")["tables"]] == [table]
    assert api.patch(f"/v1/tables/{table}", {"reference": None})["reference"] is None
    assert api.get("/v1/tables?reference=room/1")["tables"] == []
    assert verify(house, api) == []


def test_two_tables_of_a_club_cannot_have_the_same_reference(api: Api, other_api: Api) -> None:
    body = {"name": "kitchen", "ruleset": "pineapple", "reference": "room/1"}
    first = api.post("/v1/tables", body)
    assert api.post("/v1/tables", body).document == first.document
    for again in ({**body, "name": "attic"}, {**body, "reference": "room/2"}):
        refused = api.post("/v1/tables", again)
        assert (refused["code"], refused.mistakes["#/reference"]) == ("table-conflict", "table-conflict")
    attic = add_table(api, name="attic")
    taken = api.patch(f"/v1/tables/{attic}", {"reference": "room/1"})
    assert (taken["code"], taken.mistakes) == ("table-conflict", {"#/reference": "table-conflict"})
    assert other_api.post("/v1/tables", body).status == 201


def test_a_hand_is_found_by_its_reference(api: Api, other_api: Api) -> None:
    round_id = open_round(api, add_table(api), SIXES)["id"]
    recorded = api.post(f"/v1/rounds/{round_id}/hands", {**COMPLETE[0], "reference": "deal/1"})
    assert recorded["reference"] == api.get(f"/v1/hands/{recorded['id']}")["reference"] == "deal/1"
    [listed] = api.get("/v1/hands?reference=deal/1")["hands"]
    assert listed["id"] == recorded["id"]
    assert other_api.get("/v1/hands?reference=deal/1")["hands"] == []
    assert undo(api, round_id, 1).status == 201
    assert api.get("/v1/hands?reference=deal/1")["hands"] == []


def test_two_hands_of_a_club_cannot_have_the_same_reference(house: House, api: Api) -> None:
    one, other = (open_round(api, add_table(api, name=name), SIXES)["id"] for name in ("kitchen", "attic"))
    first = {**COMPLETE[0], "reference": "deal/1"}
    recorded = api.post(f"/v1/rounds/{one}/hands", first)
    for round_id, body in ((other, first), (one, {**COMPLETE[1], "reference": "deal/1", "dealt_again": True})):
        refused = api.post(f"/v1/rounds/{round_id}/hands", body)
        assert (refused["code"], refused.mistakes) == ("hand-conflict", {"#/reference": "hand-conflict"})
        assert f"hand 1 of round {one}" in refused["detail"]
    # A hand that is entered anew after an undo is the same deal.
    assert undo(api, one, 1).status == 201
    entered = api.post(f"/v1/rounds/{one}/hands", {**hand(1, 1, {1: THREE[2], 2: THREE[1], 3: THREE[3]}), **REFERENCE})
    assert (entered.status, entered["reference"]) == (201, "deal/1")
    assert entered["id"] != recorded["id"]
    assert verify(house, api) == []


REFERENCE: Final = {"reference": "deal/1"}


def test_a_replay_has_the_reference_that_was_recorded(api: Api) -> None:
    round_id = open_round(api, add_table(api), SIXES)["id"]
    first = api.post(f"/v1/rounds/{round_id}/hands", {**COMPLETE[0], "reference": "deal/1", "metadata": METADATA})
    for more in ({}, {"reference": "deal/1"}, {"metadata": OTHER}):
        again = api.post(f"/v1/rounds/{round_id}/hands", {**COMPLETE[0], **more})
        assert (again.status, again.document) == (201, first.document)
    refused = api.post(f"/v1/rounds/{round_id}/hands", {**COMPLETE[0], "reference": "deal/2"})
    assert (refused["code"], refused.mistakes) == ("hand-conflict", {"#/reference": "hand-conflict"})


def test_a_refused_line_of_a_batch_takes_no_reference(api: Api) -> None:
    for name in ("kitchen", "attic"):
        open_round(api, add_table(api, name=name), SIXES, reference="evening/1")
    kitchen, attic = ({"round": {"table": name, "reference": "evening/1"}} for name in ("kitchen", "attic"))
    unexpected = {**COMPLETE[0], **REFERENCE, "expected": {"stacks": {"1": 7}}}
    refused, recorded = post_lines(api, [{**kitchen, **unexpected}, {**attic, **COMPLETE[0], **REFERENCE}])
    assert (refused["status"], recorded["status"]) == ("refused", "recorded"), (refused, recorded)


# --- limits ---

KEYS = st.text("abcXYZ019_.:-", min_size=1, max_size=40)
VALUES = st.text(st.characters(categories=("L", "N", "P", "Zs")), min_size=1, max_size=LONGEST_VALUE)


@given(metadata=st.dictionaries(KEYS, VALUES, max_size=MOST_ENTRIES))
def test_metadata_within_the_limits_are_read_as_they_were_written(metadata: dict[str, str]) -> None:
    assert load(MetadataChangesSchema(), {"metadata": metadata}) == {"metadata": metadata}
    assert read_metadata(write_metadata(metadata)) == metadata


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ({str(number): "x" for number in range(MOST_ENTRIES + 1)}, "list-length"),
        ({"k" * 41: "x"}, "text-length"),
        ({"": "x"}, "text-length"),
        ({"two words": "x"}, "text-pattern"),
        ({"key\n": "x"}, "text-characters"),
        ({"key": "x" * (LONGEST_VALUE + 1)}, "text-length"),
        ({"key": ""}, "text-length"),
        ({"key": "a\nb"}, "text-characters"),
        ({"key": 7}, "not-a-text"),
        ({"key": None}, "field-null"),
        ([], "not-an-object"),
        (None, "field-null"),
    ],
)
def test_metadata_beyond_the_limits_are_refused(metadata: object, code: str) -> None:
    with pytest.raises(WireError) as refused:
        load(MetadataChangesSchema(), {"metadata": metadata})
    assert {mistake.code for mistake in refused.value.mistakes} == {code}
