"""The schema check at the start of the service and in `ofc-server verify`."""

import json
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import psycopg
import pytest

from evidence import SigningKey
from service.app import create_app
from service.audit_trail.actions import make_checkpoint
from service.audit_trail.signing import read_signing_key
from service.config import Config
from service.database_errors import DatabaseAltered
from service.db import Database, migrate, schema
from service.db.schema import Change, SchemaChange, compare_schema, expected_schema, read_schema
from service.http.services import services_of
from tests.support.api_client import Api
from tests.support.application import House, open_house
from tests.support.database.owned_database import plain_owner
from tests.support.database.postgres import Logins, Server
from tests.support.import_lines import club_of, database_of
from tests.support.schema_manifest import schema_of
from tests.support.server_process import command

every_server = pytest.mark.every_server

OPEN_TO_ALL = """
    CREATE OR REPLACE FUNCTION authenticate_key(secret bytea)
        RETURNS TABLE (
            club_id uuid, id uuid, name text, scopes text[], table_id uuid, round_id uuid, player text,
            declared_player text, is_link boolean, is_use_due boolean
        )
        LANGUAGE sql AS $$
            SELECT club_id, id, name, scopes, NULL::uuid, NULL::uuid, NULL, NULL, false, false FROM api_keys LIMIT 1
        $$
"""
ALTERATIONS = {
    OPEN_TO_ALL: "function public.authenticate_key(secret bytea) is changed",
    "ALTER TABLE rounds DISABLE ROW LEVEL SECURITY": "table public.rounds is changed",
    "ALTER TABLE rounds NO FORCE ROW LEVEL SECURITY": "table public.rounds is changed",
    "ALTER POLICY club ON hands USING (true)": "policy public.hands.club is changed",
    "CREATE POLICY everyone ON hands USING (true)": "policy public.hands.everyone is added",
    "DROP POLICY club ON payouts": "policy public.payouts.club is missing",
    "DROP TRIGGER append_only ON payouts": "trigger public.payouts.append_only is missing",
    "ALTER TABLE payouts DISABLE TRIGGER append_only": "trigger public.payouts.append_only is changed",
    "ALTER TABLE hand_scores DROP CONSTRAINT hand_scores_zero_sum_check": "constraint public.hand_scores."
    "hand_scores_zero_sum_check is missing",
    "ALTER TYPE transfer ADD ATTRIBUTE note text": "type public.transfer is changed",
    "ALTER VIEW transfers SET (security_invoker = off)": "view public.transfers is changed",
    "ALTER TABLE hands DROP CONSTRAINT hands_number_key CASCADE": "constraint public.hands.hands_number_key is missing",
    "ALTER TABLE tables ALTER COLUMN name DROP NOT NULL": "column public.tables.name is changed",
    "ALTER TABLE tables ADD COLUMN note text": "column public.tables.note is added",
    "GRANT UPDATE ON payouts TO ofc_service": "grant UPDATE on table public.payouts to ofc_service is added",
    "GRANT UPDATE (stacks) ON payouts TO PUBLIC": "grant UPDATE on column public.payouts.stacks to PUBLIC is added",
    "GRANT EXECUTE ON FUNCTION revoke_key TO PUBLIC": "grant EXECUTE on function public.revoke_key(key_id uuid) to"
    " PUBLIC is added",
    "ALTER FUNCTION revoke_key SET search_path = public": "function public.revoke_key(key_id uuid) is changed",
    "REVOKE INSERT ON payouts FROM ofc_service": "grant INSERT on table public.payouts to ofc_service is missing",
    "CREATE RULE nothing AS ON INSERT TO events DO INSTEAD NOTHING": "rule public.events.nothing is added",
    "CREATE TABLE more_payouts () INHERITS (payouts)": "table public.more_payouts is added",
    "CREATE FUNCTION points_sum(points integer[]) RETURNS integer LANGUAGE sql RETURN 0": "function "
    "public.points_sum(points integer[]) is added",
    "DROP TABLE shared.signing_keys": "table shared.signing_keys is missing",
    "CREATE UNIQUE INDEX one_pot ON payouts (club_id, stacks)": "index public.one_pot is added",
    "CREATE INDEX inverse ON adjustments ((1 / points))": "index public.inverse is added",
    "CREATE INDEX paid_often ON adjustments (payer) WHERE 1 / points > 0": "index public.paid_often is added",
    "CREATE TABLE notes (club uuid, player text, FOREIGN KEY (club, player) REFERENCES players)": "constraint "
    "public.notes.notes_club_player_fkey is added",
}
ROLE_ALTERATIONS = {
    "GRANT pg_write_all_data TO ofc_service": "membership in pg_write_all_data of ofc_service is added",
    "GRANT ofc_suite_group TO ofc_service": "membership in pg_write_all_data of ofc_service is added",
    "ALTER ROLE ofc_service NOINHERIT; GRANT ofc_suite_group TO ofc_service": "membership in ofc_suite_group of"
    " ofc_service is added",
    "GRANT SET ON PARAMETER session_replication_role TO ofc_service": "grant SET on parameter session_replication_role"
    " to ofc_service is added",
    "GRANT SET ON PARAMETER session_replication_role TO PUBLIC": "grant SET on parameter session_replication_role to"
    " PUBLIC is added",
    "ALTER ROLE ofc_service CREATEROLE": "role ofc_service is changed",
    "ALTER ROLE ofc_service BYPASSRLS": "role ofc_service is changed",
}
"""Alterations of roles, which belong to the whole server."""
RESTORED = """
    REVOKE pg_write_all_data, pg_monitor, ofc_suite_group FROM ofc_service;
    REVOKE SET ON PARAMETER session_replication_role FROM ofc_service, PUBLIC;
    ALTER ROLE ofc_service INHERIT NOCREATEROLE NOBYPASSRLS;
    REVOKE pg_write_all_data FROM ofc_suite_group;
    DROP ROLE ofc_suite_group;
"""


@pytest.fixture
def opened(logins: Logins) -> Iterator[Database]:
    """Return the database object of the service on a new database, before any check."""
    database = Database(logins.service)
    yield database
    database.close()


def alter(owner_url: str, statement: str) -> None:
    with psycopg.connect(owner_url) as connection:
        connection.execute(statement)


def changes_of(database: Database) -> list[SchemaChange]:
    with database.outside_clubs() as connection:
        return compare_schema(read_schema(connection), expected_schema())


@every_server
def test_the_manifest_matches_the_migrations(server: Server) -> None:
    assert schema_of(server) == expected_schema(), "`make generate` writes it anew"


def test_the_manifest_is_independent_of_the_owner(embedded_postgres: Server) -> None:
    with plain_owner(embedded_postgres) as logins:
        migrate(logins.owner)
        database = Database(logins.service)
        assert changes_of(database) == []
        database.close()


@pytest.mark.parametrize("statement", ALTERATIONS)
def test_an_altered_schema_is_rejected(logins: Logins, opened: Database, statement: str) -> None:
    alter(logins.owner, statement)
    assert ALTERATIONS[statement] in [str(change) for change in changes_of(opened)]
    with pytest.raises(DatabaseAltered, match=r"differs from that of this release: .*`ofc-server verify` lists every"):
        opened.check_schema()


@pytest.fixture
def role_logins(logins: Logins) -> Iterator[Logins]:
    """Return logins of a new database on a server whose roles are restored after the test."""
    alter(logins.owner, "CREATE ROLE ofc_suite_group; GRANT pg_write_all_data TO ofc_suite_group")
    yield logins
    alter(logins.owner, RESTORED)


@pytest.mark.parametrize("statement", ROLE_ALTERATIONS)
def test_privileges_of_the_role_from_elsewhere_are_rejected(role_logins: Logins, statement: str) -> None:
    alter(role_logins.owner, statement)
    owner = Database(role_logins.owner, role=None)
    assert ROLE_ALTERATIONS[statement] in [str(change) for change in changes_of(owner)]
    with pytest.raises(DatabaseAltered):
        owner.check_schema()
    owner.close()


def test_membership_in_a_role_that_only_reads_is_harmless(role_logins: Logins, opened: Database) -> None:
    alter(role_logins.owner, "GRANT pg_monitor TO ofc_service")
    assert {change.change for change in changes_of(opened)} == {Change.HARMLESS}
    opened.check_schema()


def test_disabled_foreign_keys_are_reported(logins: Logins, opened: Database) -> None:
    alter(logins.owner, "ALTER TABLE payouts DISABLE TRIGGER ALL")
    objects = {change.object for change in changes_of(opened) if (change.actual or "").endswith("(disabled)")}
    assert {"constraint public.payouts.payouts_club_id_round_id_revision_number_fkey"} < objects


def test_role_settings_that_disable_triggers_are_reported(logins: Logins, opened: Database) -> None:
    database = logins.owner.rpartition("/")[2].partition("?")[0]
    alter(logins.owner, f"ALTER ROLE ofc_service IN DATABASE {database} SET session_replication_role = 'replica'")
    [change] = changes_of(opened)
    assert str(change) == "setting session_replication_role of ofc_service is added"


def test_harmless_objects_can_be_added(logins: Logins, opened: Database) -> None:
    alter(logins.owner, "CREATE INDEX hands_played_at ON hands (played_at)")
    alter(logins.owner, 'CREATE INDEX "by points (no zeros)" ON adjustments (points DESC, payee) INCLUDE (payer)')
    alter(logins.owner, "CREATE VIEW paid AS SELECT paid FROM transfers")
    alter(logins.owner, "GRANT SELECT ON payouts, paid TO PUBLIC")
    assert {change.change for change in changes_of(opened)} == {Change.HARMLESS}
    opened.check_schema()


def test_an_added_table_is_listed_without_its_parts(logins: Logins, opened: Database) -> None:
    alter(logins.owner, "CREATE TABLE notes (id integer PRIMARY KEY, note text CHECK (note <> ''))")
    alter(logins.owner, "CREATE UNIQUE INDEX notes_note ON notes (lower(note))")
    [change] = changes_of(opened)
    assert (change.object, change.change) == ("table public.notes", Change.HARMLESS)


def test_an_altered_database_is_not_ready(logins: Logins) -> None:
    alter(logins.owner, "ALTER TABLE rounds DISABLE ROW LEVEL SECURITY")
    app = create_app(Config(logins.service, logins.owner))
    response = Api(app, None).get("/readyz")
    assert (response.status, response["code"]) == (503, "database-altered")
    services_of(app).database.close()


def test_readiness_compares_the_schema_again(logins: Logins, monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(Config(logins.service, logins.owner, allow_data_loss=True))
    api = Api(app, None)
    assert api.get("/readyz").status == 200
    alter(logins.owner, "GRANT UPDATE ON payouts TO ofc_service")
    assert api.get("/readyz").status == 200, "a minute has not passed"
    monkeypatch.setattr(schema, "CHECK_SECONDS", 0.0)
    response = api.get("/readyz")
    assert (response.status, response["code"]) == (503, "database-altered")
    alter(logins.owner, "REVOKE UPDATE ON payouts FROM ofc_service")
    assert api.get("/readyz").status == 200
    services_of(app).database.close()


@pytest.mark.parametrize("arguments", [("up", "--port", "0"), ("worker", "--concurrency", "1")])
def test_commands_do_not_start_on_an_altered_database(logins: Logins, arguments: tuple[str, ...]) -> None:
    alter(logins.owner, "DROP POLICY club ON payouts")
    started = command(*arguments, OFC_DATABASE_URL=logins.service, OFC_OWNER_URL=logins.owner)
    assert started.returncode == 1
    [sentence] = [line for line in started.stderr.splitlines() if line.startswith("Error: ")]
    assert "policy public.payouts.club is missing; `ofc-server verify` lists every difference." in sentence


@pytest.fixture
def house(embedded_postgres: Server) -> Iterator[House]:
    with open_house(embedded_postgres) as opened:
        opened.new_client()
        yield opened


def verify(house: House, *arguments: str, **variables: str) -> CompletedProcess[str]:
    login = {"OFC_DATABASE_URL": house.logins.service, "OFC_OWNER_URL": house.owner_url}
    return command("verify", *arguments, **login, **variables)


def test_verify_prints_altered_objects_with_the_expected_definition(house: House) -> None:
    house.change("ALTER POLICY club ON hands USING (true)")
    house.change("CREATE INDEX hands_played_at ON hands (played_at)")
    result = verify(house, "--json")
    index, policy, summary = map(json.loads, result.stdout.splitlines())
    assert result.returncode == 1
    assert index["kind"] == "schema-extended"
    assert (policy["kind"], policy["table"], policy["key"]) == (
        "schema-differs",
        "policy",
        {"name": "public.hands.club"},
    )
    assert "using true" in policy["stored"]
    assert "using (club_id = current_club())" in policy["expected"]
    assert summary["summary"]["found"] == {"schema-extended": 1, "schema-differs": 1}


def test_verify_prints_harmless_objects_and_passes(house: House) -> None:
    house.change("CREATE INDEX hands_played_at ON hands (played_at)")
    result = verify(house)
    sentence = "This release has no index public.hands_played_at, which does no harm."
    assert result.stdout.startswith(f"{sentence}  schema-extended: index name=public.hands_played_at: ")
    assert "0 findings." in result.stderr
    assert result.returncode == 3, "only the checkpoint is missing"


def test_an_unknown_published_key_is_reported(house: House, tmp_path: Path) -> None:
    file = str(tmp_path / "signing-key")
    configured = {"OFC_SIGNING_KEY_FILE": file}
    command("signing-key", "create", **configured)
    first = sign(house, file)
    assert "key-unknown" not in verify(house, **configured).stdout
    command("signing-key", "rotate", **configured)
    second = sign(house, file)
    assert first != second
    assert "key-unknown" not in verify(house, **configured).stdout, "the file records the key that was replaced"
    foreign = SigningKey.make("tablestakes").verifier
    house.change(
        "INSERT INTO shared.signing_keys (public_key, name, first_used_at) VALUES (%s, %s, now())",
        foreign.public,
        foreign.name,
    )
    result = verify(house, **configured)
    assert result.returncode == 1
    sentence = f"The published key {foreign.written} is not one of the service. It was added without the service."
    assert result.stdout == f"{sentence}  key-unknown: shared.signing_keys public_key={foreign.written}\n"
    assert command("signing-key", "record", foreign.written, **configured).returncode == 0
    assert "key-unknown" not in verify(house, **configured).stdout
    unconfigured = verify(house)
    assert "no signing key is configured" in unconfigured.stderr
    assert unconfigured.returncode == 3


def sign(house: House, file: str) -> str:
    """Sign the tree of a new club with the key in a file, and return the public key."""
    key = read_signing_key(Path(file))
    with database_of(house).transaction(club_of(house, house.new_client())) as transaction:
        make_checkpoint(transaction, key)
    return key.verifier.written
