"""`ofc key` and `ofc console` against a service: keys are created, listed and revoked, and links sign in."""

import json
import re
import webbrowser
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from client.render.console import make_console
from client.render.links import draw_terminal_code, show_sign_in_link
from tests.support.client.run_ofc import ofc
from tests.support.sample_rounds import NOBODYS
from tests.support.server_process import Running, command

Document = dict[str, Any]

KEY = r"ofc_[0-9a-z]{8}_[0-9A-Za-z]{43}"


@pytest.fixture
def key(service: Running) -> Document:
    """A new key of the club, with its secret."""
    options = "--club", "home", "--name", "table tablet", "--scope", "read", "--expires-in", "90d", "--json"
    result = command("key", "create", *options, "--data", str(service.directory))
    read: Document = json.loads(result.stdout)
    return read


def shown(moment: str) -> str:
    return moment[:16].replace("T", " ")


def test_a_created_key_is_printed_once_alone_on_stdout(reached: dict[str, str]) -> None:
    result = ofc("key", "create", "table tablet", "--preset", "scorekeeper", "--expires-in", "90d", **reached)
    assert result.code == 0, result.err
    secret = result.out.removesuffix("\n")
    assert re.fullmatch(KEY, secret)
    [listed] = ofc("key", "list", "--limit", "1", "--json", **reached).document["keys"]
    assert result.err == (
        f"Created the key {secret[:12]} (table tablet) with read, score, write,"
        f" until {shown(listed['expires_at'])} UTC; it is not shown again.\n"
    )
    assert datetime.fromisoformat(listed["expires_at"]) - datetime.now(UTC) > timedelta(days=89)
    with_key = {**reached, "OFC_API_KEY": secret, "OFC_API_KEY_FILE": ""}
    assert ofc("table", "list", **with_key).code == 0
    assert "scope-missing" in ofc("key", "list", **with_key).err


def test_a_key_is_created_with_single_scopes_and_no_end(reached: dict[str, str]) -> None:
    scopes = ("--scope", "read", "--scope", "admin")
    office = ofc("key", "create", "office", *scopes, "--json", **reached).document
    assert re.fullmatch(KEY, office["secret"])
    assert (office["name"], office["scopes"], office["expires_at"]) == ("office", ["read", "admin"], None)
    with_key = {**reached, "OFC_API_KEY": office["secret"], "OFC_API_KEY_FILE": ""}
    refused = ofc("key", "create", "tablet", "--preset", "scorekeeper", **with_key)
    assert (refused.code, refused.out) == (1, "")
    assert "expected scopes that it has: read, admin" in " ".join(refused.err.split())


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ((), 1, "expected one of room, scorekeeper, auditor, manager"),
        (("--preset", "room", "--scope", "read"), 1, "expected one of them"),
        (("--preset", "owner"), 2, "'owner' is not one of 'room', 'scorekeeper', 'auditor', 'manager'"),
        (("--scope", "owner"), 1, "'owner'; expected one of *, read"),
        (("--preset", "room", "--expires-in", "soon"), 2, "'soon' is not a time"),
    ],
)
def test_a_key_that_cannot_be_created_is_explained(
    reached: dict[str, str], options: tuple[str, ...], code: int, words: str
) -> None:
    refused = ofc("key", "create", "tablet", *options, **reached)
    assert (refused.code, refused.out) == (code, "")
    assert words in " ".join(refused.err.split())


def test_keys_are_listed_newest_first(reached: dict[str, str], key: Document) -> None:
    heading, newest, *others = ofc("key", "list", **reached).text.splitlines()
    assert re.split("  +", heading) == [
        "key",
        "name",
        "player",
        "scopes",
        "made (UTC)",
        "last used (UTC)",
        "ends (UTC)",
    ]
    creation, ends = shown(key["created_at"]), shown(key["expires_at"])
    assert re.split("  +", newest) == [key["prefix"], "table tablet", "read", creation, "–", ends]
    assert others
    assert key["key"] not in newest
    [listed] = ofc("key", "list", "--limit", "1", "--json", **reached).document["keys"]
    assert listed["id"] == key["id"]


@pytest.mark.parametrize("known_as", ["id", "prefix", "key"])
def test_a_revoked_key_is_refused(reached: dict[str, str], key: Document, known_as: str) -> None:
    with_key = {**reached, "OFC_API_KEY": key["key"], "OFC_API_KEY_FILE": ""}
    assert ofc("table", "list", **with_key).code == 0
    result = ofc("key", "revoke", key[known_as], **reached)
    assert (result.code, result.text) == (0, f"the key {key['prefix']} (table tablet) is revoked")
    assert "key-unknown" in ofc("table", "list", **with_key).err
    [listed] = ofc("key", "list", "--limit", "1", "--json", **reached).document["keys"]
    assert listed["revoked_at"]
    assert shown(listed["revoked_at"]) in ofc("key", "list", **reached).text.splitlines()[1]
    assert ofc("key", "revoke", key[known_as], **reached).code == 0


@pytest.mark.parametrize("unknown", ["ofc_aaaaaaaa", "ofc_", "", "table tablet", NOBODYS])
def test_an_unknown_key_is_refused(reached: dict[str, str], unknown: str) -> None:
    result = ofc("key", "revoke", unknown, **reached)
    assert (result.code, result.out) == (2, "")
    assert f"there is no key {unknown!r}; `ofc key list` lists all keys" in result.err


def test_keys_need_the_admin_scope(reached: dict[str, str], key: Document) -> None:
    result = ofc("key", "list", **{**reached, "OFC_API_KEY": key["key"], "OFC_API_KEY_FILE": ""})
    assert result.code == 1
    assert "scope-missing" in result.err


CODE = r"[0-9A-Za-z_-]{43}"


def test_the_address_is_printed_and_signs_in_once(reached: dict[str, str]) -> None:
    result = ofc("console", **reached)
    assert result.code == 0, result.err
    address, valid = result.out.splitlines()
    assert re.fullmatch(rf"{re.escape(reached['OFC_URL'])}/console/sign-in/{CODE}", address)
    assert re.fullmatch(r"signs in once, until \d{4}-\d\d-\d\d \d\d:\d\d UTC", valid)
    assert result.err == "", "on this machine itself, the address needs no warning"
    signed_in = []
    for _ in range(2):
        with httpx2.Client(base_url=reached["OFC_URL"], timeout=60, trust_env=False) as browser:
            assert browser.get(address).status_code == 200
            code = address.rpartition("/")[2]
            signed_in.append(browser.post("/console/sign-in", data={"code": code}).status_code)
    assert signed_in == [303, 403]


def test_for_another_device_a_code_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    link = {"url": "http://192.168.1.20:8000/console/sign-in/x", "expires_at": "2026-11-20T20:15:00.000000Z"}
    show_sign_in_link(make_console(), link, draws_code=True)
    *drawn, address, valid = capsys.readouterr().out.splitlines()
    assert "\n".join(drawn) == draw_terminal_code(link["url"])
    assert (address, valid) == (link["url"], "signs in once, until 2026-11-20 20:15 UTC")


@pytest.mark.parametrize("is_there", [True, False])
def test_the_browser_is_opened(reached: dict[str, str], monkeypatch: pytest.MonkeyPatch, is_there: bool) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or is_there)
    result = ofc("console", "--open", **reached)
    assert result.code == 0, result.err
    assert opened == result.out.splitlines()[:1]
    assert ("no browser could be opened" in result.err) != is_there


def test_json_has_the_warnings(reached: dict[str, str]) -> None:
    issued = ofc("console", "--json", **reached).document
    assert [each["code"] for each in issued["warnings"]] == ["link-loopback"]
    assert issued["url"].startswith(reached["OFC_URL"])
