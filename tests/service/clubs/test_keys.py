"""API keys of the operator: storage, expiry, revocation, and who can create them without a key."""

import re
import time
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import LiteralString

import psycopg
import pytest
from uuid_utils.compat import uuid7

from evidence.texts import digest_text
from schemas.fields import show_time
from service.clubs.actions import (
    create_club,
    create_key,
    list_clubs,
    list_keys,
    revoke_key,
    revoke_keys,
    rotate_key,
)
from service.clubs.new_keys import NewKey
from service.clubs.queries.clubs import StoredClub
from service.clubs.scopes import KeyScope
from service.database_errors import DatabaseDenied
from service.db import Database
from service.errors import ClubTaken, NotFound, OperatorError
from tests.service.links.linked_table import link_to, table_of
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.owned_database import SERVERS, Filled, filled_database
from tests.support.race import at_once


@pytest.fixture
def owner(house: House) -> Iterator[Database]:
    database = Database(house.owner_url, role=None)
    yield database
    database.close()


@pytest.fixture
def club(owner: Database) -> StoredClub:
    return create_club(owner, f"club {uuid7()}")


def status(house: House, secret: str) -> int:
    return Api(house.app, secret).get("/v1/tables").status


def events_of(house: House, club: StoredClub) -> list[tuple[str, str]]:
    return [
        (kind, content)
        for kind, content in house.query(
            "SELECT kind, convert_from(content, 'UTF8') FROM events WHERE club_id = %s ORDER BY id", club.id
        )
    ]


# --- what is stored ---


@pytest.mark.smoke
def test_a_key_authenticates_its_club_and_records_its_last_use(house: House, owner: Database, club: StoredClub) -> None:
    new_key = create_key(owner, club, name="tablet")
    assert re.fullmatch(r"ofc_[0-9a-z]{8}_[0-9A-Za-z]{43}", new_key.secret)
    assert new_key.secret.startswith(new_key.key.prefix + "_")
    assert list_keys(owner, club) == [new_key.key]
    assert new_key.key.last_used_at is None
    assert status(house, new_key.secret) == 200
    [listed] = list_keys(owner, club)
    assert listed.last_used_at is not None
    assert listed.last_used_at >= new_key.key.created_at


def test_only_the_hash_of_a_secret_is_stored(house: House, owner: Database, club: StoredClub) -> None:
    new_key = create_key(owner, club, name="tablet")
    random_part = new_key.secret.rpartition("_")[2]
    assert status(house, new_key.secret) == 200
    tables = [name for (name,) in house.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    for table in tables:
        for words in (random_part, random_part.encode().hex()):
            query = f"SELECT count(*) FROM {table} AS stored WHERE position(%s IN stored::text) > 0"
            assert house.query(query, words) == [(0,)], table
    assert house.query("SELECT secret_sha256 FROM api_keys WHERE id = %s", new_key.key.id) == [
        (sha256(new_key.secret.encode()).digest(),)
    ]
    assert random_part not in repr(new_key)


@pytest.mark.parametrize("sent", ["", "ofc_", "{prefix}", "{prefix}_", "{secret}x", "x{secret}", "{upper}"])
def test_incomplete_or_changed_keys_are_unauthorized(
    house: House, owner: Database, club: StoredClub, sent: str
) -> None:
    new_key = create_key(owner, club, name="tablet")
    header = sent.format(prefix=new_key.key.prefix, secret=new_key.secret, upper=new_key.secret.upper())
    assert status(house, header) == 401
    assert status(house, new_key.secret) == 200


# --- how they end ---


def test_a_revoked_key_is_unauthorized_immediately(house: House, owner: Database, club: StoredClub) -> None:
    new_key, other = (create_key(owner, club, name=name) for name in ("lost", "kept"))
    assert status(house, new_key.secret) == 200
    revoked = revoke_key(owner, new_key.key.prefix)
    response = Api(house.app, new_key.secret).get("/v1/tables")
    assert (response.status, response["code"]) == (401, "key-unknown")
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert status(house, other.secret) == 200
    assert revoke_key(owner, str(new_key.key.id)).revoked_at == revoked.revoked_at
    assert [kind for kind, _ in events_of(house, club)].count("key.revoked") == 1


def test_a_leaked_key_is_found_by_the_complete_key(house: House, owner: Database, club: StoredClub) -> None:
    new_key = create_key(owner, club, name="leaked")
    assert revoke_key(owner, new_key.secret).id == new_key.key.id
    assert status(house, new_key.secret) == 401


def test_a_rotated_key_is_revoked_immediately_by_default(house: House, owner: Database, club: StoredClub) -> None:
    new_key = create_key(owner, club, name="tablet", scopes=[KeyScope.READ])
    rotated = rotate_key(owner, new_key.key.prefix)
    assert status(house, new_key.secret) == 401
    assert status(house, rotated.new.secret) == 200
    assert (rotated.new.key.name, rotated.new.key.scopes, rotated.new.key.club_id) == (
        "tablet",
        (KeyScope.READ,),
        club.id,
    )


def test_a_rotated_key_is_valid_until_the_overlap_ends(house: House, owner: Database, club: StoredClub) -> None:
    new_key = create_key(owner, club, name="tablet")
    rotated = rotate_key(owner, new_key.key.prefix, timedelta(seconds=10))
    assert rotated.old.revoked_at is not None
    assert status(house, new_key.secret) == status(house, rotated.new.secret) == 200
    time.sleep(10.1)
    assert (status(house, new_key.secret), status(house, rotated.new.secret)) == (401, 200)


def test_a_key_expires_and_its_replacement_has_the_same_lifetime(
    house: House, owner: Database, club: StoredClub
) -> None:
    new_key = create_key(owner, club, name="guest", lifetime=timedelta(seconds=10))
    assert new_key.key.expires_at == new_key.key.created_at + timedelta(seconds=10)
    assert status(house, new_key.secret) == 200
    time.sleep(10.1)
    response = Api(house.app, new_key.secret).get("/v1/tables")
    assert (response.status, response["code"]) == (401, "key-unknown")
    assert "expired" in response["detail"]
    assert list_keys(owner, club)[0].ends_at == new_key.key.expires_at
    new = rotate_key(owner, new_key.key.prefix).new
    assert status(house, new.secret) == 200
    assert new.key.expires_at == new.key.created_at + timedelta(seconds=10)


def test_a_key_in_its_overlap_can_be_revoked_but_not_rotated(house: House, owner: Database, club: StoredClub) -> None:
    new_key = create_key(owner, club, name="tablet")
    rotate_key(owner, new_key.key.prefix, timedelta(hours=1))
    with pytest.raises(OperatorError, match=f"^The key {new_key.key.prefix} was revoked or replaced before"):
        rotate_key(owner, new_key.key.prefix)
    assert len(list_keys(owner, club)) == 2
    revoke_key(owner, new_key.key.prefix)
    assert status(house, new_key.secret) == 401


def test_concurrent_rotations_create_one_key(house: House, owner: Database, club: StoredClub) -> None:
    new_key = create_key(owner, club, name="tablet")

    def rotate() -> bool:
        try:
            rotate_key(owner, new_key.key.prefix, timedelta(hours=1))
        except OperatorError:
            return False
        return True

    assert sorted(at_once(*[rotate] * 4)) == [False, False, False, True]
    assert len(list_keys(owner, club)) == 2


# --- clubs, and the audit trail ---


def test_clubs_are_listed_and_their_names_are_unique(owner: Database, club: StoredClub) -> None:
    assert club in list_clubs(owner)
    with pytest.raises(ClubTaken, match=f"^A club named '{club.name}' already exists"):
        create_club(owner, club.name)
    assert list_keys(owner, club) == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE clubs SET id = gen_random_uuid() WHERE id = %s",
        "DELETE FROM clubs WHERE id = %s",
        "TRUNCATE clubs CASCADE",
    ],
)
def test_clubs_are_permanent(house: House, club: StoredClub, change: LiteralString) -> None:
    with psycopg.connect(house.logins.owner) as connection:
        connection.execute("SELECT set_config('ofc.club', %s, true)", [str(club.id)])
        with pytest.raises(psycopg.errors.RestrictViolation, match="is refused"):
            connection.execute(change, [club.id] if "%s" in change else [])


def test_keys_and_links_of_a_closed_club_are_revoked(house: House, owner: Database, club: StoredClub) -> None:
    secrets = [create_key(owner, club, name=name).secret for name in ("tablet", "phone")]
    secrets.append(rotate_key(owner, secrets[1], timedelta(minutes=5)).new.secret)
    api = Api(house.app, secrets[0])
    link = link_to(house, api, table_of(api))
    assert [status(house, secret) for secret in secrets] == [200, 200, 200]
    assert link.get("/v1/link").status == 200
    assert revoke_keys(owner, club) == 3
    assert [status(house, secret) for secret in secrets] == [401, 401, 401]
    assert link.get("/v1/link").status == 401
    assert revoke_keys(owner, club) == 0


def test_every_change_of_keys_is_in_the_audit_trail(house: House, owner: Database, club: StoredClub) -> None:
    new_key = create_key(owner, club, name="tablet")
    rotated = rotate_key(owner, new_key.key.prefix, timedelta(minutes=5))
    old = new_key.key
    assert events_of(house, club) == [
        ("club.created", f'{{"club":"{club.id}","name":"{club.name}"}}'),
        ("key.created", created(house, new_key, "null")),
        ("key.created", created(house, rotated.new, f'"{old.id}"')),
        (
            "key.revoked",
            f'{{"key":"{old.id}","overlap_seconds":300,"prefix":"{old.prefix}",'
            f'"revoked_at":"{show_time(rotated.old.revoked_at)}"}}',
        ),
    ]


def created(house: House, new_key: NewKey, replaces: str) -> str:
    """Return the content of the event of a new key, with the digest of its name and that of the hash of its secret."""
    [(salt,)] = house.query("SELECT name_salt FROM api_keys WHERE id = %s", new_key.key.id)
    named = f'"key":"{new_key.key.id}","name":"{digest_text("tablet", salt).hex()}","prefix":"{new_key.key.prefix}"'
    secret = sha256(sha256(new_key.secret.encode()).digest()).hexdigest()
    return f'{{"expires_at":null,{named},"replaces":{replaces},"scopes":["*"],"secret":"{secret}"}}'


def test_the_error_for_an_unknown_key_hides_its_secret(owner: Database) -> None:
    with pytest.raises(NotFound) as refusal:
        revoke_key(owner, "ofc_abcdefgh_" + "s" * 43)
    assert str(refusal.value).startswith("There is no key 'ofc_abcdefgh…';")


# --- what they open ---


def test_a_read_only_key_cannot_change_anything(house: House, owner: Database, club: StoredClub) -> None:
    reader = Api(house.app, create_key(owner, club, name="scoreboard", scopes=[KeyScope.READ]).secret)
    assert reader.get("/v1/tables").status == reader.get("/v1/rulesets").status == 200
    before = house.count_records()
    for method, path in (
        ("POST", "/v1/tables"),
        ("POST", "/v1/rulesets"),
        ("POST", "/v1/documents"),
        ("POST", f"/v1/rounds/{uuid7()}/hands"),
        ("PUT", "/v1/players/ann"),
        ("DELETE", "/v1/players/ann"),
        ("POST", "/v1/score"),
    ):
        response = reader.request(method, path, json={})
        assert (response.status, response["code"]) == (403, "scope-missing"), path
        assert response["detail"].startswith("the key 'scoreboard' has 'read'; expected a key with ")
    assert house.count_records() == before


# --- over HTTP, by whoever looks after them ---


def test_an_admin_key_lists_keys_without_secrets(house: House) -> None:
    club, other = (create_club(house.owner, f"club {uuid7()}") for _ in range(2))
    admin = create_key(house.owner, club, name="office", scopes=[KeyScope.ADMIN])
    lent = create_key(
        house.owner, club, name="lent", scopes=[KeyScope.READ, KeyScope.WRITE], lifetime=timedelta(days=90)
    )
    create_key(house.owner, other, name="theirs")
    response = Api(house.app, admin.secret).get("/v1/keys")
    assert [(key["name"], key["scopes"]) for key in response["keys"]] == [
        ("lent", ["read", "write"]),
        ("office", ["admin"]),
    ]
    assert [key["prefix"] for key in response["keys"]] == [lent.secret[:12], admin.secret[:12]]
    assert response["keys"][0]["expires_at"] == show_time(lent.key.expires_at)
    assert admin.secret.rpartition("_")[2] not in response.text
    hashes = (sha256(key.secret.encode()).hexdigest() for key in (admin, lent))
    assert not any(each in response.text for each in hashes)


def test_an_admin_key_revokes_keys_of_its_club_and_itself(house: House) -> None:
    club, other = (create_club(house.owner, f"club {uuid7()}") for _ in range(2))
    admin = create_key(house.owner, club, name="office", scopes=[KeyScope.ADMIN])
    lent, theirs = create_key(house.owner, club, name="lent"), create_key(house.owner, other, name="theirs")
    office = Api(house.app, admin.secret)
    for _ in range(2):
        assert office.delete(f"/v1/keys/{lent.key.id}").status == 204
    assert Api(house.app, lent.secret).get("/v1/tables").status == 401
    assert office.delete(f"/v1/keys/{theirs.key.id}").status == 404
    assert Api(house.app, theirs.secret).get("/v1/tables").status == 200
    recorded_events = house.query(
        "SELECT actor, convert_from(content, 'UTF8')::jsonb ->> 'key' FROM events"
        " WHERE club_id = %s AND kind = 'key.revoked'",
        club.id,
    )
    assert recorded_events == [(admin.key.id, str(lent.key.id))]
    [(revoked_at,)] = house.query("SELECT revoked_at FROM api_keys WHERE id = %s", lent.key.id)
    assert office.get("/v1/keys")["keys"][0]["revoked_at"] == show_time(revoked_at)
    assert office.delete(f"/v1/keys/{admin.key.id}").status == 204
    assert office.get("/v1/keys").status == 401


def test_a_key_in_its_overlap_can_be_revoked_earlier(house: House) -> None:
    club = create_club(house.owner, f"club {uuid7()}")
    admin, old = (create_key(house.owner, club, name=name) for name in ("office", "old"))
    rotate_key(house.owner, old.key.prefix, timedelta(minutes=5))
    assert Api(house.app, old.secret).get("/v1/tables").status == 200
    assert Api(house.app, admin.secret).delete(f"/v1/keys/{old.key.id}").status == 204
    assert Api(house.app, old.secret).get("/v1/tables").status == 401


# --- who can make them ---


@pytest.fixture(scope="module", params=SERVERS)
def filled(request: pytest.FixtureRequest) -> Iterator[Filled]:
    with filled_database(request.getfixturevalue(f"{request.param}_postgres")) as database:
        yield database


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO clubs VALUES (gen_random_uuid(), 'mine', now())",
        "INSERT INTO api_keys SELECT club_id, gen_random_uuid(), 'a', '', 'b', sha256(''), '{*}', now() FROM api_keys",
        "UPDATE api_keys SET revoked_at = NULL",
        "UPDATE api_keys SET secret_sha256 = sha256('mine')",
        "UPDATE api_keys SET scopes = '{*}'",
        "UPDATE api_keys SET prefix = 'ofc_abcdefgh'",
        "DELETE FROM api_keys",
    ],
)
def test_the_login_of_the_service_cannot_create_clubs_and_keys(filled: Filled, statement: LiteralString) -> None:
    with psycopg.connect(filled.logins.service) as service:
        service.execute("SELECT set_config('ofc.club', %s, true)", [str(filled.home)])
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            service.execute(statement)


def test_the_service_revokes_keys_of_one_club_only(filled: Filled) -> None:
    ended = "SELECT revoke_key(id) IS NOT NULL FROM api_keys WHERE club_id = %s"
    theirs = "SELECT revoke_key(%s), revoke_key(%s)"
    with psycopg.connect(filled.admin) as admin, psycopg.connect(filled.logins.service) as service:
        [(away,)] = admin.execute("SELECT id FROM api_keys WHERE club_id = %s", [filled.away]).fetchall()
        assert service.execute(theirs, [away, uuid7()]).fetchall() == [(None, None)]
        service.execute("SELECT set_config('ofc.club', %s, true)", [str(filled.home)])
        assert service.execute(theirs, [away, uuid7()]).fetchall() == [(None, None)]
        for is_ended in (True, False):
            assert service.execute(ended, [filled.home]).fetchall() == [(is_ended,)]
        service.rollback()


def test_commands_with_the_login_of_the_service_get_an_error(filled: Filled) -> None:
    service = Database(filled.logins.service, role=None)
    with pytest.raises(DatabaseDenied, match=r"cannot create or list clubs and keys .* set OFC_OWNER_URL to the login"):
        service.check_owner()
    service.close()


def test_an_owner_without_superuser_creates_and_revokes_keys(filled: Filled) -> None:
    owner = Database(filled.logins.owner, role=None)
    owner.check_owner()
    club = create_club(owner, "riverside")
    new_key = create_key(owner, club, name="tablet")
    assert {key.club for key in list_keys(owner)} == {"home", "away", "riverside"}
    rotated = rotate_key(owner, str(new_key.key.id))
    assert revoke_key(owner, rotated.new.key.prefix).revoked_at is not None
    with pytest.raises(OperatorError, match=r"^2 keys have the prefix 'ofc_'; expected an ID"):
        revoke_key(owner, "ofc_")
    owner.close()
