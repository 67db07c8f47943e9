"""A club with two tables at which everything has happened, and links to the first."""

import secrets
from dataclasses import dataclass
from typing import Any

from tests.support.api_client import Api, ApiResponse
from tests.support.api_disputes import opened
from tests.support.application import House
from tests.support.sample_rounds import THREE, add_table, complete_round, hand, open_round, play

ALLOWED = {
    *(
        "get_club",
        "get_link",
        "get_table",
        "list_tables",
        "get_statement",
        "get_ruleset",
        "list_rulesets",
        "list_events",
    ),
    *("open_round", "list_rounds", "get_round", "get_settlement", "get_document", "close_round", "record_departure"),
    *("record_hand", "record_hands", "list_hands", "find_hands", "get_hand", "explain_hand", "undo_hand"),
    *("correct_round", "confirm_settlement", "get_club_statement", "list_disputes"),
    *("get_balances", "record_payment", "reverse_payment", "claim_payment", "list_payment_claims"),
    *("confirm_payment_claim", "decline_payment_claim", "withdraw_payment_claim"),
    *("show_scorekeeper", "hide_scorekeeper", "list_scorekeepers"),
}
"""The operations that a scorekeeper's link can be used for."""
NDJSON = {"Content-Type": "application/x-ndjson"}


@dataclass(frozen=True)
class Played:
    """A table, its open round with a hand, its complete round, its dispute, and a payment, recorded and claimed."""

    table: str
    round: str
    hand: str
    complete: str
    dispute: str
    payment: str
    claim: str


def play_at(api: Api, name: str) -> Played:
    """Play a complete round and the beginning of another at a new table."""
    complete = complete_round(api, name=name)
    dispute = opened(api, complete)
    table = str(api.get(f"/v1/rounds/{complete}")["table"])
    round_id = str(open_round(api, table)["id"])
    played = play(api, round_id, hand(1, 1, THREE))["id"]
    paying = {"payer": "cyd", "payee": "ann", "unit": table, "amount": 1, "reference": f"cash at {name}"}
    paid = api.post("/v1/payments", paying)
    assert paid.status == 201, paid
    claimed = api.post("/v1/payment-claims", {**paying, "reference": f"claimed at {name}"})
    assert claimed.status == 201, claimed
    return Played(table, round_id, played, complete, dispute, paid["id"], claimed["id"])


def issue(api: Api, table: str, **fields: Any) -> ApiResponse:
    """Issue a link to a table."""
    issued = api.post("/v1/links", {"table": table, **fields})
    assert issued.status == 201, issued
    return issued


def issue_to_round(api: Api, round_id: str, **fields: Any) -> ApiResponse:
    """Issue a link to a round."""
    issued = api.post("/v1/links", {"round": round_id, **fields})
    assert issued.status == 201, issued
    return issued


def secret_of(issued: ApiResponse) -> str:
    """Return the secret of a new link: the fragment of its address, or the last part of the path."""
    return str(issued["url"]).rpartition("/")[2].removeprefix("#")


def link_to(house: House, api: Api, table: str, kind: str = "scorekeeper", **fields: Any) -> Api:
    """Return a client with a new link to a table."""
    return Api(house.app, secret_of(issue(api, table, kind=kind, **fields)))


def table_of(api: Api, name: str = "kitchen", **more: Any) -> str:
    """Create a table and return its ID."""
    return add_table(api, name=name, **more)


def draw_secret() -> str:
    """Draw the secret of a phone."""
    return f"ofc_link_{secrets.token_hex(22)[:43]}"


def code_of(api: Api) -> str:
    """Issue a link that signs a phone in, and return its code."""
    issued = api.request("POST", "/v1/phone-links")
    assert issued.status == 201, issued
    return str(issued["url"]).partition("#")[2]


def sign_in(house: House, code: str, secret: str, **fields: Any) -> ApiResponse:
    return Api(house.app, None).post("/v1/phones", {"code": code, "secret": secret, **fields})


def phone_of(house: House, api: Api, **fields: Any) -> Api:
    """Return a client that is a scorekeeper of the club."""
    secret = draw_secret()
    signed_in = sign_in(house, code_of(api), secret, **fields)
    assert signed_in.status == 201, signed_in
    return Api(house.app, secret)
