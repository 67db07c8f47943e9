"""Events that were recorded before events told everything cannot be held against records; that is no damage."""

import json
from collections.abc import Iterator, Mapping
from subprocess import CompletedProcess
from typing import Any, Final

import psycopg
import pytest
from sqlalchemy import text

from schemas.evidence import SigningKey
from schemas.hands import canonical_json
from service.database import migrate
from service.usecases.create_key import create_key
from service.usecases.find_club import find_club
from service.usecases.make_checkpoint import make_checkpoint
from service.usecases.revoke_key import revoke_key
from service.usecases.verification.findings import FindingKind
from tests.postgres import Logins, Server
from tests.service.disputing import opened
from tests.service.house import House, house_on, open_house
from tests.service.importing import club_of, database_of
from tests.service.rounds_to_play import COMPLETE, complete_round, document_of, play, start_round
from tests.service.running import command
from tests.service.speaking import Api
from tests.service.tampering import tampering, undone, verify
from tests.service.test_event_chains import copy_back, migrate_to

UNTOLD: Final[Mapping[str, tuple[str, ...]]] = {
    "key.created": ("secret",),
    "key.revoked": ("revoked_at",),
    "table.created": ("correction_window_minutes",),
    "round.opened": ("carried_over", "digest", "ruleset_digest", "submission"),
    "hand.recorded": ("id", "scorer", "stacks", "submission"),
    "hand.withdrawn": ("scorer",),
    "round.corrected": ("digest", "ruleset_digest", "scorer", "submission"),
}
"""What events did not tell at first, by their kinds."""


@pytest.fixture(scope="module")
def old(embedded_postgres: Server) -> Iterator[tuple[House, Api]]:
    """A house whose first events are from before they told everything, with a round that was played since."""
    logins = embedded_postgres.create_bare_database()
    migrate_to(logins, "0015")
    with open_house(embedded_postgres) as house:
        api = house.new_client()
        _live(house, api)
        copy_back(house.owner_url, logins.owner)
    _forget(logins)
    migrate(logins.owner)
    with house_on(logins) as house:
        api = Api(house.app, api.key)
        play(api, start_round(api, name="since"), *COMPLETE)
        yield house, api
    embedded_postgres.drop_database(logins)


def _live(house: House, api: Api) -> None:
    [(name,)] = house.ask("SELECT name FROM clubs")
    revoke_key(house.owner, create_key(house.owner, find_club(house.owner, name), name="lost").key.prefix)
    round_id = complete_round(api, name="before")
    opened(api, round_id)
    patch = [{"op": "replace", "path": "/seats/0/player", "value": "dan"}]
    assert api.post(f"/v1/rounds/{round_id}/corrections", {"reason": "it was dan", "patch": patch}).status == 201
    undone = start_round(api, name="undone")
    play(api, undone, *COMPLETE[:2])
    assert api.post(f"/v1/rounds/{undone}/undo", {"number": 2}).status == 201
    assert api.post("/v1/documents", document_of(hands=[], table="nobody played")).status == 201


def _forget(logins: Logins) -> None:
    """Let events say no more than they did at first."""
    with psycopg.connect(logins.owner) as connection:
        connection.execute("SET session_replication_role = replica")
        for id_, kind, content in connection.execute("SELECT id, kind, content FROM events").fetchall():
            told: dict[str, Any] = json.loads(content)
            first = {name: value for name, value in told.items() if name not in UNTOLD.get(kind, ())}
            if kind == "round.corrected":
                first["document"] = told["digest"]
            changed = canonical_json(first)
            connection.execute("UPDATE events SET content = %s WHERE id = %s", (changed, id_))


def verify_all(old: tuple[House, Api], *arguments: object) -> CompletedProcess[str]:
    house, _ = old
    login = {"OFC_DATABASE_URL": house.logins.service, "OFC_OWNER_URL": house.owner_url}
    return command("verify", *map(str, arguments), **login)


def test_what_events_did_not_tell_yet_is_incomplete_and_no_damage(
    old: tuple[House, Api], tmp_path_factory: pytest.TempPathFactory
) -> None:
    house, api = old
    kept = tmp_path_factory.mktemp("kept") / "checkpoint"
    with database_of(house).transaction(club_of(house, api)) as transaction:
        kept.write_text(make_checkpoint(transaction, SigningKey.make("suite")).checkpoint.note, encoding="utf-8")
    found = verify_all(old, "--checkpoint", kept, "--json")
    *findings, summary = map(json.loads, found.stdout.splitlines())
    assert {finding["kind"] for finding in findings} == {FindingKind.CONTENT_UNTOLD}, findings
    rounds = house.ask("SELECT round.id FROM rounds AS round JOIN tables ON tables.id = table_id WHERE name <> 'since'")
    named = [finding["key"]["round_id"] for finding in findings if "round_id" in finding["key"]]
    assert sorted(named) == sorted(str(round_id) for (round_id,) in rounds)
    others = [finding["found"].partition(":")[0] for finding in findings if "round_id" not in finding["key"]]
    assert set(others) == {"key.created", "key.revoked", "table.created"}
    assert found.returncode == 3
    assert "0 findings" in found.stderr
    assert f"what became of {len(findings)} rounds, keys or tables: events did not tell all then" in found.stderr
    assert summary["summary"]["unchecked"]


def test_what_is_damaged_there_is_found_nevertheless(old: tuple[House, Api]) -> None:
    house, api = old
    before = "(SELECT round.id FROM rounds AS round JOIN tables ON tables.id = table_id WHERE name = 'before')"
    damages = {
        FindingKind.RECORD_DIFFERS: "UPDATE api_keys SET name = 'found' WHERE name = 'lost'",
        FindingKind.SUM_BROKEN: f"UPDATE round_heads SET stacks[1] = stacks[1] + 1 WHERE round_id = {before}",
        FindingKind.EVENT_HASH: f"UPDATE events SET hash = content WHERE sequence = 2 AND round_id = {before}",
        FindingKind.CONTENT_UNPLAYABLE: f"UPDATE events SET content = '{{' WHERE sequence = 1 AND round_id = {before}",
    }
    with tampering(house.owner, club_of(house, api)) as transaction:
        for kind, statement in damages.items():
            with undone(transaction):
                assert transaction.execute(text(statement)).rowcount == 1
                assert kind in {finding.kind for finding in verify(transaction)}
