"""`ofc-server club` and `ofc-server key` with real processes, with and without a running service."""

import json
import re
import subprocess
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from click.testing import CliRunner

from service.cli import main
from service.server.embedded import OWNER, Cluster
from tests.support.database.postgres import Logins
from tests.support.server_process import COMMAND, Running, command, environment, running

KEY = re.compile(r"ofc_[0-9a-z]{8}_[0-9A-Za-z]{43}")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run `ofc-server up` in a directory whose path is too long for a socket."""
    with running(tmp_path_factory.mktemp("deep") / ("d" * 100)) as started:
        yield started


def run(directory: Path, *arguments: str) -> str:
    """Run a command, check that it succeeds, and return its stdout."""
    ended = command(*arguments, "--data", str(directory))
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def send(service: Running, key: str, path: str = "/v1/tables", method: str = "GET", **options: Any) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx2.request(
        method, service.url + path, headers=headers, trust_env=False, verify=False, timeout=60, **options
    )


def test_clubs_and_keys_are_managed_while_the_service_runs(service: Running) -> None:
    run(service.directory, "club", "create", "Riverside Poker")
    clubs = json.loads(run(service.directory, "club", "list", "--json"))["clubs"]
    assert [club["name"] for club in clubs] == ["home", "Riverside Poker"]

    result = command("key", "create", "--club", "Riverside Poker", "--name", "tablet", "--data", str(service.directory))
    key = result.stdout.removesuffix("\n")
    assert KEY.fullmatch(key)
    prefix = key[:12]
    assert result.stderr == f"Created the key {prefix} (tablet) of the club 'Riverside Poker'; it is not shown again.\n"
    assert send(service, key).json()["tables"] == []
    home = (service.directory / "api-key").read_text().strip()
    table = send(service, home, method="POST", json={"name": "kitchen", "ruleset": "pineapple"}).json()["id"]
    assert send(service, key, f"/v1/tables/{table}").status_code == 404

    [listed] = json.loads(run(service.directory, "key", "list", "--club", "Riverside Poker", "--json"))["keys"]
    assert (listed["prefix"], listed["scopes"], listed["revoked_at"]) == (prefix, ["*"], None)
    assert listed["last_used_at"] > listed["created_at"]
    shown = run(service.directory, "key", "list")
    assert re.search(rf"^{prefix}  Riverside Poker  tablet +\*  .*  valid$", shown, re.MULTILINE)
    assert key[13:] not in shown + json.dumps(listed)

    rotated = json.loads(run(service.directory, "key", "rotate", prefix, "--overlap", "10", "--json"))
    assert send(service, key).status_code == send(service, rotated["key"]).status_code == 200
    assert rotated["replaces"]["prefix"] == prefix
    assert run(service.directory, "key", "revoke", prefix) == ""
    assert (send(service, key).status_code, send(service, rotated["key"]).status_code) == (401, 200)

    table = send(service, rotated["key"], method="POST", json={"name": "attic", "ruleset": "pineapple"}).json()["id"]
    seats = [{"seat": seat, "player": f"p{seat}", "stack": 9} for seat in (1, 2)]
    round_ = send(service, rotated["key"], f"/v1/tables/{table}/rounds", "POST", json={"seats": seats}).json()["id"]
    link = send(service, rotated["key"], "/v1/links", "POST", json={"round": round_}).json()["url"]
    assert httpx2.get(link, trust_env=False).status_code == 200
    unconfirmed = command("club", "close", "Riverside Poker", "--data", str(service.directory))
    assert (unconfirmed.returncode, send(service, rotated["key"]).status_code) == (1, 200)
    assert "Revoke all keys and links of the club 'Riverside Poker'? [y/N]" in unconfirmed.stderr
    assert json.loads(run(service.directory, "club", "close", "Riverside Poker", "--yes", "--json")) == {"keys": 1}
    assert (send(service, rotated["key"]).status_code, send(service, home).status_code) == (401, 200)
    assert httpx2.get(link, trust_env=False).status_code == 410
    again = command("club", "close", "Riverside Poker", "--yes", "--data", str(service.directory))
    assert again.stderr == (
        "Closed the club 'Riverside Poker': 0 keys and all links are revoked. Its records remain.\n"
    )
    missing = command("club", "close", "riverside", "--yes", "--data", str(service.directory))
    assert missing.stderr == "Error: There is no club named 'riverside'; `ofc-server club list` lists all clubs.\n"


@pytest.mark.parametrize("player", ["a/b", "/a//", "../b", "%2F ?#", "zoë ♣"])
def test_player_ids_round_trip_through_a_real_server(service: Running, player: str) -> None:
    key = (service.directory / "api-key").read_text().strip()
    path = f"/v1/players/{quote(player, safe='')}"
    assert send(service, key, path, "PUT", json={"display_name": "Zoë"}).json()["player"] == player
    assert send(service, key, path, "DELETE").status_code == 204
    assert send(service, key, path).status_code == 404


def test_commands_start_the_database_without_a_running_service(tmp_path: Path) -> None:
    with running(tmp_path):
        pass
    run(tmp_path, "club", "create", "riverside")
    at_once = [
        subprocess.Popen(
            [*COMMAND, "key", "create", "--club", "riverside", "--data", str(tmp_path)],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(2)
    ]
    keys = [process.communicate(timeout=60)[0].strip() for process in at_once]
    assert not (tmp_path / "socket").exists()
    with running(tmp_path) as service:
        assert [send(service, key).status_code for key in keys] == [200, 200]


def test_a_preset_names_the_scopes(service: Running) -> None:
    created = json.loads(run(service.directory, "key", "create", "--club", "home", "--preset", "scorekeeper", "--json"))
    assert created["scopes"] == ["read", "score", "write"]
    assert (send(service, created["key"]).status_code, send(service, created["key"], "/v1/keys").status_code) == (
        200,
        403,
    )
    options = "--club", "home", "--preset", "room", "--scope", "read", "--data", str(service.directory)
    both = command("key", "create", *options)
    assert both.returncode == 2
    assert "--preset and --scope were given; expected one of them" in both.stderr


def test_commands_use_the_external_database_if_set(tmp_path: Path, logins: Logins) -> None:
    named = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner, "OFC_DATA": str(tmp_path / "none")}
    assert command("club", "create", "riverside", **named).returncode == 0
    result = command(
        "key", "create", "--club", "riverside", "--scope", "read", "--scope", "tables", "--expires-in", "90d", **named
    )
    assert result.returncode == 0, result.stderr
    [listed] = json.loads(command("key", "list", "--club", "riverside", "--json", **named).stdout)["keys"]
    assert listed["scopes"] == ["read", "tables"]
    assert datetime.fromisoformat(listed["expires_at"]) - datetime.fromisoformat(listed["created_at"]) == timedelta(
        days=90
    )
    assert re.search(r"  read, tables  .*  valid until \d{4}-", command("key", "list", **named).stdout)
    with running(tmp_path, **named) as service:
        assert send(service, result.stdout.strip()).status_code == 200
        assert send(service, result.stdout.strip(), method="POST", json={}).status_code == 422
        assert send(service, result.stdout.strip(), "/v1/score", "POST", json={}).status_code == 403
    assert not (tmp_path / "none").exists()
    refused = command("key", "list", OFC_DATABASE_URL=logins.service)
    assert is_one_sentence(refused.stderr, "cannot create or list clubs and keys")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["club", "create", "home"], "A club named 'home' already exists"),
        (["club", "create", ""], "The club's name is empty; expected 1 to 100 characters."),
        (
            ["key", "create", "--club", "nowhere"],
            "There is no club named 'nowhere'; `ofc-server club list` lists all clubs",
        ),
        (["key", "create", "--club", "home", "--name", "a\nb"], "The key's name has the character U+000A"),
        (["key", "list", "--club", "nowhere"], "There is no club named 'nowhere'"),
        (
            ["key", "revoke", "ofc_nothing"],
            "There is no key 'ofc_nothing'; `ofc-server key list` lists prefixes and IDs",
        ),
        (
            ["key", "create", "--club", "home", "--expires-in", "soon"],
            "--expires-in is 'soon'; expected a number and m, h, d or w",
        ),
        (["key", "rotate", "01a1fa84-64a0-7085-97f3-8afdbd6ebc27"], "There is no key '01a1fa84-"),
    ],
)
def test_errors_are_printed_in_one_line(service: Running, arguments: list[str], words: str) -> None:
    refused = CliRunner().invoke(main, [*arguments, "--data", str(service.directory)], env=environment())
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert is_one_sentence(refused.stderr, words)


def test_commands_do_not_create_a_data_directory(tmp_path: Path) -> None:
    refused = command("key", "list", "--data", str(tmp_path / "typo"))
    assert is_one_sentence(
        refused.stderr,
        f"There are no records in {tmp_path / 'typo'}; name their directory with --data or OFC_DATA, or create them"
        " with `ofc-server up`.",
    )
    assert not (tmp_path / "typo").exists()


def test_commands_migrate_the_embedded_database(tmp_path: Path) -> None:
    with Cluster(tmp_path) as cluster:
        assert cluster.url(OWNER)
    assert run(tmp_path, "club", "list").splitlines() == ["NAME  CREATED (UTC)  TIME ZONE  EVENINGS BEGIN  ID"]


def is_one_sentence(message: str, words: str) -> bool:
    [line] = message.splitlines()
    return line.startswith("Error: ") and line.endswith(".") and words in line
