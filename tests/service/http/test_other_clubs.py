"""IDs of another club are refused like unknown IDs: the same response, by the same SQL statements."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any
from uuid import UUID

import pytest
from uuid_utils.compat import uuid7

from schemas.pages import show_cursor
from service.http.services import services_of
from tests.support.api_client import Api, ApiResponse
from tests.support.api_disputes import body_of, opened
from tests.support.application import House
from tests.support.auditors import proposed
from tests.support.database.recorded_statements import recorded_statements
from tests.support.sample_rounds import (
    NOBODYS,
    SIXES,
    THREE,
    add_table,
    complete_round,
    hand,
    open_round,
    play,
    rows,
    seats,
)
from tests.support.worker_process import lines_of, post_import, rounds_to_import

WEBHOOK = {"url": "https://club.example/webhooks", "kinds": ["round.completed"]}
SENT: dict[str, Any] = {
    "update_table": {"name": "hall"},
    "open_round": {"seats": seats(SIXES)},
    "update_round": {"metadata": {"city": "Lyon"}},
    "record_hand": hand(2, 2, THREE),
    "update_hand": {"metadata": {"film": "cam2"}},
    "erase_texts": None,
    "record_departure": {"seat": 1},
    "close_round": {"reason": "the room closes"},
    "undo_hand": {"number": 1, "hand": NOBODYS},
    "confirm_settlement": {"seat": 1},
    "correct_round": {"reason": "a card was misread", "version": 1, "patch": []},
    "what_if": {"ruleset": "turbo"},
    "comment_on_dispute": body_of("comments", 1),
    "review_dispute": body_of("review", 1),
    "resolve_dispute": body_of("resolve", 1),
    "withdraw_dispute": body_of("withdraw", 1),
    "propose_correction": {"reason": "a card was misread", "version": 1, "patch": []},
    "propose_recomputation": {"reason": "these are the rules"},
    "confirm_proposal": None,
    "withdraw_proposal": {"reason": "the other camera shows it"},
    "reverse_payment": {"reason": "it was a loan"},
    "reverse_charge": {"reason": "the room was free"},
    "confirm_payment_claim": None,
    "decline_payment_claim": {"reason": "not received"},
    "withdraw_payment_claim": None,
    "revoke_link": None,
    "show_scorekeeper": {"hand": 1},
    "hide_scorekeeper": None,
    "revoke_key": None,
    "update_webhook": WEBHOOK,
    "rotate_webhook_secret": {"overlap_seconds": 60},
    "test_webhook": None,
    "redeliver_message": None,
    "cancel_import": None,
    "pause_import": None,
    "resume_import": None,
    "cancel_recomputation": None,
    "pause_recomputation": None,
    "resume_recomputation": None,
}
"""A valid body for each operation with a request body, so that the operation looks up the ID."""


@dataclass(frozen=True)
class Theirs:
    """The records of another club, by the names of the IDs in URLs."""

    table_id: str
    round_id: str
    hand_id: str
    dispute_id: str
    import_id: str
    recomputation_id: str
    key_id: str
    webhook_id: str
    delivery_id: str
    link_id: str
    device_id: str
    payment_id: str
    charge_id: str
    payment_claim_id: str
    proposal_id: str
    record_id: str


@pytest.fixture
def theirs(other_api: Api) -> Theirs:
    table = add_table(other_api)
    round_id = open_round(other_api, table)["id"]
    import_id = post_import(other_api, lines_of(rounds_to_import(1)))["id"]
    body = {"scope": {}, "mode": "audit", "reason": "checked again"}
    recomputation_id = other_api.post("/v1/recomputations", body)["id"]
    hand_id = play(other_api, round_id, hand(1, 1, THREE))["id"]
    dispute_id = opened(other_api, complete_round(other_api, name="attic"))
    key_id = other_api.get("/v1/keys")["keys"][0]["id"]
    webhook_id = other_api.post("/v1/webhooks", WEBHOOK)["id"]
    delivery_id = other_api.post(f"/v1/webhooks/{webhook_id}/test", None)["id"]
    link_id = other_api.post("/v1/links", {"table": table})["id"]
    device_id = str(uuid7())
    assert other_api.put(f"/v1/tables/{table}/scorekeepers/{device_id}", {"hand": 1}).status == 204
    paid = {"payer": "ann", "payee": "bob", "unit": "EUR", "amount": 1, "reference": "cash"}
    payment_id = other_api.post("/v1/payments", paid)["id"]
    charged = {"player": "ann", "unit": "EUR", "amount": 1, "reason": "the room", "reference": "room"}
    charge_id = other_api.post("/v1/charges", charged)["id"]
    payment_claim_id = other_api.post("/v1/payment-claims", {**paid, "reference": "claimed"})["id"]
    proposal_id = proposed(other_api, complete_round(other_api, name="cellar")).rpartition("/")[2]
    return Theirs(
        *(table, round_id, hand_id, dispute_id, import_id, recomputation_id),
        *(
            key_id,
            webhook_id,
            delivery_id,
            link_id,
            device_id,
            payment_id,
            charge_id,
            payment_claim_id,
            proposal_id,
            add_table(other_api, name="loft"),
        ),
    )


def operations(house: House) -> Iterator[tuple[str, str, str]]:
    """Yield the name, method and URL of every operation with a generated ID in its URL."""
    contract = services_of(house.app).contract.spec.to_dict()
    for path, described in contract["paths"].items():
        if "_id}" in path:
            for method in {"get", "post", "put", "patch", "delete"} & set(described):
                yield described[method]["operationId"], method.upper(), path


def test_ids_of_another_club_are_refused_like_unknown_ids(
    house: House, api: Api, other_api: Api, theirs: Theirs
) -> None:
    listed = list(operations(house))
    assert {name for name, _, _ in listed} >= {*SENT, "get_table", "get_round", "get_hand", "get_settlement"}
    # The first use of a key is recorded.
    assert api.get("/v1/tables").status == 200
    before = house.count_records()
    for name, method, path in listed:
        body = {"json": SENT[name]} if SENT.get(name) else {}
        address = path.format_map(vars(theirs))
        with recorded_statements() as about_theirs:
            refused = api.request(method, address, **body)
        nobodys = Theirs(*(str(uuid7()) for _ in vars(theirs)))
        with recorded_statements() as about_nobodys:
            nothing = api.request(method, path.format_map(vars(nobodys)), **body)
        assert refused.status == nothing.status == 404, name
        assert without_ids(refused, theirs) == without_ids(nothing, nobodys), name
        assert len(refused.headers) == len(nothing.headers), name
        assert about_theirs == about_nobodys, name
        assert len(about_theirs) >= 3, f"{name}: statements were not recorded"
    assert house.count_records() == before
    for name, method, path in listed:
        if method == "GET":
            assert other_api.request(method, path.format_map(vars(theirs))).status == 200, name


@pytest.mark.parametrize(
    "query",
    [
        "/v1/rounds?table={table_id}",
        "/v1/rounds?player=ann",
        "/v1/rounds?cursor={round_cursor}",
        "/v1/tables?cursor={table_cursor}",
        "/v1/players?cursor={hand_cursor}",
        "/v1/tables?name=kitchen",
        "/v1/ledger?table={table_id}",
        "/v1/ledger?player=ann",
        "/v1/ledger?round={round_id}",
        "/v1/balances?table={table_id}",
        "/v1/balances?player=ann",
        "/v1/statement?tables={table_id}",
        "/v1/statement?player=ann",
        "/v1/statistics?table={table_id}",
        "/v1/statistics",
        "/v1/disputes?table={table_id}",
        "/v1/disputes?round={round_id}",
        "/v1/disputes?cursor={dispute_cursor}",
        "/v1/rounds/{mine}/hands?cursor={hand_cursor}",
        "/v1/hands?table={table_id}",
        "/v1/hands?player=ann",
        "/v1/hands?cursor={hand_cursor}",
        "/v1/imports?cursor={import_cursor}",
        "/v1/recomputations?cursor={recomputation_cursor}",
        "/v1/proposals?round={round_id}",
        "/v1/proposals?cursor={proposal_cursor}",
    ],
)
def test_lists_contain_no_records_of_another_club(house: House, api: Api, theirs: Theirs, query: str) -> None:
    mine = open_round(api, add_table(api, name="attic"), {1: "dan 9", 2: "eve 9"})["id"]

    def listed(ids: Theirs) -> tuple[str, list[str]]:
        cursors = {f"{name.removesuffix('_id')}_cursor": show_cursor(UUID(id_)) for name, id_ in vars(ids).items()}
        with recorded_statements() as statements:
            response = api.get(query.format(mine=mine, **vars(ids), **cursors))
        # Rounds and their hands are not in the order of their ids, and theirs have no place among mine.
        assert response.status == (422 if "/{mine}/hands?" in query or "round_cursor" in query else 200)
        text = json.dumps({**response.document, "request_id": None})
        # What was received is not what another club has.
        return reduce(lambda text, cursor: text.replace(cursor, "…"), cursors.values(), text), statements

    # Ids are in the order of time, so nobody's are made as theirs were: before what is mine.
    document, statements = listed(theirs)
    nobodys = Theirs(*(changed_at_the_end(id_) for id_ in vars(theirs).values()))
    assert listed(nobodys) == (document, statements)
    assert all(id_ not in str(document) for id_ in vars(theirs).values())


def test_rulesets_of_another_club_are_not_found(api: Api, other_api: Api) -> None:
    own = {**api.get("/v1/rulesets/pineapple").document, "name": "house-rules"}
    assert other_api.post("/v1/rulesets", own).status == 201
    assert api.get("/v1/rulesets/house-rules").status == api.get("/v1/rulesets/nobodys-rules").status == 404
    assert "house-rules" not in str(api.get("/v1/rulesets").document)
    for path, body in (
        ("/v1/tables", {"name": "kitchen", "ruleset": "house-rules"}),
        ("/v1/score", {"ruleset": "house-rules", "players": [{"seat": 1, **rows("QsQd4c/KsKd9h8h3c/AhJh7h6h2h")}]}),
    ):
        assert api.post(path, body)["code"] == "ruleset-unknown"


def without_ids(response: ApiResponse, ids: Theirs) -> Any:
    """Return a response without its IDs."""
    text = str({**response.document, "request_id": None})
    for name, id_ in vars(ids).items():
        text = text.replace(id_, name)
    return text


def changed_at_the_end(id_: str) -> str:
    """Return an unknown ID with the same timestamp."""
    return id_[:-12] + "".join("0" if digit != "0" else "1" for digit in id_[-12:])
