"""What is sent: one message for each change, in the transaction of the change, and none for imported rounds."""

import pytest

from schemas.webhooks.endpoints import WebhookKind
from tests.support.api_disputes import MISREAD, opened, step
from tests.support.api_settlements import confirm, correct, make_final
from tests.support.application import House
from tests.support.process_jobs import Club
from tests.support.sample_rounds import (
    COMPLETE,
    SIXES,
    THREE,
    add_table,
    complete_round,
    correct_round,
    document_of,
    hand,
    open_round,
    play,
    play_to_the_end,
    post_document,
    settlement_of,
    undo,
)
from tests.support.webhook_receiver import KINDS, Receiver, Sending, sending
from tests.support.worker_process import lines_of, post_import, rounds_to_import


def test_a_test_knows_every_kind() -> None:
    assert {*KINDS, "webhook.test"} == {*WebhookKind}


def test_a_round_sends_its_hands_and_its_end_in_order(club: Sending, receiver: Receiver) -> None:
    table = add_table(club.api)
    round_id = open_round(club.api, table, SIXES, reference="2026-11-20/1")["id"]
    play(club.api, round_id, *COMPLETE)
    assert club.deliver() == 4
    assert receiver.kinds == ["hand.recorded"] * 3 + ["round.completed"]
    about = {"round_id": round_id, "table_id": table, "reference": "2026-11-20/1"}
    hands = club.api.get(f"/v1/rounds/{round_id}/hands")["hands"]
    assert [message["data"] for message in receiver.messages] == [
        *({**about, "hand_id": played["id"], "number": played["number"]} for played in hands),
        {**about, "revision": 1, "status": "complete", "state": "provisional"},
    ]
    for seat in SIXES:
        assert confirm(club.api, round_id, seat).status == 201
    club.deliver()
    assert receiver.messages[4] == {
        "type": "settlement.finalized",
        "timestamp": receiver.messages[4]["timestamp"],
        "data": {**about, "revision": 1, "status": "complete", "state": "final"},
    }


def test_an_undo_sends_the_hand_that_was_withdrawn(club: Sending, receiver: Receiver) -> None:
    round_id = open_round(club.api, add_table(club.api))["id"]
    played = play(club.api, round_id, hand(1, 1, THREE))
    assert undo(club.api, round_id, 1).status in (200, 201)
    club.deliver()
    assert receiver.kinds == ["hand.recorded", "hand.withdrawn"]
    withdrawn = receiver.messages[1]["data"]
    assert (withdrawn["hand_id"], withdrawn["number"], withdrawn["revision"]) == (played["id"], 1, 2)


def test_a_dispute_sends_its_steps_and_a_correction_its_revision(club: Sending, receiver: Receiver) -> None:
    round_id = complete_round(club.api)
    club.deliver()
    receiver.received.clear()
    disputed = club.api.post("/v1/disputes", {"round": round_id, "claim": "a card was misread", "by": "ann", "hand": 2})
    assert step(club.api, disputed["id"], "review").status == 201
    corrected = correct_round(club.api, round_id, {"reason": "misread", "patch": MISREAD, "dispute": disputed["id"]})
    assert corrected.status == 201, corrected
    assert step(club.api, disputed["id"], "resolve", state="upheld", reason="misread").status == 201
    assert step(club.api, opened(club.api, round_id), "withdraw").status == 201
    club.deliver()
    assert receiver.kinds == [
        "dispute.opened", "round.corrected", "dispute.resolved", "dispute.opened", "dispute.withdrawn",
    ]  # as a table  # fmt: skip
    first, revised, decided, *_ = (message["data"] for message in receiver.messages)
    assert (first["dispute_id"], first["revision"], first["number"]) == (disputed["id"], 1, 2)
    assert (revised["revision"], revised["state"]) == (2, "disputed")
    assert (decided["dispute_id"], decided["state"], decided["correction"]) == (disputed["id"], "upheld", 2)


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("payment", {"payer": "cyd", "payee": "ann", "note": "a loan"}),
        ("charge", {"player": "ann", "reason": "the room"}),
    ],
)
def test_payments_and_charges_are_sent_when_they_are_recorded_and_taken_back(
    club: Sending, receiver: Receiver, what: str, body: dict[str, str]
) -> None:
    complete_round(club.api)
    club.deliver()
    receiver.received.clear()
    sent = {**body, "unit": "EUR", "amount": 5, "reference": "friday"}
    [entry] = {club.api.post(f"/v1/{what}s", sent)["id"] for _ in range(2)}
    reversal = club.api.post(f"/v1/{what}s/{entry}/reversal", {"reason": "a mistake"})["id"]
    club.deliver()
    about = {f"{what}_id": entry, "reference": "friday"}
    assert [(message["type"], message["data"]) for message in receiver.messages] == [
        (f"{what}.recorded", about),
        (f"{what}.reversed", {**about, "reversal_id": reversal}),
    ]


def test_a_claim_of_a_payment_is_sent_and_how_it_ends(club: Sending, receiver: Receiver) -> None:
    complete_round(club.api)
    club.deliver()
    receiver.received.clear()
    about = []
    for step_, body in (("confirm", None), ("decline", {"reason": "not received"}), ("withdraw", None)):
        claim = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 5, "reference": step_}
        claimed = club.api.post("/v1/payment-claims", claim)["id"]
        ended = club.api.post(f"/v1/payment-claims/{claimed}/{step_}", body)
        assert ended.status == 201, ended
        about.append((ended["id"], {"payment_claim_id": claimed, "reference": step_}))
    club.deliver()
    (payment, confirmed), (_, declined), (_, withdrawn) = about
    assert [(message["type"], message["data"]) for message in receiver.messages] == [
        ("payment.claimed", confirmed),
        ("payment.recorded", {"payment_id": payment, "reference": "confirm"}),
        ("payment.claimed", declined),
        ("payment.claim-declined", declined),
        ("payment.claimed", withdrawn),
        ("payment.claim-withdrawn", withdrawn),
    ]


@pytest.mark.parametrize("end", ["withdraw", "resolve"])
def test_a_settlement_that_was_disputed_is_final_once(club: Sending, receiver: Receiver, end: str) -> None:
    round_id = complete_round(club.api)
    make_final(club.api, round_id)
    club.deliver()
    assert receiver.kinds.count("settlement.finalized") == 1
    receiver.received.clear()
    disputed = opened(club.api, round_id)
    assert settlement_of(club.api, round_id)["state"] == "disputed"
    if end == "resolve":
        assert step(club.api, disputed, "review").status == 201
    assert step(club.api, disputed, end).status == 201
    assert settlement_of(club.api, round_id)["state"] == "final"
    club.deliver()
    assert receiver.kinds == ["dispute.opened", "dispute.resolved" if end == "resolve" else "dispute.withdrawn"]


def test_each_final_revision_is_sent_once(club: Sending, receiver: Receiver) -> None:
    round_id = complete_round(club.api)
    make_final(club.api, round_id)
    assert correct(club.api, round_id).status == 201
    make_final(club.api, round_id)
    club.deliver()
    final = [message["data"] for message in receiver.messages if message["type"] == "settlement.finalized"]
    assert [(data["round_id"], data["revision"]) for data in final] == [(round_id, 1), (round_id, 2)]


def test_a_document_sends_what_its_hands_would_send(club: Sending, receiver: Receiver) -> None:
    assert post_document(club.api, document_of(hands=COMPLETE)).status == 201
    club.deliver()
    assert receiver.kinds == ["hand.recorded"] * 3 + ["round.completed"]


def test_an_import_sends_one_message_when_it_ends(club: Sending, receiver: Receiver) -> None:
    job = post_import(club.api, lines_of(rounds_to_import(3))).headers["Location"]
    ended = Club(club.house, club.api).work_on(job)
    club.deliver()
    [message] = receiver.messages
    assert message["type"] == "import.ended"
    assert message["data"] == {"import_id": ended["id"], "state": "succeeded", "lines": 3}


def test_later_changes_of_an_imported_round_are_sent(club: Sending, receiver: Receiver) -> None:
    job = post_import(club.api, lines_of(rounds_to_import(1))).headers["Location"]
    Club(club.house, club.api).work_on(job)
    [listed] = club.api.get("/v1/rounds")["rounds"]
    disputed = club.api.post("/v1/disputes", {"round": listed["id"], "claim": "misread", "by": "ann"})
    assert disputed.status == 201, disputed
    club.deliver()
    assert receiver.kinds == ["import.ended", "dispute.opened"]


def test_nothing_is_sent_for_what_is_rolled_back(club: Sending, receiver: Receiver) -> None:
    round_id = open_round(club.api, add_table(club.api))["id"]
    assert club.api.post(f"/v1/rounds/{round_id}/hands?dry_run=true", hand(1, 1, THREE)).status == 201
    assert club.api.post(f"/v1/rounds/{round_id}/hands", hand(2, 1, THREE)).status == 409
    assert club.deliver() == 0
    assert club.deliveries == []


def test_a_webhook_receives_only_the_kinds_that_it_chose(local_house: House, receiver: Receiver) -> None:
    with sending(local_house, receiver.url, kinds=["round.completed"]) as club:
        complete_round(club.api)
        club.deliver()
        assert receiver.kinds == ["round.completed"]


def test_each_webhook_receives_each_message(club: Sending, receiver: Receiver) -> None:
    more = club.api.post("/v1/webhooks", {"url": f"{receiver.url}/2", "kinds": ["round.completed"]})
    complete_round(club.api)
    club.deliver()
    completed = [received for received in receiver.received if received.message["type"] == "round.completed"]
    assert sorted(received.path for received in completed) == ["/hooks", "/hooks/2"]
    assert len({received.id for received in completed}) == 2
    assert club.api.delete(more.headers["Location"]).status == 204


def test_a_club_receives_nothing_of_another(local_house: House, club: Sending, receiver: Receiver) -> None:
    other = local_house.new_client()
    complete_round(other)
    assert club.deliver() == 0
    with sending(local_house, f"{receiver.url}/other") as others:
        complete_round(club.api)
        # Either process delivers the messages of all clubs.
        assert others.deliver() == 4
    assert {received.path for received in receiver.received} == {"/hooks"}
    assert others.api.get("/v1/webhooks")["webhooks"] == []


def test_a_disabled_webhook_receives_nothing_new(club: Sending, receiver: Receiver) -> None:
    play_to_the_end(club.api, open_round(club.api, add_table(club.api))["id"])
    assert club.api.patch(club.address, {"state": "disabled"}).status == 200
    complete_round(club.api, name="attic")
    assert club.deliver() == 0
    assert club.api.post(f"{club.address}/test", None)["code"] == "webhook-conflict"
    assert club.api.patch(club.address, {"state": "active"}).status == 200
    assert club.deliver() == 4, "what waited before"
