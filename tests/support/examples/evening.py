"""The part of the story with the evening itself: the table, the players, two rounds and their settlement."""

import json

from tests.support.examples.record_examples import Recorder, next_cursor, read_two_pages
from tests.support.sample_rounds import (
    HIGH,
    KINGS,
    LOW,
    MID,
    NOBODYS,
    QUEENS,
    SEVENS,
    SIXES,
    THREE,
    WORKED,
    changed,
    document_of,
    hand,
    seats,
    without,
)
from tests.support.worker_process import lines_of

FIRST = hand(1, 1, {1: QUEENS, 2: SEVENS, 3: KINGS}, played_at="2026-11-20T20:15:00Z")
SECOND = hand(
    2,
    1,
    {
        1: {"board": HIGH, "fantasyland": 14, "discards": ["Ac"]},
        2: MID,
        3: {"board": LOW, "fantasyland": 14, "discards": ["Jh"]},
    },
    played_at="2026-11-20T20:31:00Z",
)
MISREAD = changed(SECOND, ("players/1/middle/0", "9h"))
"""The second hand with one card of bob's read as another, which nothing but the players can tell."""
PINEAPPLE = "pineapple"


def look_around(recorder: Recorder) -> None:
    """What everybody sees, and a hand scored without storing it."""
    recorder.call("check_health")
    recorder.call("check_readiness")
    recorder.read("get_contract", "/openapi.yaml", r"openapi:|info:|  title:|  version:")
    recorder.read("get_metrics", "/metrics", r"(# (HELP|TYPE) )?ofc_points_imbalance")
    recorder.call("list_rulesets")
    recorder.cut("list_rulesets", "rulesets", 1)
    recorder.call("get_ruleset", {"reference": "pineapple"})
    recorder.call("score_hand", {}, WORKED)
    recorder.refuse("ruleset-unknown", "score_hand", {}, {**WORKED, "ruleset": "pinapple"})
    recorder.refuse("hand-invalid", "score_hand", {}, changed(WORKED, ("players/1/top/0", "Qs")))
    recorder.refuse("expected-differs", "score_hand", {}, {**WORKED, "expected": {"stacks": {"1": 9}}})


def set_up_the_table(recorder: Recorder) -> str:
    """Add a custom ruleset, and a table for every week; return the id of the table `kitchen`."""
    own = without(recorder.call("get_ruleset", {"reference": "pineapple@1"}).document, "version")
    own = changed(own, ("name", "saturday"), ("points/scoop_bonus", 4), ("leaving", "between_hands"))
    recorder.record("add_ruleset", {}, own)
    recorder.refuse("ruleset-conflict", "add_ruleset", {}, {**own, "name": PINEAPPLE})
    recorder.refuse("ruleset-invalid", "add_ruleset", {}, changed(own, ("players/min", 3), ("players/max", 2)))
    chips = {"code": "chips", "name": "Chips of the club", "digits": 0}
    recorder.record("define_unit", {}, chips)
    recorder.refuse("unit-conflict", "define_unit", {}, {**chips, "digits": 2})
    charge = {"charge_per": "hand", "charge_amount": 20}
    kitchen = {"name": "kitchen", "ruleset": "saturday", "point_value": 10, "unit": "EUR", **charge}
    kitchen |= {"reference": "room-1/3", "metadata": {"floor": "second"}}
    table = str(recorder.record("add_table", {}, kitchen)["id"])
    recorder.refuse("table-conflict", "add_table", {}, {**kitchen, "point_value": 5})
    key = {"Idempotency-Key": "7c4a8d09-2026-4b1f-9d3e-000000000002"}
    recorder.refuse("idempotency-key-reused", "add_table", key, {**kitchen, "name": "attic"})
    recorder.refuse("idempotency-key-invalid", "add_table", {"Idempotency-Key": "two words"}, kitchen)
    recorder.refuse("table-conflict", "add_table", {}, {**kitchen, "name": "attic"})
    attic = str(recorder.record("add_table", {}, {**kitchen, "name": "attic", "reference": "room-1/4"})["id"])
    recorder.call("get_table", {"table_id": table})
    recorder.refuse("not-found", "get_table", {"table_id": NOBODYS})
    read_two_pages(recorder, "list_tables")
    recorder.call("list_units")
    for one in ({"name": "kitchen"}, {"reference": "room-1/3"}):
        page = recorder.call("list_tables", one)
        assert [listed["id"] for listed in page["tables"]] == [table]
    archive_the_table(recorder, attic)
    return table


def archive_the_table(recorder: Recorder, table: str) -> None:
    """Change a table and archive it, after which no round is opened at it."""
    at_table = {"table_id": table}
    recorder.record("update_table", at_table, {"name": "loft", "minimum_stack": 50, "correction_window_minutes": 60})
    recorder.call("update_table", at_table, {"is_archived": True})
    recorder.refuse("table-archived", "open_round", at_table, {"seats": seats({1: "ann 100", 2: "bob 100"})})
    page = recorder.call("list_tables", {"archived": True})
    assert [listed["id"] for listed in page["tables"]] == [table]


def name_the_players(recorder: Recorder) -> None:
    """What the players are called, and that bob would rather not be."""
    recorder.call("name_player", {"player": "ann"}, {"display_name": "Ann from next door"})
    recorder.call("name_player", {"player": "ann"}, {"display_name": "Ann", "metadata": {"member": "0042"}})
    recorder.call("name_player", {"player": "bob"}, {"display_name": "Bob"})
    recorder.call("get_player", {"player": "ann"})
    read_two_pages(recorder, "list_players")
    recorder.call("erase_player", {"player": "bob"})


def join_two_ids(recorder: Recorder) -> None:
    """Ann has played under another ID, which is joined to hers and then parted; bob is another person."""
    other, joining = {"player": "ann"}, {"alias": "annie"}
    recorder.record("join_player", other, joining)
    recorder.refuse("alias-conflict", "join_player", other, {"alias": "bob"})
    recorder.record("part_player", other, joining)


def play_a_round(recorder: Recorder, table: str) -> str:
    """Play a round with a hand misread and undone, a player who leaves, and an early end; return its id."""
    at_table, opening = {"table_id": table}, {"seats": seats(SIXES), "reference": "2026-11-20/1"}
    opening["metadata"] = {"tournament": "friday-7"}
    recorder.refuse("round-invalid", "open_round", at_table, {"seats": seats({1: "ann 100", 2: "bob"})})
    round_id = str(recorder.record("open_round", at_table, opening)["id"])
    recorder.refuse("round-open", "open_round", at_table, {"seats": seats(SIXES)})
    recorder.refuse("round-conflict", "open_round", at_table, {**opening, "seats": seats({1: "ann 90", 2: "bob 90"})})
    in_round = {"round_id": round_id}
    recorder.record("update_round", in_round, {"metadata": {"tournament": "friday-7", "host": "club bar"}})
    own = {"reference": "friday-7/1", "metadata": {"dealer": "d-3"}}
    first = recorder.record("record_hand", in_round, {**FIRST, **own})
    recorder.record("update_hand", {"hand_id": first["id"]}, {"metadata": {"dealer": "d-4"}})
    recorder.refuse("hand-conflict", "record_hand", in_round, hand(1, 1, THREE))
    misread = recorder.record("record_hand", in_round, MISREAD)
    undoing = {"number": 2, "hand": misread["id"], "reason": "bob's nine of hearts was the nine of spades"}
    recorder.record("undo_hand", in_round, undoing)
    recorder.refuse("hand-undone", "record_hand", in_round, MISREAD)
    drink = {"player": "bob", "unit": "EUR", "amount": 300, "reason": "a drink"}
    many = lines_of([json.dumps({"round": round_id, **SECOND, "charges": [drink]}).encode()])
    recorder.send_lines("record_hands", many, many.decode(), dry_run=True)
    recorder.record("record_hand", in_round, {**SECOND, "reference": "friday-7/2"})
    recorder.refuse("same-deal", "record_hand", in_round, {**SECOND, "number": 3})
    recorder.refuse("hand-number", "record_hand", in_round, {**MISREAD, "number": 5})
    recorder.refuse("undo-refused", "undo_hand", in_round, {"number": 1, "hand": first["id"]})
    recorder.record("record_departure", in_round, {"seat": 3, "reason": "the last train"})
    recorder.record("close_round", in_round, {"reason": "the room closes"})
    recorder.refuse("round-closed", "record_hand", in_round, hand(3, 1, {1: HIGH, 2: MID}))
    return round_id


def settle_the_evening(recorder: Recorder, table: str, round_id: str) -> str:
    """Post another round as one document, and read its settlement; return its id."""
    two = {1: "ann 100", 2: "bob 100"}
    played = [hand(1, 1, {1: HIGH, 2: MID}), hand(2, 2, {1: LOW, 2: HIGH})]
    document = document_of(f"{PINEAPPLE}@1", two, played, reference="2026-11-20/2", point_value=10, unit="EUR")
    second = recorder.record("play_document", {}, document)
    in_second = {"round_id": second["round"]["id"]}
    recorder.refuse("round-complete", "record_hand", in_second, hand(3, 1, {1: HIGH, 2: MID}))
    rounds = recorder.call("list_rounds", {"limit": 1})
    opened = recorder.call("get_round", {"round_id": round_id})["opened_at"]
    before = str(second["round"]["opened_at"])
    narrowed = {
        "table": table,
        "table_name": "kitchen",
        "reference": "2026-11-20/1",
        "player": "ann",
        "status": "closed",
        "state": "final",
        "from": opened,
        "to": before,
    }
    recorder.call("find_id", {"ending": table[-6:], "kind": "table"})
    page = recorder.call("list_rounds", {**narrowed, "cursor": next_cursor(rounds)})
    assert [listed["id"] for listed in page["rounds"]] == [round_id]
    recorder.call("get_statement", {"table_id": table})
    recorder.call("get_statement", {"table_id": table, "from": opened, "to": before, "settle_up": "pairs"})
    paid = recorder.call("list_ledger", {"table": table, "player": "ann", "limit": 1, "ids": "raw"})
    recorder.call("list_ledger", {"from": opened, "to": before, "cursor": next_cursor(paid)})
    recorder.read_in("text/csv", "list_ledger", {"limit": 1})
    summed = {"tables": table, "player": "ann", "evening": "2026-11-20", "ids": "raw"}
    recorder.call("get_club")
    recorder.call("get_club_statement", {"from": opened, "to": before, "settle_up": "pairs"})
    recorder.read_in("text/csv", "get_club_statement", {"from": opened, "to": before})
    recorder.call("get_club_statement", summed)
    recorder.call("get_statement", {"table_id": table, "evening": "2026-11-20"})
    recorder.call("list_ledger", {"evening": "2026-11-20"})
    for period in ({"from": opened, "to": before, "table": table, "ruleset": "saturday"}, {"evening": "2026-11-20"}):
        recorder.call("list_statistics", period)
        recorder.call("get_player_statistics", {"player": "ann", **period})
    of_round = {"plot": "stacks", "round": second["round"]["id"]}
    recorder.call("get_plot", of_round)
    recorder.read_in("image/svg+xml", "get_plot", of_round, r"<(svg|title id|desc)")
    recorder.read_in("text/csv", "get_plot", of_round)
    recorder.call("get_plot", {"plot": "net", "table": table, "player": "ann", "from": opened, "to": before})
    recorder.call("get_plot", {"plot": "net", "evening": "2026-11-20", "ids": "raw", "highlight": "ann"})
    exported = recorder.call("export_rounds", {"table": table, "limit": 1})
    recorder.call("export_rounds", {"from": opened, "to": before, "cursor": next_cursor(exported)})
    recorder.read_file("application/vnd.apache.parquet", "export_rounds", {"records": "results"})
    return str(in_second["round_id"])
