"""The functions with which the login of the service creates and revokes keys: what they refuse, in SQL."""

import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg
import pytest
from uuid_utils.compat import uuid7

from service.db import SERVICE_ROLE
from tests.support.database.owned_database import SERVERS, Filled, filled_database
from tests.support.server_process import wait_until

INVALID = "api_keys_creator_valid"
"""The name with which the function refuses a creating key that is not valid, or not one of the club."""
TOO_MUCH = "api_keys_creator_check"
"""The name with which it refuses a new key that the creating one cannot give."""
HOUR, DAY = "1 hour", "1 day"
PASSED = "-1 second"


@pytest.fixture(scope="module", params=SERVERS)
def filled(request: pytest.FixtureRequest) -> Iterator[Filled]:
    with filled_database(request.getfixturevalue(f"{request.param}_postgres")) as database:
        yield database


@pytest.fixture
def service(filled: Filled) -> Iterator[psycopg.Connection]:
    """A connection with the login of the service, in a transaction of the club `home`."""
    with psycopg.connect(filled.logins.service) as connection:
        set_club(connection, filled.home)
        yield connection
        connection.rollback()


def set_club(connection: psycopg.Connection, club: UUID | None) -> None:
    connection.execute("SELECT set_config('ofc.club', %s, true)", [str(club or "")])


def add_creator(
    filled: Filled, *scopes: str, club: UUID | None = None, expires: str | None = None, revoked: str | None = None
) -> UUID:
    """Insert a key that expires and is revoked after these times, as an administrator."""
    key_id = uuid7()
    with psycopg.connect(filled.admin) as admin:
        admin.execute(
            "INSERT INTO api_keys"
            " (club_id, id, name, name_salt, prefix, secret_sha256, scopes, created_at, expires_at, revoked_at)"
            " VALUES (%s, %s, 'office', sha256('a salt'), 'ofc_creators', %s, %s::text[], now() - interval '1 day',"
            " now() + %s::interval, now() + %s::interval)",
            [club or filled.home, key_id, secrets.token_bytes(32), list(scopes), expires, revoked],
        )
    return key_id


def create(
    service: psycopg.Connection,
    creator: UUID,
    scopes: Sequence[str] = ("read",),
    lasts: str | None = None,
    player: str | None = None,
) -> UUID:
    """Create a key as the service does."""
    key_id = uuid7()
    service.execute(
        "SELECT create_key(%s, %s, 'tablet', sha256('a salt'), 'ofc_abcdefgh', %s, %s::text[],"
        " now(), now() + %s::interval, %s)",
        [creator, key_id, secrets.token_bytes(32), list(scopes), lasts, player],
    )
    return key_id


def refused(
    service: psycopg.Connection, creator: UUID, scopes: Sequence[str] = ("read",), lasts: str | None = None
) -> str | None:
    """Create a key that is refused, and return the name with which it is."""
    with pytest.raises(psycopg.errors.InsufficientPrivilege) as refusal, service.transaction():
        create(service, creator, scopes, lasts)
    return refusal.value.diag.constraint_name


def keys_of(service: psycopg.Connection, key_id: UUID) -> list[tuple[object, ...]]:
    query = (
        "SELECT club_id, name, prefix, scopes, created_at = now(), expires_at, revoked_at FROM api_keys WHERE id = %s"
    )
    return service.execute(query, [key_id]).fetchall()


# --- whose keys ---


def test_a_key_of_the_club_creates_a_key_of_the_club(filled: Filled, service: psycopg.Connection) -> None:
    key_id = create(service, add_creator(filled, "admin", "read"))
    assert keys_of(service, key_id) == [(filled.home, "tablet", "ofc_abcdefgh", ["read"], True, None, None)]


def test_only_a_key_of_the_transaction_s_club_creates_keys(filled: Filled, service: psycopg.Connection) -> None:
    own, theirs = add_creator(filled, "*"), add_creator(filled, "*", club=filled.away)
    assert refused(service, theirs) == refused(service, uuid7()) == INVALID
    for club in (filled.away, None):
        set_club(service, club)
        assert refused(service, own) == INVALID
    set_club(service, filled.away)
    assert keys_of(service, create(service, theirs))[0][0] == filled.away


def test_links_and_transactions_at_a_table_create_no_keys(filled: Filled, service: psycopg.Connection) -> None:
    creator = add_creator(filled, "*")
    [(link, table), *_] = service.execute("SELECT id, table_id FROM links").fetchall()
    assert refused(service, link) == INVALID
    service.execute("SELECT set_config('ofc.table', %s, true)", [str(table)])
    assert refused(service, creator) == INVALID, "at a table, no key is visible"


# --- what they give ---


@pytest.mark.parametrize(
    ("held", "scopes"),
    [
        (["admin"], ["admin"]),
        (["admin", "read", "write"], ["write", "read"]),
        (["*"], ["*"]),
        (["*"], ["admin", "read"]),
        (["*"], ["of-a-later-release"]),
    ],
)
def test_a_key_gives_scopes_that_it_has(
    filled: Filled, service: psycopg.Connection, held: list[str], scopes: list[str]
) -> None:
    assert keys_of(service, create(service, add_creator(filled, *held), scopes))[0][3] == scopes


@pytest.mark.parametrize(
    ("held", "scopes"),
    [
        (["admin", "read"], ["read", "write"]),
        (["admin", "read"], ["*"]),
        (["admin", "read"], ["admin", "*"]),
        (["read", "write"], ["read"]),
        ([], []),
        (["administer"], ["administer"]),
    ],
)
def test_a_key_gives_no_scope_that_it_lacks_and_nothing_without_the_scope_admin(
    filled: Filled, service: psycopg.Connection, held: list[str], scopes: list[str]
) -> None:
    assert refused(service, add_creator(filled, *held), scopes) == TOO_MUCH


@pytest.mark.parametrize(
    ("expires", "revoked", "lasts"),
    [
        (None, None, None),
        (None, None, "100 years"),
        (HOUR, None, "59 minutes"),
        (None, HOUR, "59 minutes"),
        (HOUR, DAY, "59 minutes"),
    ],
)
def test_a_key_creates_keys_that_end_before_it(
    filled: Filled, service: psycopg.Connection, expires: str | None, revoked: str | None, lasts: str | None
) -> None:
    create(service, add_creator(filled, "*", expires=expires, revoked=revoked), lasts=lasts)


@pytest.mark.parametrize(
    ("expires", "revoked", "lasts"),
    [
        (HOUR, None, None),
        (None, HOUR, None),
        (HOUR, None, "61 minutes"),
        (None, HOUR, "61 minutes"),
        (HOUR, DAY, "2 hours"),
        (DAY, HOUR, "2 hours"),
    ],
)
def test_a_key_creates_no_key_that_ends_after_it(
    filled: Filled, service: psycopg.Connection, expires: str | None, revoked: str | None, lasts: str | None
) -> None:
    assert refused(service, add_creator(filled, "*", expires=expires, revoked=revoked), lasts=lasts) == TOO_MUCH


# --- as long as they are valid ---


@pytest.mark.parametrize(
    ("expires", "revoked"), [(PASSED, None), (None, PASSED), (DAY, PASSED), (PASSED, DAY)], ids=str
)
def test_an_ended_key_creates_nothing(
    filled: Filled, service: psycopg.Connection, expires: str | None, revoked: str | None
) -> None:
    creator = add_creator(filled, "*", expires=expires, revoked=revoked)
    assert refused(service, creator, lasts="1 minute") == INVALID


def test_a_key_that_was_revoked_after_the_transaction_began_creates_nothing(
    filled: Filled, service: psycopg.Connection
) -> None:
    creator = add_creator(filled, "*")
    service.execute("SELECT now()")
    with psycopg.connect(filled.admin) as admin:
        admin.execute("UPDATE api_keys SET revoked_at = now() WHERE id = %s", [creator])
    assert refused(service, creator) == INVALID


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_revocation_that_is_not_committed_is_waited_for(
    filled: Filled, service: psycopg.Connection, is_committed: bool
) -> None:
    creator = add_creator(filled, "*")

    def is_waiting() -> bool:
        with psycopg.connect(filled.admin) as admin:
            query = "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s"
            return admin.execute(query, [service.info.backend_pid]).fetchall() == [(True,)]

    with psycopg.connect(filled.admin) as revoking, ThreadPoolExecutor(1) as threads:
        revoking.execute("UPDATE api_keys SET revoked_at = now() WHERE id = %s", [creator])
        work = refused if is_committed else create
        created = threads.submit(work, service, creator)
        assert wait_until(is_waiting)
        if is_committed:
            revoking.commit()
            assert created.result() == INVALID
        else:
            revoking.rollback()
            assert len(keys_of(service, UUID(str(created.result())))) == 1


def test_a_revocation_waits_for_a_key_that_is_being_created(filled: Filled, service: psycopg.Connection) -> None:
    creator = add_creator(filled, "*")
    create(service, creator)
    revoke = "UPDATE api_keys SET revoked_at = now() WHERE id = %s"
    with psycopg.connect(filled.admin) as admin:
        admin.execute("SET lock_timeout = '200ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable), admin.transaction():
            admin.execute(revoke, [creator])
        service.rollback()
        assert admin.execute(revoke, [creator]).rowcount == 1


# --- with the rights of the owner ---


def test_temporary_tables_of_the_service_are_not_used(filled: Filled, service: psycopg.Connection) -> None:
    creator, forged = add_creator(filled, "admin", "read"), uuid7()
    service.execute("CREATE TEMPORARY TABLE api_keys AS SELECT * FROM public.api_keys LIMIT 0")
    service.execute(
        "INSERT INTO pg_temp.api_keys SELECT club_id, %s, name, name_salt, prefix, secret_sha256, '{*}', created_at,"
        " NULL, NULL, NULL FROM public.api_keys WHERE id = %s",
        [forged, creator],
    )
    assert refused(service, forged) == INVALID
    key_id = create(service, creator)
    count = "SELECT count(*) FROM public.api_keys WHERE id = %s AND revoked_at IS NULL"
    assert service.execute(count, [key_id]).fetchall() == [(1,)]
    service.execute("SELECT revoke_key(%s)", [key_id])
    assert service.execute(count, [key_id]).fetchall() == [(0,)]


def test_functions_with_the_rights_of_the_owner_are_for_the_service_and_search_temporary_tables_last(
    filled: Filled,
) -> None:
    with psycopg.connect(filled.admin) as admin:
        functions = admin.execute(
            "SELECT proname, proconfig, array(SELECT grantee::regrole::text"
            " FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee <> proowner)"
            " FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace ORDER BY 1"
        ).fetchall()
    path = ["search_path=public, pg_temp"]
    assert functions == [("create_key", path, [SERVICE_ROLE]), ("revoke_key", path, [SERVICE_ROLE])]
