"""Keys that are created over HTTP, with a key of the scope `admin`."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import psycopg
import pytest
from uuid_utils.compat import uuid7

from evidence.texts import digest_text
from schemas.fields import show_time
from service.audit_trail.actions import make_checkpoint
from service.clubs.actions import create_club, create_key, rotate_key
from service.clubs.queries.keys import IssuedKey
from service.clubs.scopes import PRESET_DESCRIPTIONS, PRESET_SCOPES, KeyPreset
from service.verification.verify_database import verify_database
from tests.service.links.linked_table import link_to, table_of
from tests.support.api_client import Api, ApiResponse
from tests.support.application import SIGNING_KEY, House
from tests.support.import_lines import club_of, database_of
from tests.support.log_capture import Log
from tests.support.server_process import wait_until

TABLET = {"name": "tablet", "preset": "scorekeeper"}


@dataclass(frozen=True)
class Office:
    """A client with a key of a new club, and the key."""

    api: Api
    key: IssuedKey


def office_with(house: House, *scopes: str, lifetime: timedelta | None = None) -> Office:
    club = create_club(house.owner, f"club {uuid7()}")
    new_key = create_key(house.owner, club, name="office", scopes=scopes or ("*",), lifetime=lifetime)
    return Office(Api(house.app, new_key.secret), new_key.key)


def created(api: Api, **body: Any) -> ApiResponse:
    response = api.post("/v1/keys", {"name": "tablet", **body})
    assert response.status == 201, response
    return response


def from_now(**time: float) -> str:
    return str(show_time(datetime.now(UTC) + timedelta(**time)))


# --- what is created ---


@pytest.mark.smoke
def test_a_created_key_is_returned_with_its_secret_once(house: House) -> None:
    office = office_with(house)
    new_key = created(office.api, preset="scorekeeper")
    assert new_key.headers["Cache-Control"] == "no-store"
    assert re.fullmatch(r"ofc_[0-9a-z]{8}_[0-9A-Za-z]{43}", new_key["secret"])
    assert new_key["secret"].startswith(new_key["prefix"] + "_")
    listed = office.api.get("/v1/keys")
    assert listed["keys"][0] == {name: value for name, value in new_key.document.items() if name != "secret"}
    assert new_key["secret"].rpartition("_")[2] not in listed.text
    tablet = Api(house.app, new_key["secret"])
    assert tablet.get("/v1/tables").status == 200
    assert tablet.post("/v1/tables", {"name": "kitchen", "ruleset": "pineapple"}).status == 403
    assert club_of(house, tablet) == club_of(house, office.api)


@pytest.mark.parametrize("preset", KeyPreset)
def test_a_preset_names_the_scopes(house: House, preset: KeyPreset) -> None:
    assert created(office_with(house).api, preset=preset)["scopes"] == [scope.value for scope in PRESET_SCOPES[preset]]


def test_presets_are_described_and_have_no_scopes_of_later_releases() -> None:
    assert set(PRESET_SCOPES) == set(PRESET_DESCRIPTIONS) == set(KeyPreset)
    assert not any("*" in scopes for scopes in PRESET_SCOPES.values())


def test_single_scopes_are_given_once_each_in_their_order(house: House) -> None:
    new_key = created(office_with(house).api, scopes=["webhooks", "read", "webhooks"])
    assert (new_key["scopes"], new_key["expires_at"]) == (["webhooks", "read"], None)
    assert created(office_with(house).api, scopes=["*"])["scopes"] == ["*"]


def test_only_the_hash_of_the_secret_is_stored(house: House) -> None:
    office = office_with(house)
    retried = {"Idempotency-Key": f"{uuid7()}"}
    first, second = (office.api.request("POST", "/v1/keys", json=TABLET, headers=retried) for _ in range(2))
    assert (first.status, second.status) == (201, 201)
    assert first["id"] != second["id"], "an idempotency key would need the stored secret"
    club = club_of(house, office.api)
    assert house.query("SELECT count(*) FROM idempotent_responses WHERE club_id = %s", club) == [(0,)]
    random_part = first["secret"].rpartition("_")[2]
    for (table,) in house.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
        for words in (random_part, random_part.encode().hex()):
            query = f"SELECT count(*) FROM {table} AS stored WHERE position(%s IN stored::text) > 0"
            assert house.query(query, words) == [(0,)], table
    [(stored,)] = house.query("SELECT secret_sha256 FROM api_keys WHERE id = %s", first["id"])
    assert stored == sha256(first["secret"].encode()).digest()


def test_the_secret_is_in_no_log(house: House, log: Log) -> None:
    secret = created(office_with(house).api, preset="room")["secret"]
    assert "create_key" in "".join(map(str, log.lines))
    assert secret.rpartition("_")[2] not in "".join(map(str, log.lines))


def test_the_event_has_the_key_that_created_it_as_its_actor(house: House) -> None:
    office = office_with(house)
    new_key = created(office.api, preset="auditor", expires_at=from_now(days=90))
    [(actor, request_id, content)] = house.query(
        "SELECT actor, request_id, convert_from(content, 'UTF8')::jsonb FROM events"
        " WHERE club_id = %s AND kind = 'key.created' AND actor IS NOT NULL",
        club_of(house, office.api),
    )
    assert (actor, request_id) == (office.key.id, new_key.headers["Request-Id"])
    shown = {name: new_key[name] for name in ("prefix", "scopes", "expires_at")}
    [(salt,)] = house.query("SELECT name_salt FROM api_keys WHERE id = %s", new_key["id"])
    shown["name"] = digest_text(new_key["name"], salt).hex()
    secret = sha256(sha256(new_key["secret"].encode()).digest()).hexdigest()
    assert content == {**shown, "key": new_key["id"], "replaces": None, "secret": secret}


def test_created_keys_follow_from_the_events(house: House) -> None:
    office = office_with(house)
    lost = created(office.api, preset="room", expires_at=from_now(days=90))
    created(office.api, scopes=["read"])
    assert office.api.delete(f"/v1/keys/{lost['id']}").status == 204
    with database_of(house).transaction(office.key.club_id) as transaction:
        make_checkpoint(transaction, SIGNING_KEY)
    findings = [finding for page in verify_database(house.owner, [office.key.club_id]) for finding in page.findings]
    assert findings == []


def test_a_created_key_remains_when_the_one_that_created_it_is_revoked(house: House) -> None:
    office = office_with(house)
    manager = Api(house.app, created(office.api, preset="manager")["secret"])
    assert manager.delete(f"/v1/keys/{office.key.id}").status == 204
    assert office.api.get("/v1/keys").status == 401
    assert [key["name"] for key in manager.get("/v1/keys")["keys"]] == ["tablet", "office"]


# --- what is refused ---


@pytest.mark.parametrize(
    ("body", "mistakes"),
    [
        ({}, {"#/preset": "field-missing"}),
        ({"preset": None, "scopes": None}, {"#/preset": "field-missing"}),
        ({"preset": "owner"}, {"#/preset": "not-a-choice"}),
        ({"scopes": ["read", "owner"]}, {"#/scopes/1": "not-a-choice"}),
        ({"scopes": []}, {"#/scopes": "list-length"}),
        ({"scopes": "read"}, {"#/scopes": "not-a-list"}),
        ({"preset": "room", "scopes": ["read"]}, {"#/scopes": "scopes-ambiguous"}),
        ({"preset": "room", "name": ""}, {"#/name": "text-length"}),
        ({"preset": "room", "name": "x\u202e"}, {"#/name": "text-characters"}),
        ({"preset": "room", "expires_at": "soon"}, {"#/expires_at": "not-a-time"}),
        ({"preset": "room", "expires_at": "2020-01-01T00:00:00Z"}, {"#/expires_at": "end-passed"}),
        ({"preset": "room", "secret": "mine"}, {"#/secret": "field-unknown"}),
    ],
)
def test_an_invalid_request_creates_no_key(house: House, body: dict[str, Any], mistakes: dict[str, str]) -> None:
    office = office_with(house)
    before = house.count_records()
    refused = office.api.post("/v1/keys", {"name": "tablet", **body})
    assert (refused.status, refused["code"], refused.mistakes) == (422, "request-invalid", mistakes)
    assert house.count_records() == before


def test_a_request_without_scopes_names_the_presets(house: House) -> None:
    refused = office_with(house).api.post("/v1/keys", {"name": "tablet"})
    assert refused["detail"] == (
        "`preset` is required without `scopes`; expected one of room, scorekeeper, auditor, manager"
    )


def test_a_creation_cannot_be_tried(house: House) -> None:
    refused = office_with(house).api.post("/v1/keys?dry_run=true", TABLET)
    assert (refused.status, refused.mistakes) == (422, {"#/query/dry_run": "field-unknown"})


@pytest.mark.parametrize(
    ("asked", "pointers", "named"),
    [
        ({"scopes": ["read", "write", "*"]}, ["#/scopes/1", "#/scopes/2"], "`scopes[1]` is 'write', which the key"),
        ({"preset": "scorekeeper"}, ["#/preset"], "`preset` is 'scorekeeper', with 'score', 'write', which the key"),
    ],
)
def test_a_key_gives_no_scope_that_it_lacks(
    house: House, asked: dict[str, Any], pointers: list[str], named: str
) -> None:
    office = office_with(house, "admin", "read")
    refused = office.api.post("/v1/keys", {"name": "tablet", **asked})
    assert (refused.status, refused["code"]) == (403, "scope-missing")
    assert refused.mistakes == dict.fromkeys(pointers, "scope-not-held")
    first = refused["errors"][0]["detail"]
    assert first == f"{named} 'office' lacks; expected scopes that it has: admin, read"
    assert len(office.api.get("/v1/keys")["keys"]) == 1
    assert created(office.api, scopes=["read"])["scopes"] == ["read"]


def expiring(house: House) -> Office:
    return office_with(house, lifetime=timedelta(hours=1))


def being_replaced(house: House) -> Office:
    office = office_with(house)
    rotate_key(house.owner, str(office.key.id), timedelta(hours=1))
    return office


@pytest.mark.parametrize("ending", [expiring, being_replaced])
def test_a_key_that_ends_creates_keys_that_end_no_later(house: House, ending: Callable[[House], Office]) -> None:
    office = ending(house)
    [own] = [key for key in office.api.get("/v1/keys")["keys"] if key["id"] == str(office.key.id)]
    latest = own["revoked_at"] or own["expires_at"]
    for expires_at, code in ((None, "field-missing"), (from_now(hours=2), "end-too-late")):
        refused = office.api.post("/v1/keys", {**TABLET, "expires_at": expires_at})
        assert (refused.status, refused.mistakes) == (422, {"#/expires_at": code})
        assert f"'office'{' ends' if expires_at is None else ''}; expected {latest} or earlier" in refused["detail"]
    assert created(office.api, preset="scorekeeper", expires_at=latest)["expires_at"] == latest


def test_a_created_key_gives_no_more_than_it_has(house: House) -> None:
    office = office_with(house)
    lent = created(office.api, scopes=["admin", "read"], expires_at=from_now(hours=1))
    deputy = Api(house.app, lent["secret"])
    assert deputy.post("/v1/keys", {**TABLET, "expires_at": lent["expires_at"]}).status == 403
    assert deputy.post("/v1/keys", {"name": "board", "scopes": ["read"]}).status == 422
    assert created(deputy, scopes=["read"], expires_at=lent["expires_at"])["scopes"] == ["read"]


def test_links_create_no_keys(house: House) -> None:
    office = office_with(house)
    link = link_to(house, office.api, table_of(office.api))
    refused = link.post("/v1/keys", TABLET)
    assert (refused.status, refused["code"]) == (403, "scope-missing")


# --- at the same time ---


@pytest.mark.parametrize(
    ("revoked_at", "status", "code"),
    [("now()", 401, "key-unknown"), ("now() + interval '1 hour'", 409, "busy")],
    ids=["revoked", "being replaced"],
)
def test_a_key_that_is_changed_while_it_creates_another_one_creates_none(
    house: House, revoked_at: str, status: int, code: str
) -> None:
    office = office_with(house)
    assert office.api.get("/v1/keys").status == 200
    waiting = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        " AND query LIKE '%%create_key%%'"
    )
    with psycopg.connect(house.owner_url) as owner, ThreadPoolExecutor(1) as threads:
        change = f"UPDATE api_keys SET revoked_at = {revoked_at} WHERE id = %s"
        owner.execute(change.encode(), [office.key.id])
        response = threads.submit(office.api.post, "/v1/keys", TABLET)
        assert wait_until(lambda: house.query(waiting) == [(1,)])
        owner.commit()
        refused = response.result()
    assert (refused.status, refused["code"]) == (status, code)
    assert "'office'" in refused["detail"]
    assert house.query("SELECT count(*) FROM api_keys WHERE club_id = %s", office.key.club_id) == [(1,)]
