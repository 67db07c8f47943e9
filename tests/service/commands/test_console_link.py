"""`ofc-server console-link` with real processes, with and without a running service."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.support.server_process import Running, command, running

CODE = r"[0-9A-Za-z_-]{43}"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("up") / "ofc") as started:
        yield started


def sign_in(service: Running, address: str) -> int:
    code = address.rpartition("/")[2]
    with httpx2.Client(base_url=service.url, timeout=60, trust_env=False) as browser:
        response = browser.post("/console/sign-in", data={"code": code})
        return browser.get("/console/keys").status_code if response.status_code == 303 else response.status_code


def test_the_first_key_signs_in(service: Running) -> None:
    result = command("console-link", "--url", service.url, "--data", str(service.directory))
    assert result.returncode == 0, result.stderr
    address = result.stdout.removesuffix("\n")
    assert re.fullmatch(rf"{re.escape(service.url)}/console/sign-in/{CODE}", address)
    prefix = (service.directory / "api-key").read_text()[:12]
    assert result.stderr == f"It signs in once within 10 minutes, with the key {prefix} of the club 'home'.\n"
    assert [sign_in(service, address) for _ in range(2)] == [200, 403]


def test_a_key_is_found_by_its_name_its_prefix_and_its_club(service: Running) -> None:
    data = ("--data", str(service.directory))
    for club in ("Riverside", "Hillside"):
        assert command("club", "create", club, *data).returncode == 0
        created = command("key", "create", "--club", club, "--name", "auditor", "--scope", "audit", *data)
        assert created.returncode == 0
    prefix = created.stdout[:12]
    twice = command("console-link", "auditor", *data)
    assert twice.returncode == 1
    assert "2 valid keys have the name 'auditor'; expected a prefix, or --club" in twice.stderr
    named = command("console-link", "auditor", "--club", "Riverside", "--json", *data)
    assert json.loads(named.stdout)["club"] == "Riverside"
    known = json.loads(command("console-link", prefix, "--json", *data).stdout)
    assert (known["key"], known["club"]) == (prefix, "Hillside")
    assert sign_in(service, known["url"]) == 403, "its key cannot list keys"


def test_an_ended_key_has_no_link(service: Running) -> None:
    data = ("--data", str(service.directory))
    created = command("key", "create", "--club", "home", "--name", "lost", *data)
    assert command("key", "revoke", created.stdout[:12], *data).returncode == 0
    ended = command("console-link", "lost", *data)
    assert ended.returncode == 1
    assert "There is no valid key 'lost'" in ended.stderr


def test_the_address_is_that_of_the_environment(service: Running) -> None:
    data = ("--data", str(service.directory))
    public = command("console-link", "--json", *data, OFC_PUBLIC_URL="https://ofc.example")
    assert json.loads(public.stdout)["url"].startswith("https://ofc.example/console/sign-in/")
    local = command("console-link", "--json", *data, OFC_PORT="9000")
    assert json.loads(local.stdout)["url"].startswith("http://127.0.0.1:9000/console/sign-in/")
    other = command("console-link", *data, "--url", "https://ofc.example")
    assert len(other.stderr.splitlines()) > 15, "a QR code for another device"
    refused = command("console-link", *data, "--url", "https://ofc.example/path")
    assert refused.returncode == 1
    assert "expected an address like https://ofc.club.example" in refused.stderr


def test_without_a_running_service_a_link_is_stored(tmp_path: Path) -> None:
    with running(tmp_path / "ofc") as first:
        assert first.stop() == 0
        result = command("console-link", "--data", str(first.directory))
        assert result.returncode == 0, result.stderr
    with running(tmp_path / "ofc") as again:
        assert sign_in(again, result.stdout.strip()) == 200
