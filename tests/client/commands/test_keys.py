"""`ofc key` against a real service: the club's keys are listed, and end at once."""

import json
import re
from typing import Any

import pytest

from tests.support.client.run_ofc import ofc
from tests.support.sample_rounds import NOBODYS
from tests.support.server_process import Running, command

Document = dict[str, Any]


@pytest.fixture
def key(service: Running) -> Document:
    """A new key of the club, with its secret."""
    options = "--club", "home", "--name", "table tablet", "--scope", "read", "--expires-in", "90d", "--json"
    made = command("key", "create", *options, "--data", str(service.directory))
    read: Document = json.loads(made.stdout)
    return read


def shown(moment: str) -> str:
    return moment[:16].replace("T", " ")


def test_keys_are_listed_newest_first(reached: dict[str, str], key: Document) -> None:
    heading, newest, *others = ofc("key", "list", **reached).text.splitlines()
    assert re.split("  +", heading) == ["key", "name", "scopes", "made (UTC)", "last used (UTC)", "ends (UTC)"]
    made, ends = shown(key["created_at"]), shown(key["expires_at"])
    assert re.split("  +", newest) == [key["prefix"], "table tablet", "read", made, "–", ends]
    assert others
    assert key["key"] not in newest
    [listed] = ofc("key", "list", "--limit", "1", "--json", **reached).document["keys"]
    assert listed["id"] == key["id"]


@pytest.mark.parametrize("known_as", ["id", "prefix", "key"])
def test_a_revoked_key_is_refused(reached: dict[str, str], key: Document, known_as: str) -> None:
    with_key = {**reached, "OFC_API_KEY": key["key"], "OFC_API_KEY_FILE": ""}
    assert ofc("table", "list", **with_key).code == 0
    said = ofc("key", "revoke", key[known_as], **reached)
    assert (said.code, said.text) == (0, f"the key {key['prefix']} (table tablet) is revoked")
    assert "key-unknown" in ofc("table", "list", **with_key).err
    [listed] = ofc("key", "list", "--limit", "1", "--json", **reached).document["keys"]
    assert listed["revoked_at"]
    assert shown(listed["revoked_at"]) in ofc("key", "list", **reached).text.splitlines()[1]
    assert ofc("key", "revoke", key[known_as], **reached).code == 0


@pytest.mark.parametrize("unknown", ["ofc_aaaaaaaa", "ofc_", "", "table tablet", NOBODYS])
def test_an_unknown_key_is_refused(reached: dict[str, str], unknown: str) -> None:
    said = ofc("key", "revoke", unknown, **reached)
    assert (said.code, said.out) == (2, "")
    assert f"there is no key {unknown!r}; `ofc key list` lists the keys of the club" in said.err


def test_keys_need_the_admin_scope(reached: dict[str, str], key: Document) -> None:
    said = ofc("key", "list", **{**reached, "OFC_API_KEY": key["key"], "OFC_API_KEY_FILE": ""})
    assert said.code == 1
    assert "scope-missing" in said.err
