"""Scopes: every operation with every scope, with records of the own club, another club and none."""

from dataclasses import dataclass
from typing import Any

import pytest
from uuid_utils.compat import uuid7

from service.clubs.actions import create_club, create_key
from service.clubs.queries.keys import StoredKey
from service.clubs.scopes import EVERY_SCOPE, SCOPE_DESCRIPTIONS, KeyScope
from service.errors import ScopeMissing
from service.http.authentication import require_scope
from service.http.request_state import RequestState, begin_request
from service.http.resource import Resource
from tests.oracle import PRESETS
from tests.service.conformance.club import Club
from tests.service.conformance.test_conformance import OPERATIONS
from tests.service.http.test_other_clubs import SENT
from tests.support.api_client import Api, ApiResponse
from tests.support.api_disputes import AUDITOR
from tests.support.application import House
from tests.support.worker_process import lines_of, rounds_to_import

OPENED_BY: dict[str, set[str] | frozenset[str]] = {
    "score_hand": {"score"},
    "list_rulesets": {"read"},
    "get_ruleset": {"read"},
    "add_ruleset": {"tables"},
    "list_players": {"read"},
    "get_player": {"read"},
    "name_player": {"write"},
    "erase_player": {"admin"},
    "join_player": {"write"},
    "part_player": {"write"},
    "define_unit": {"tables"},
    "list_units": {"read"},
    "erase_texts": {"admin"},
    "add_table": {"tables"},
    "list_tables": {"read"},
    "get_table": {"read"},
    "update_table": {"tables"},
    "get_statement": {"read"},
    "list_ledger": {"read"},
    "get_club_statement": {"read"},
    "get_balances": {"read"},
    "record_payment": {"write"},
    "reverse_payment": {"write"},
    "claim_payment": {"write"},
    "list_payment_claims": {"read"},
    "confirm_payment_claim": {"write"},
    "decline_payment_claim": {"write"},
    "withdraw_payment_claim": {"write"},
    "record_charge": {"write"},
    "reverse_charge": {"write"},
    "get_club": {"read"},
    "list_statistics": {"read"},
    "get_player_statistics": {"read"},
    "get_plot": {"read"},
    "open_round": {"write"},
    "list_rounds": {"read"},
    "get_round": {"read"},
    "update_round": {"write"},
    "close_round": {"write"},
    "record_departure": {"write"},
    "undo_hand": {"write"},
    "confirm_settlement": {"write"},
    "get_settlement": {"read"},
    "get_document": {"read"},
    "get_evidence": {"audit"},
    "make_checkpoint": {"audit"},
    "add_cosignature": {"audit"},
    "list_checkpoints": {"audit"},
    "prove_consistency": {"audit"},
    "prove_inclusion": {"audit"},
    "list_events": {"read", "audit"},
    "record_hand": {"write"},
    "find_hands": {"read"},
    "list_hands": {"read"},
    "get_hand": {"read"},
    "update_hand": {"write"},
    "explain_hand": {"read"},
    "correct_round": {"correct"},
    "propose_correction": {"correct"},
    "propose_recomputation": {"recompute"},
    "list_proposals": {"read"},
    "get_proposal": {"read"},
    "confirm_proposal": {"correct-final"},
    "withdraw_proposal": {"correct-final"},
    "what_if": {"read"},
    "open_dispute": {"disputes"},
    "list_disputes": {"disputes", "read"},
    "get_dispute": {"disputes", "read"},
    "comment_on_dispute": {"disputes"},
    "review_dispute": {"disputes"},
    "resolve_dispute": {"disputes"},
    "withdraw_dispute": {"disputes"},
    "create_key": {"admin"},
    "list_keys": {"admin"},
    "revoke_key": {"admin"},
    "issue_console_link": set(KeyScope),
    "issue_phone_link": {"tables"},
    "issue_link": {"write"},
    "list_links": {"write", "admin"},
    "revoke_link": {"write", "admin"},
    "get_link": {"read"},
    "show_scorekeeper": {"write"},
    "hide_scorekeeper": {"write"},
    "list_scorekeepers": {"read"},
    "play_document": {"write"},
    "record_hands": {"write"},
    "start_import": {"imports"},
    "list_imports": {"imports", "read"},
    "get_import": {"imports", "read"},
    "cancel_import": {"imports"},
    "pause_import": {"imports"},
    "resume_import": {"imports"},
    "list_import_results": {"imports", "read"},
    "export_rounds": {"imports", "read"},
    **dict.fromkeys(
        (
            "add_webhook",
            "list_webhooks",
            "get_webhook",
            "update_webhook",
            "remove_webhook",
            "get_webhook_secret",
            "rotate_webhook_secret",
            "test_webhook",
            "list_webhook_deliveries",
            "redeliver_message",
        ),
        frozenset({"webhooks"}),
    ),
    "find_id": {"read", "write", "imports", "recompute", "disputes", "audit", "webhooks", "admin"},
    "start_recomputation": {"recompute"},
    "list_recomputations": {"recompute", "read"},
    "get_recomputation": {"recompute", "read"},
    "cancel_recomputation": {"recompute"},
    "pause_recomputation": {"recompute"},
    "resume_recomputation": {"recompute"},
    "list_differences": {"recompute", "read"},
}
"""The scopes of which an operation needs one; operations not listed here are public."""

WITH_LINKS = {"get_link", "issue_link"}
"""Operations that refuse some keys with a scope: a key is no link, and a link needs the scope `read` of its key too."""

BY_KIND = {"find_id"}
"""Operations that find with each scope what it lists; `tests/service/ids/test_ids.py` has their scopes."""

NEEDS_NO_KEY = {"list_rulesets", "get_ruleset"}
"""Public operations that return more with a key."""

NAMES_AN_ID = {"open_dispute", "record_payment", "record_charge", "claim_payment"}
"""Operations with an ID in the body, for which an ID of another club is a mistake like an unknown one."""

WITH_TWO_SCOPES = {"propose_recomputation", "issue_phone_link"}
"""Operations that need other scopes too, as `test_proposed_audits.py` and `links/test_phones.py` have them."""

QUERIES = {"prove_consistency": "?from=0&to=0", "prove_inclusion": "?position=0&size=1"}
"""Required query parameters."""

BODIES: dict[str, Any] = {**SENT, "name_player": {"display_name": "Ann"}}


@dataclass(frozen=True)
class Keys:
    """Return a club with a client for each scope."""

    every: Api
    by_scope: dict[str, Api]
    proposer: Api


@pytest.fixture
def own(house: House) -> Keys:
    return keys_of_new_club(house)


@pytest.fixture(scope="module")
def other(house: House) -> Keys:
    return keys_of_new_club(house)


def keys_of_new_club(house: House) -> Keys:
    club = create_club(house.owner, f"club {uuid7()}")
    clients = {
        scope: Api(house.app, create_key(house.owner, club, name=AUDITOR, scopes=[scope]).secret)
        for scope in SCOPE_DESCRIPTIONS
    }
    create_key(house.owner, club, name="spare")
    proposer = Api(house.app, create_key(house.owner, club, name="proposer").secret)
    every = clients.pop(EVERY_SCOPE)
    assert every.post("/v1/checkpoints", None).status == 201
    return Keys(every, clients, proposer)


def send(api: Api, operation_id: str, club: Club) -> ApiResponse:
    """Send a valid request to an operation, with existing IDs and a valid body."""
    method, path = where(api, operation_id)
    address = path.format_map({name: give() for name, give in club.parameters.items() if f"{{{name}}}" in path})
    address += QUERIES.get(operation_id, "")
    if operation_id == "start_import":
        headers = {"Content-Type": "application/x-ndjson"}
        return api.request(method, address, data=lines_of(rounds_to_import(1)), headers=headers)
    if operation_id == "record_hands":
        headers = {"Content-Type": "application/x-ndjson"}
        return api.request(method, address, data=b'{"round": "unknown"}', headers=headers)
    body = club.bodies[operation_id]() if operation_id in club.bodies else BODIES.get(operation_id)
    return api.request(method, address, **({} if body is None else {"json": body}))


def where(api: Api, operation_id: str) -> tuple[str, str]:
    [place] = [
        (method.upper(), path)
        for path, item in api.contract["paths"].items()
        for method, operation in item.items()
        if method != "parameters" and operation["operationId"] == operation_id
    ]
    return place


def done(operation_id: str) -> set[int]:
    """Return the success statuses of an operation."""
    return {int(status) for status in OPERATIONS[operation_id]["responses"] if status.startswith("2")}


@pytest.mark.parametrize(
    "operation_id", [name for name in OPENED_BY if name not in WITH_LINKS | BY_KIND | WITH_TWO_SCOPES]
)
@pytest.mark.no_cover
def test_operations_need_their_scopes(house: House, own: Keys, other: Keys, operation_id: str) -> None:
    club = Club(own.every, operation_id, own.proposer)
    own.every.put("/v1/players/ann", {"display_name": "Ann"})
    is_the_club_s = "_id}" in where(own.every, operation_id)[1] or operation_id in (
        "get_player",
        "get_player_statistics",
        "join_player",
        "part_player",
        "add_cosignature",
    )
    for scope in own.by_scope:
        is_open = scope in OPENED_BY[operation_id] or operation_id in NEEDS_NO_KEY
        expected = done(operation_id) if is_open else {403}
        elsewhere = {404} if is_the_club_s else {422} if operation_id in NAMES_AN_ID else expected
        elsewhere = elsewhere if expected != {403} else expected
        theirs = send(other.by_scope[scope], operation_id, club)
        assert theirs.status in elsewhere, (scope, theirs)
        response = send(own.by_scope[scope], operation_id, club)
        assert response.status in expected, (scope, response)
        if expected == {403}:
            assert response["code"] == "scope-missing"
            assert f"has '{scope}'; expected a key with" in response["detail"]
            assert all(f"'{needed}'" in response["detail"] for needed in OPENED_BY[operation_id])
    if operation_id not in NEEDS_NO_KEY:
        assert send(Api(house.app, None), operation_id, club).status == 401
    assert send(Api(house.app, "ofc_of_nobody"), operation_id, club).status == 401
    own.every.put("/v1/players/ann", {"display_name": "Ann"})
    assert send(own.every, operation_id, club).status in done(operation_id)


@pytest.mark.parametrize("operation_id", sorted(WITH_LINKS))
def test_operations_of_links_to_tables_need_their_scopes(own: Keys, other: Keys, operation_id: str) -> None:
    club = Club(own.every, operation_id)
    for scope in own.by_scope:
        response = send(own.by_scope[scope], operation_id, club)
        is_open = scope in OPENED_BY[operation_id]
        assert response.status == (403 if not is_open or operation_id == "issue_link" else 404), scope
        if not is_open:
            assert f"has '{scope}'; expected a key with" in response["detail"]
    if operation_id == "issue_link":
        assert send(other.every, operation_id, club).status == 404
        assert send(own.every, operation_id, club).status == 201


def test_a_key_without_the_scope_sees_the_presets(house: House, own: Keys) -> None:
    assert own.every.post("/v1/rulesets", {**PRESETS["pineapple"], "name": "saturday"}).status == 201
    presets = Api(house.app, None).get("/v1/rulesets").document
    for scope, client in own.by_scope.items():
        seen = client.get("/v1/rulesets").document
        assert (seen == presets) == (scope != "read"), scope
        assert client.get("/v1/rulesets/pineapple").status == 200
        custom = client.get("/v1/rulesets/saturday")
        assert custom.status == (200 if scope == "read" else 404), scope


def test_the_openapi_document_has_the_scopes_of_every_operation() -> None:
    for name, operation in OPERATIONS.items():
        ways = operation["security"]
        assert {scope for way in ways for scope in way.get("key", ())} == OPENED_BY.get(name, set()), name
        assert ({} in ways) == (name in NEEDS_NO_KEY), name
        assert all(len(way["key"]) == 1 for way in ways if way), f"{name}: each scope is enough"


def test_every_scope_is_used() -> None:
    opening = set[str]().union(*OPENED_BY.values())
    assert opening == set(KeyScope)
    assert set(SCOPE_DESCRIPTIONS) == {EVERY_SCOPE, *KeyScope}


@pytest.mark.parametrize(("held", "passes"), [("correct", False), ("correct-final", True), ("*", True)])
def test_some_requests_need_an_additional_scope(house: House, held: str, passes: bool) -> None:
    with house.app.test_request_context():
        begin_request(RequestState(None, "test", key=StoredKey(uuid7(), uuid7(), "auditor", (held,))))
        if passes:
            require_scope(KeyScope.CORRECT_FINAL)
            return
        with pytest.raises(ScopeMissing, match=r"^the key 'auditor' has 'correct'; expected .* 'correct-final'$"):
            require_scope(KeyScope.CORRECT_FINAL)


def test_an_operation_without_a_scope_is_an_error() -> None:
    with pytest.raises(TypeError, match="without a scope"):
        Resource("attic", __name__).operation("open_attic")
