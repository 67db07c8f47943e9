"""
The story behind the examples of the contract: one evening, from the first table to the last statement.

What it answers are the examples in the contract. `python -m tests.support.story` writes them anew.
"""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from uuid_utils.compat import uuid7

from service.app import create_app
from service.clubs.actions import create_club, create_key, find_club
from service.clubs.scopes import Scope
from service.config import Config, ImportLimits
from service.db import Database
from service.examples import FOLDER, PROBLEMS
from service.feed.views import EVENT_STREAM
from service.jobs.queries import jobs
from service.jobs.work import Worker
from service.worker import KINDS
from tests.support.api_client import Api, ApiResponse, Document
from tests.support.application import House, open_house
from tests.support.database.broken_connection import breaking_line_to_database
from tests.support.database.postgres import Logins, Server, embedded_server
from tests.support.import_lines import club_of
from tests.support.record_examples import Recorder, next_cursor, write_examples
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
from tests.support.worker_process import lines_of, post_import, rounds_to_import

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
TOO_LARGE = 1024 * 1024 + 1


def tell(house: House, bare: Logins) -> dict[str, Document]:
    """
    Play the story, and give its examples by the name of their file.

    Args:
        house: where a new club plays it.
        bare: a database that no migration has touched, for what a service says about one.
    """
    recorder = Recorder(house.new_client())
    look_around(recorder)
    table = set_up_the_table(recorder)
    name_the_players(recorder)
    round_id = play_a_round(recorder, table)
    dispute_id = dispute_the_round(recorder, table, round_id)
    correct_the_round(recorder, round_id, dispute_id)
    resolve_the_dispute(recorder, dispute_id)
    look_at_the_round(recorder, round_id)
    show_the_players(recorder, round_id)
    agree_on_the_round(recorder, round_id)
    second_id = settle_the_evening(recorder, table, round_id)
    sign_what_happened(recorder, house, second_id)
    import_a_file(recorder, house)
    play_it_again(recorder, house, round_id)
    add_a_webhook(recorder)
    lend_the_table(recorder, house, table)
    look_after_the_keys(recorder, house)
    send_what_cannot_be_read(recorder)
    import_too_much(recorder, house)
    come_without_the_right_key(recorder, house)
    ask_without_a_database(recorder, bare)
    lose_the_line(recorder, house)
    problems = {code: recorder.problems[code] for code in sorted(recorder.problems)}
    return {name: recorder.examples[name] for name in sorted(recorder.examples)} | {PROBLEMS: problems}


def look_around(recorder: Recorder) -> None:
    """What everybody sees, and a hand scored without storing it."""
    recorder.ask("check_health")
    recorder.ask("check_readiness")
    recorder.read("get_contract", "/openapi.yaml", r"openapi:|info:|  title:|  version:")
    recorder.read("get_metrics", "/metrics", r"(# (HELP|TYPE) )?ofc_points_imbalance")
    recorder.ask("list_rulesets")
    recorder.cut("list_rulesets", "rulesets", 1)
    recorder.ask("get_ruleset", {"reference": "pineapple"})
    recorder.ask("score_hand", {}, WORKED)
    recorder.refuse("ruleset-unknown", "score_hand", {}, {**WORKED, "ruleset": "pinapple"})
    recorder.refuse("hand-invalid", "score_hand", {}, changed(WORKED, ("players/1/top/0", "Qs")))
    recorder.refuse("expected-differs", "score_hand", {}, {**WORKED, "expected": {"stacks": {"1": 9}}})


def set_up_the_table(recorder: Recorder) -> str:
    """The club's own rules, and a table for every week; answers the id of the kitchen's."""
    own = without(recorder.ask("get_ruleset", {"reference": "pineapple@1"}).document, "version")
    own = changed(own, ("name", "saturday"), ("points/scoop_bonus", 4), ("leaving", "between_hands"))
    recorder.record("add_ruleset", {}, own)
    recorder.refuse("ruleset-conflict", "add_ruleset", {}, {**own, "name": PINEAPPLE})
    recorder.refuse("ruleset-invalid", "add_ruleset", {}, changed(own, ("players/min", 3), ("players/max", 2)))
    kitchen = {"name": "kitchen", "ruleset": "saturday", "point_value": 10, "currency": "EUR"}
    table = str(recorder.record("add_table", {}, kitchen)["id"])
    recorder.refuse("table-conflict", "add_table", {}, kitchen)
    key = {"Idempotency-Key": "7c4a8d09-2026-4b1f-9d3e-000000000002"}
    recorder.refuse("idempotency-key-reused", "add_table", key, {**kitchen, "name": "attic"})
    recorder.refuse("idempotency-key-invalid", "add_table", {"Idempotency-Key": "two words"}, kitchen)
    recorder.record("add_table", {}, {**kitchen, "name": "attic"})
    recorder.ask("get_table", {"table_id": table})
    recorder.refuse("not-found", "get_table", {"table_id": NOBODYS})
    read_two_pages(recorder, "list_tables")
    found = recorder.ask("list_tables", {"name": "kitchen"})
    assert [listed["id"] for listed in found["tables"]] == [table]
    return table


def name_the_players(recorder: Recorder) -> None:
    """What the players are called, and that bob would rather not be."""
    recorder.ask("name_player", {"player": "ann"}, {"display_name": "Ann from next door"})
    recorder.ask("name_player", {"player": "ann"}, {"display_name": "Ann"})
    recorder.ask("name_player", {"player": "bob"}, {"display_name": "Bob"})
    recorder.ask("get_player", {"player": "ann"})
    read_two_pages(recorder, "list_players")
    recorder.ask("erase_player", {"player": "bob"})


def play_a_round(recorder: Recorder, table: str) -> str:
    """A round with a hand misread and undone, a player who leaves, and an early end; answers its id."""
    at_table, opening = {"table_id": table}, {"seats": seats(SIXES), "reference": "2026-11-20/1"}
    recorder.refuse("round-invalid", "open_round", at_table, {"seats": seats({1: "ann 100", 2: "bob"})})
    round_id = str(recorder.record("open_round", at_table, opening)["id"])
    recorder.refuse("round-open", "open_round", at_table, {"seats": seats(SIXES)})
    recorder.refuse("round-conflict", "open_round", at_table, {**opening, "seats": seats({1: "ann 90", 2: "bob 90"})})
    in_round = {"round_id": round_id}
    recorder.record("record_hand", in_round, FIRST)
    recorder.refuse("hand-conflict", "record_hand", in_round, hand(1, 1, THREE))
    misread = recorder.record("record_hand", in_round, MISREAD)
    undoing = {"number": 2, "hand": misread["id"], "reason": "bob's nine of hearts was the nine of spades"}
    recorder.record("undo_hand", in_round, undoing)
    many = lines_of([json.dumps({"round": round_id, **SECOND}).encode()])
    recorder.send_lines("record_hands", many, many.decode(), dry_run=True)
    recorder.record("record_hand", in_round, SECOND)
    recorder.refuse("same-deal", "record_hand", in_round, {**SECOND, "number": 3})
    recorder.refuse("hand-number", "record_hand", in_round, {**MISREAD, "number": 5})
    recorder.refuse("undo-refused", "undo_hand", in_round, {"number": 1})
    recorder.record("record_departure", in_round, {"seat": 3, "reason": "the last train"})
    recorder.record("close_round", in_round, {"reason": "the room closes"})
    recorder.refuse("round-closed", "record_hand", in_round, hand(3, 1, {1: HIGH, 2: MID}))
    return round_id


def dispute_the_round(recorder: Recorder, table: str, round_id: str) -> str:
    """What bob disputes in the settlement, and what cyd remembered; returns the id of bob's dispute."""
    claim = "the second card of seat 1 on top was the three of diamonds"
    claimed = {"round": round_id, "hand": 1, "seat": 1, "row": "top", "claim": claim, "by": "bob"}
    recorder.refuse("dispute-invalid", "open_dispute", {}, {**claimed, "hand": 3})
    dispute_id = str(recorder.record("open_dispute", {}, claimed)["id"])
    about = {"dispute_id": dispute_id}
    recorder.record("comment_on_dispute", about, {"comment": "it was, and I did not enter", "by": "ann"})
    giving_up = {"round": round_id, "claim": "my last stack is wrong", "by": "cyd"}
    given_up = {"dispute_id": str(recorder.record("open_dispute", {}, giving_up)["id"])}
    recorder.record("withdraw_dispute", given_up, {"version": 1, "by": "cyd", "reason": "a card was counted twice"})
    recorder.refuse("dispute-refused", "review_dispute", given_up, {"version": 2, "by": "first"})
    recorder.refuse("dispute-changed", "review_dispute", about, {"version": 1, "by": "first"})
    recorder.record("review_dispute", about, {"version": 2, "by": "first"})
    read_two_pages(recorder, "list_disputes")
    recorder.ask("list_disputes", {"state": "under_review", "table": table, "round": round_id})
    return dispute_id


def correct_the_round(recorder: Recorder, round_id: str, dispute_id: str) -> None:
    """One of ann's queens of the first hand was a three: ann had not earned the Fantasyland of the next hand."""
    in_round = {"round_id": round_id}
    version = recorder.ask("get_round", in_round)["version"]
    three = {"op": "replace", "path": "/hands/0/players/0/top/1", "value": "3d"}
    about = {"reason": "ann's queen of diamonds was the three", "version": version, "dispute": dispute_id}
    correcting = {**about, "changes": [{"hand": 1, "seat": 1, "row": "top", "cards": ["Qs", "3d", "4c"]}]}
    recorder.refuse("hand-irregular", "correct_round", in_round, correcting)
    elsewhere = [{"op": "replace", "path": "/table", "value": "attic"}]
    recorder.refuse("correction-invalid", "correct_round", in_round, {**about, "patch": elsewhere})
    recorder.ask("what_if", in_round, {"ruleset": "pineapple-qq", "patch": [three]})
    recorder.record("correct_round", in_round, {**correcting, "irregular": "accept"})
    recorder.refuse("round-changed", "correct_round", in_round, correcting)
    recorder.refuse("precondition-failed", "correct_round", {**in_round, "If-Match": f'"{version}"'}, correcting)
    recorder.refuse("precondition-invalid", "correct_round", {**in_round, "If-Match": f"{version}"}, correcting)
    version = recorder.ask("get_round", in_round)["version"]
    # The round is as this would make it already.
    again = {"reason": "looked at again", "patch": [three], "version": version}
    recorder.ask("correct_round", in_round, again, form="patch")


def resolve_the_dispute(recorder: Recorder, dispute_id: str) -> None:
    """The correction has answered it."""
    about = {"dispute_id": dispute_id}
    version = recorder.ask("get_dispute", about)["version"]
    recorder.record("resolve_dispute", about, {"version": version, "state": "upheld", "by": "first"})


def look_at_the_round(recorder: Recorder, round_id: str) -> None:
    """What there is to see of a round and its hands."""
    in_round = {"round_id": round_id}
    recorder.ask("get_round", in_round)
    hands = recorder.ask("list_hands", {**in_round, "limit": 1})
    recorder.ask("list_hands", {**in_round, "limit": 1, "revision": 2, "cursor": next_cursor(hands)})
    found = recorder.ask("find_hands", {"limit": 1})
    narrowed = {"player": "ann", "ruleset": PINEAPPLE, "foul": False, "fantasyland": False}
    period = {"from": "2026-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z"}
    table = recorder.ask("get_round", in_round)["table"]
    recorder.ask("find_hands", {**narrowed, **period, "table": table, "limit": 1, "cursor": next_cursor(found)})
    recorder.ask("get_hand", {"hand_id": hands["hands"][0]["id"]})
    explained = {"hand_id": hands["hands"][0]["id"], "revision": 3}
    recorder.ask("explain_hand", explained)
    recorder.read_in("text/plain", "explain_hand", explained)
    recorder.read_in("text/html", "explain_hand", explained, r"<!doctype|\s*<(title|h1|h2|h3)")
    recorder.ask("get_settlement", {**in_round, "revision": 2})
    recorder.ask("get_document", {**in_round, "revision": 3})


def show_the_players(recorder: Recorder, round_id: str) -> None:
    """An address at which the players read their round on their own phones."""
    issued = recorder.ask("issue_link", {"round_id": round_id}, {"expires_in": 86_400})
    shown = {"token": issued["url"].rpartition("/")[2]}
    recorder.ask("show_linked_round", shown)
    recorder.read_in("text/html", "show_linked_round", shown, r"<!doctype|\s*<(title|h1|h2)")
    recorder.ask("show_linked_hand", {**shown, "number": 1})
    for form, lines in (("text/plain", r"\w"), ("text/html", r"<!doctype|\s*<(title|h1|h2|h3)")):
        recorder.read_in(form, "show_linked_hand", {**shown, "number": 1}, lines)
    recorder.ask("revoke_link", shown)
    recorder.refuse("link-ended", "show_linked_round", shown)


def agree_on_the_round(recorder: Recorder, round_id: str) -> None:
    """Everybody has seen the settlement as it was corrected, and says that it is right."""
    in_round = {"round_id": round_id}
    recorder.refuse("confirmation-refused", "confirm_settlement", in_round, {"seat": 1, "revision": 1})
    for seat in SIXES:
        agreed = recorder.record("confirm_settlement", in_round, {"seat": seat, "revision": 3})
    assert agreed["state"] == "final"


def settle_the_evening(recorder: Recorder, table: str, round_id: str) -> str:
    """Another round, sent as one document, and who pays whom in the end; answers its id."""
    two = {1: "ann 100", 2: "bob 100"}
    played = [hand(1, 1, {1: HIGH, 2: MID}), hand(2, 2, {1: LOW, 2: HIGH})]
    document = document_of(f"{PINEAPPLE}@1", two, played, reference="2026-11-20/2", point_value=10, currency="EUR")
    second = recorder.record("play_document", {}, document)
    in_second = {"round_id": second["round"]["id"]}
    recorder.refuse("round-complete", "record_hand", in_second, hand(3, 1, {1: HIGH, 2: MID}))
    rounds = recorder.ask("list_rounds", {"limit": 1})
    opened = recorder.ask("get_round", {"round_id": round_id})["opened_at"]
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
    found = recorder.ask("list_rounds", {**narrowed, "cursor": next_cursor(rounds)})
    assert [listed["id"] for listed in found["rounds"]] == [round_id]
    recorder.ask("get_statement", {"table_id": table})
    recorder.ask("get_statement", {"table_id": table, "from": opened, "to": before})
    paid = recorder.ask("list_ledger", {"table": table, "player": "ann", "limit": 1})
    recorder.ask("list_ledger", {"from": opened, "to": before, "cursor": next_cursor(paid)})
    recorder.read_in("text/csv", "list_ledger", {"limit": 1})
    summed = {"tables": table, "player": "ann", "evening": "2026-11-20"}
    recorder.ask("get_club")
    recorder.ask("get_club_statement", {"from": opened, "to": before})
    recorder.read_in("text/csv", "get_club_statement", {"from": opened, "to": before})
    recorder.ask("get_club_statement", summed)
    recorder.ask("get_statement", {"table_id": table, "evening": "2026-11-20"})
    recorder.ask("list_ledger", {"evening": "2026-11-20"})
    for asked in ({"from": opened, "to": before, "table": table, "ruleset": "saturday"}, {"evening": "2026-11-20"}):
        recorder.ask("list_statistics", asked)
        recorder.ask("get_player_statistics", {"player": "ann", **asked})
    exported = recorder.ask("export_rounds", {"table": table, "limit": 1})
    recorder.ask("export_rounds", {"from": opened, "to": before, "cursor": next_cursor(exported)})
    return str(in_second["round_id"])


def import_a_file(recorder: Recorder, house: House) -> None:
    """Rounds of another year, of which one is there already and one cannot be read."""
    lines = [*rounds_to_import(2, "cellar"), b'{"ruleset": "pineapple"}']
    content = lines_of([*lines, lines[0]])
    packed = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
    recorder.refuse("body-unreadable", "start_import", data=content, headers=packed)
    post_import(recorder.api, lines_of(lines[1:2]))
    sent = recorder.send_lines("start_import", content, lines_of(lines[:1]).decode(), state="final")
    job = {"import_id": str(sent["id"])}
    recorder.record("pause_import", job, None)
    recorder.record("resume_import", job, None)
    work_on(house, str(sent["id"]))
    recorder.ask("get_import", job)
    recorder.record("cancel_import", job, None)
    recorder.refuse("job-ended", "pause_import", job)
    listed = recorder.ask("list_imports", {"limit": 1})
    recorder.ask("list_imports", {"limit": 1, "state": "queued", "cursor": next_cursor(listed)})
    recorder.read("list_import_results", f"/v1/imports/{sent['id']}/results", ".")


def play_it_again(recorder: Recorder, house: House, round_id: str) -> None:
    """What would the round have come to under other rules?"""
    asked = {"scope": {"rounds": [round_id]}, "mode": "audit", "ruleset": "progressive", "reason": "ann wants to know"}
    recorder.api.post("/v1/recomputations", {"scope": {}, "mode": "audit", "reason": "yearly audit"})
    sent = recorder.record("start_recomputation", {}, asked)
    job = {"recomputation_id": str(sent["id"])}
    recorder.record("pause_recomputation", job, None)
    recorder.record("resume_recomputation", job, None)
    work_on(house, str(sent["id"]))
    recorder.ask("get_recomputation", job)
    recorder.record("cancel_recomputation", job, None)
    listed = recorder.ask("list_recomputations", {"limit": 1})
    recorder.ask("list_recomputations", {"limit": 1, "state": "queued", "cursor": next_cursor(listed)})
    found = recorder.ask("list_differences", {**job, "limit": 1})
    recorder.ask("list_differences", {**job, "limit": 1, "cursor": next_cursor(found)})
    recorder.read_in("application/x-ndjson", "list_differences", job)


def work_on(house: House, job_id: str) -> None:
    """Do what a worker does, here and now."""
    database: Database = house.app.extensions["ofc_database"]
    with database.outside_clubs() as connection:
        [job] = [found for found in jobs.list_unfinished(connection) if str(found.id) == job_id]
    Worker("the story's", database, KINDS, announce=lambda _club: None).work_on(job.club_id, job.id)


def add_a_webhook(recorder: Recorder) -> None:
    """A program of the club's that hears of rounds, as it is set up and looked after."""
    asked = {"url": "https://club.example/webhooks", "kinds": ["round.completed", "settlement.final"]}
    recorder.refuse("webhook-refused", "add_webhook", {}, {**asked, "url": "https://10.0.0.7/webhooks"})
    one = {"webhook_id": str(recorder.record("add_webhook", {}, {**asked, "description": "the club's bot"})["id"])}
    recorder.record("add_webhook", {}, asked)
    read_two_pages(recorder, "list_webhooks")
    recorder.ask("get_webhook", one)
    recorder.ask("get_webhook_secret", one)
    recorder.record("rotate_webhook_secret", one, {"overlap_seconds": 3600})
    sent = recorder.record("test_webhook", one, None)
    recorder.record("test_webhook", one, None)
    found = recorder.ask("list_webhook_deliveries", {**one, "limit": 1, "state": "waiting"})
    recorder.ask("list_webhook_deliveries", {**one, "limit": 1, "cursor": next_cursor(found)})
    recorder.record("redeliver_message", {**one, "delivery_id": str(sent["id"])}, None)
    recorder.ask("update_webhook", one, {**asked, "state": "disabled"})
    recorder.refuse("webhook-conflict", "test_webhook", one)
    recorder.ask("remove_webhook", one)


def lend_the_table(recorder: Recorder, house: House, table: str) -> None:
    """A phone with which anna records the rounds of one table."""
    asked = {"label": "Anna's phone", "kind": "scorekeeper", "expires_in": 43_200}
    at_table = {"table_id": table}
    elsewhere = "http://other.example"
    recorder.refuse("link-address-unknown", "issue_table_link", at_table, asked, base_url=elsewhere)
    issued = recorder.ask("issue_table_link", at_table, asked)
    recorder.ask("issue_table_link", at_table, {})
    read_two_pages(recorder, "list_table_links", at_table)
    key, recorder.api = recorder.api, Api(house.app, str(issued["url"]).partition("#")[2])
    recorder.ask("get_link")
    recorder.api = key
    recorder.ask("revoke_table_link", {**at_table, "link_id": str(issued["id"])})


def look_after_the_keys(recorder: Recorder, house: House) -> None:
    """The keys of the club, one of which was lost."""
    [(name,)] = house.ask("SELECT name FROM clubs WHERE id = %s", club_of(house, recorder.api))
    lost = create_key(house.owner, find_club(house.owner, name), name="table tablet", scopes=[Scope.READ, Scope.WRITE])
    read_two_pages(recorder, "list_keys")
    recorder.ask("revoke_key", {"key_id": str(lost.key.id)})


def send_what_cannot_be_read(recorder: Recorder) -> None:
    """Bodies, headers and methods that the service cannot take."""
    as_json = {"Content-Type": "application/json"}
    recorder.refuse("json-invalid", "score_hand", data=b'{"ruleset": "pineapple", "ruleset": "turbo"}', headers=as_json)
    recorder.refuse("body-too-large", "score_hand", data=b" " * TOO_LARGE, headers=as_json)
    recorder.refuse("media-type-unsupported", "score_hand", data=b"As Kd Qc", headers={"Content-Type": "text/plain"})
    announced = {"CONTENT_LENGTH": "800"}
    half = b'{"ruleset": "pineap'
    recorder.refuse("request-incomplete", "score_hand", data=half, headers=as_json, environ_overrides=announced)
    wrong = changed(WORKED, ("players/0/top/0", "Qx"), ("players/1/stack", -1))
    recorder.refuse("request-invalid", "score_hand", {}, wrong)
    recorder.refuse("not-acceptable", "list_rulesets", headers={"Accept": "text/html"})


def import_too_much(recorder: Recorder, house: House) -> None:
    """Imports that are larger, or more, than a service allows that was configured for few."""
    for code, limits in (
        ("import-too-large", ImportLimits(lines=1)),
        ("import-quota-exceeded", ImportLimits(under_way=0)),
    ):
        app = create_app(Config(house.logins.service, imports=limits))
        small = Api(app, recorder.api.key)
        headers = {"Content-Type": "application/x-ndjson"}
        recorder.refuse(code, "start_import", data=b"{}\n{}\n", headers=headers, api=small)
        app.extensions["ofc_database"].close()


def sign_what_happened(recorder: Recorder, house: House, round_id: str) -> None:
    """A checkpoint, something more that happens, another checkpoint, and what can be checked then."""
    first = recorder.ask("make_checkpoint")
    recorder.ask("name_player", {"player": "ann"}, {"display_name": "Ann of the hill"})
    second = recorder.ask("make_checkpoint")
    read_two_pages(recorder, "list_checkpoints")
    recorder.ask("prove_consistency", {"from": first["size"], "to": second["size"]})
    recorder.ask("prove_inclusion", {"position": 2, "size": second["size"]})
    recorder.read("get_checkpoint", second.headers["Location"], "")
    recorder.ask("list_checkpoint_keys")
    recorder.ask("get_evidence", {"round_id": round_id, "since": first["size"]})
    recorder.cut("get_evidence", "events", 2)
    listen_to_events(recorder, house, round_id)
    keyless = create_app(Config(house.logins.service))
    recorder.refuse("signing-key-missing", "make_checkpoint", api=Api(keyless, recorder.api.key))
    keyless.extensions["ofc_database"].close()


def listen_to_events(recorder: Recorder, house: House, round_id: str) -> None:
    """A hand as the feed has it, the same as a stream, and a stream too many."""
    table, feed = str(recorder.api.get(f"/v1/rounds/{round_id}")["table"]), house.app.extensions["ofc_feed"]
    wanted = {"kind": "hand.recorded", "table": table, "round": round_id, "limit": 1, "wait": 1, "after": 0}
    recorder.ask("list_events", wanted)
    longest, feed.stream_seconds = feed.stream_seconds, 0.0
    recorder.read_in(EVENT_STREAM, "list_events", {"kind": "round.closed", "after": 2})
    feed.stream_seconds = longest
    club = club_of(house, recorder.api)
    while feed.places.take(club, has_thread=True):
        pass
    recorder.refuse("streams-busy", "list_events", headers={"Accept": EVENT_STREAM})
    while feed.places.taken:
        feed.places.release(club)


def come_without_the_right_key(recorder: Recorder, house: House) -> None:
    """The responses to an invalid, an unknown and a read-only key."""
    table = {"name": "cellar", "ruleset": PINEAPPLE}
    recorder.refuse("key-missing", "list_tables", api=Api(house.app, None))
    recorder.refuse("key-unknown", "list_tables", api=Api(house.app, "ofc_nobodys"))
    club = create_club(house.owner, f"club {uuid7()}")
    reading = create_key(house.owner, club, name="scoreboard", scopes=[Scope.READ])
    limited = create_app(Config(house.logins.service, rate_limit=1))
    hasty = Api(limited, create_key(house.owner, club, name="hasty").secret)
    while hasty.get("/v1/tables").status != 429:
        pass
    recorder.refuse("rate-limited", "list_tables", api=hasty)
    limited.extensions["ofc_database"].close()
    recorder.refuse("scope-missing", "add_table", {}, table, api=Api(house.app, reading.secret))


def ask_without_a_database(recorder: Recorder, bare: Logins) -> None:
    """What a service says whose database does not answer, or awaits its migration."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        nowhere = f"postgresql://ofc@127.0.0.1:{free.getsockname()[1]}/ofc"
    for code, url in (("database-unavailable", nowhere), ("database-behind", bare.owner)):
        app = create_app(Config(url))
        recorder.refuse(code, "check_readiness", api=Api(app, None))
        app.extensions["ofc_database"].close()


def lose_the_line(recorder: Recorder, house: House) -> None:
    """The response of a service whose database never confirmed the commit."""
    club = create_club(house.owner, f"club {uuid7()}")
    key = create_key(house.owner, club, name="first").secret
    with breaking_line_to_database(house.logins.service) as (line, through):
        app = create_app(Config(through))
        api = Api(app, key)
        api.get("/v1/tables")
        line.break_after(b"COMMIT\0")
        recorder.refuse("outcome-unknown", "add_table", {}, {"name": "cellar", "ruleset": PINEAPPLE}, api=api)
        app.extensions["ofc_database"].close()


def read_two_pages(recorder: Recorder, operation: str, asked: Document | None = None) -> None:
    """Read a list one by one."""
    one = {**(asked or {}), "limit": 1}
    first: ApiResponse = recorder.ask(operation, one)
    recorder.ask(operation, {**one, "cursor": next_cursor(first)})


@contextmanager
def made_bare(server: Server) -> Iterator[Logins]:
    """A database that no migration has touched, gone afterwards."""
    bare = server.create_bare_database()
    yield bare
    server.drop_database(bare)


def main() -> None:
    """Play the story on a database of its own, and write its examples."""
    with embedded_server() as server, open_house(server) as house, made_bare(server) as bare:
        write_examples(FOLDER, tell(house, bare))


if __name__ == "__main__":
    main()
