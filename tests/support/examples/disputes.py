"""The part of the story with a dispute: the round is corrected, and its players confirm the settlement."""

from tests.support.examples.evening import PINEAPPLE
from tests.support.examples.record_examples import Recorder, next_cursor, read_two_pages
from tests.support.sample_rounds import (
    SIXES,
)


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
    recorder.call("list_disputes", {"state": "under_review", "table": table, "round": round_id})
    return dispute_id


def correct_the_round(recorder: Recorder, round_id: str, dispute_id: str) -> None:
    """One of ann's queens of the first hand was a three: ann had not earned the Fantasyland of the next hand."""
    in_round = {"round_id": round_id}
    version = recorder.call("get_round", in_round)["version"]
    three = {"op": "replace", "path": "/hands/0/players/0/top/1", "value": "3d"}
    about = {"reason": "ann's queen of diamonds was the three", "version": version, "dispute": dispute_id}
    correcting = {**about, "changes": [{"hand": 1, "seat": 1, "row": "top", "cards": ["Qs", "3d", "4c"]}]}
    recorder.refuse("hand-irregular", "correct_round", in_round, correcting)
    elsewhere = [{"op": "replace", "path": "/table", "value": "attic"}]
    recorder.refuse("correction-invalid", "correct_round", in_round, {**about, "patch": elsewhere})
    recorder.call("what_if", in_round, {"ruleset": "pineapple-qq", "patch": [three]})
    recorder.record("correct_round", in_round, {**correcting, "irregular": "accept"})
    recorder.refuse("round-changed", "correct_round", in_round, correcting)
    version = recorder.call("get_round", in_round)["version"]
    # The round is as this would make it already.
    again = {"reason": "looked at again", "patch": [three], "version": version}
    recorder.call("correct_round", in_round, again, form="patch")


def resolve_the_dispute(recorder: Recorder, dispute_id: str) -> None:
    """Resolve the dispute, which the correction upholds."""
    about = {"dispute_id": dispute_id}
    version = recorder.call("get_dispute", about)["version"]
    recorder.record("resolve_dispute", about, {"version": version, "state": "upheld", "by": "first"})


def look_at_the_round(recorder: Recorder, round_id: str) -> None:
    """What there is to see of a round and its hands."""
    in_round = {"round_id": round_id}
    recorder.call("get_round", in_round)
    hands = recorder.call("list_hands", {**in_round, "limit": 1})
    recorder.call("list_hands", {**in_round, "limit": 1, "revision": 2, "cursor": next_cursor(hands)})
    page = recorder.call("find_hands", {"limit": 1})
    narrowed = {"player": "ann", "ruleset": PINEAPPLE, "foul": False, "fantasyland": False}
    period = {"from": "2026-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z"}
    table = recorder.call("get_round", in_round)["table"]
    recorder.call("find_hands", {**narrowed, **period, "table": table, "limit": 1, "cursor": next_cursor(page)})
    page = recorder.call("find_hands", {"reference": "friday-7/2"})
    assert [listed["number"] for listed in page["hands"]] == [2]
    recorder.call("get_hand", {"hand_id": hands["hands"][0]["id"]})
    explained = {"hand_id": hands["hands"][0]["id"], "revision": 3}
    recorder.call("explain_hand", explained)
    recorder.read_in("text/plain", "explain_hand", explained)
    recorder.read_in("text/html", "explain_hand", explained, r"<!doctype|\s*<(title|h1|h2|h3)")
    recorder.call("get_settlement", {**in_round, "revision": 2})
    recorder.call("get_document", {**in_round, "revision": 3})


def show_the_players(recorder: Recorder, round_id: str) -> None:
    """A link with which the players read their round on their own phones."""
    issued = recorder.call("issue_link", {}, {"round": round_id, "expires_in": 86_400}, form="round")
    recorder.call("issue_link", {}, {"round": round_id})
    read_two_pages(recorder, "list_links", {"round": round_id, "kind": "viewer"})
    recorder.call("revoke_link", {"link_id": str(issued["id"])})


def agree_on_the_round(recorder: Recorder, round_id: str) -> None:
    """Everybody has seen the settlement as it was corrected, and says that it is right."""
    in_round = {"round_id": round_id}
    recorder.refuse("confirmation-refused", "confirm_settlement", in_round, {"seat": 1, "revision": 1})
    for seat in SIXES:
        agreed = recorder.record("confirm_settlement", in_round, {"seat": seat, "revision": 3})
    assert agreed["state"] == "final"
