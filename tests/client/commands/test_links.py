"""`ofc link`: links to tables and rounds, created, listed and revoked."""

import re
from pathlib import Path
from xml.etree import ElementTree

import httpx2
import pytest
import segno

from client.api import Client
from tests.support.client.run_ofc import ofc, read_example, write
from tests.support.server_process import Running, command

SECRET = r"ofc_link_[0-9A-Za-z]{43}"


@pytest.fixture
def friday(client: Client, table: str) -> str:
    client.add_table({"name": table, "ruleset": "pineapple"})
    return table


def test_a_link_is_printed_with_a_qr_code(reached: dict[str, str], client: Client, friday: str) -> None:
    result = ofc("link", "table", friday, "--scorekeeper", "--label", "Anna's phone", "--expires-in", "12h", **reached)
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    [place] = [number for number, line in enumerate(lines) if line.startswith("http")]
    address = lines[place]
    assert re.fullmatch(rf"{re.escape(reached['OFC_URL'])}/scorekeeper/#{SECRET}", address)
    drawn = "\n".join(lines[:place])
    assert drawn == terminal_code(address)
    [listed] = client.list_links(table=client.find_table(friday)["id"])  # type: ignore[index]  # there is one
    assert lines[place + 1].startswith(f"Anna's phone (scorekeeper) at {friday}, until ")
    assert lines[place + 2] == f"revoke it: ofc link revoke {listed['id']}"
    assert "warning: only this machine reaches 127.0.0.1; for phones, start the service with" in result.err
    with Client(reached["OFC_URL"], address.partition("#")[2]) as phone:
        link = phone.get_link()
        assert (link["label"], link["table_name"], link["kind"]) == ("Anna's phone", friday, "scorekeeper")
        assert [each["name"] for each in phone.list_tables()] == [friday]


def terminal_code(address: str) -> str:
    """Draw a code from its modules: each character is two, one above the other, and light ones are drawn."""
    rows = [[1 - dark for dark in row] for row in segno.make(address, error="l").matrix_iter(border=2)]
    rows += [[0] * len(rows[0])] * (len(rows) % 2)
    shapes = {(1, 1): "█", (1, 0): "▀", (0, 1): "▄", (0, 0): " "}
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return "\n".join("".join(shapes[pair] for pair in zip(*two, strict=True)) for two in pairs)


def test_a_phone_is_signed_in_with_a_qr_code(reached: dict[str, str], client: Client, tmp_path: Path) -> None:
    result = ofc("link", "phone", "--svg", str(tmp_path / "phone.svg"), **reached)
    assert result.code == 0, result.err
    *drawn, address, until = result.out.splitlines()
    assert re.fullmatch(rf"{re.escape(reached['OFC_URL'])}/scorekeeper/#ofc_phone_[\w-]{{43}}", address)
    assert "\n".join(drawn) == terminal_code(address)
    assert until.startswith("signs in once, until ")
    assert ElementTree.parse(tmp_path / "phone.svg").getroot().tag.endswith("svg")
    secret = f"ofc_link_{'phone':a<43}"
    client.sign_in_phone({"code": address.partition("#")[2], "secret": secret, "label": "Anna's phone"})
    listed = ofc("link", "list", "--kind", "club", **reached)
    assert re.search(r"Anna's phone +club +all tables", listed.out)
    [link] = client.list_links(kind="club", state="valid")
    assert ofc("link", "revoke", link["id"], **reached).code == 0
    assert ofc("link", "phone", "--json", **reached).document["url"].startswith(f"{reached['OFC_URL']}/scorekeeper/#")


def test_a_link_reads_the_table_unless_it_is_for_a_scorekeeper(reached: dict[str, str], friday: str) -> None:
    issued = ofc("link", "table", friday, "--json", **reached).document
    assert (issued["kind"], issued["scopes"], issued["label"]) == ("viewer", ["read"], "viewer")
    assert [each["code"] for each in issued["warnings"]] == ["link-loopback"]


def test_a_link_of_a_player_is_printed_with_the_scoreboard(
    reached: dict[str, str], client: Client, friday: str
) -> None:
    result = ofc("link", "table", friday, "--player", "ben", **reached)
    assert result.code == 0, result.err
    assert re.search(rf"^{re.escape(reached['OFC_URL'])}/links/{SECRET}$", result.out, re.MULTILINE)
    assert re.search(rf"^scoreboard: {re.escape(reached['OFC_URL'])}/board/#{SECRET}$", result.out, re.MULTILINE)
    assert f"ben (player) at {friday}, until " in result.out
    [listed] = client.list_links(table=client.find_table(friday)["id"])  # type: ignore[index]  # there is one
    assert (listed["kind"], listed["player"]) == ("player", "ben")
    refused = ofc("link", "table", friday, "--player", "ben", "--scorekeeper", **reached)
    assert (refused.code, refused.out) == (2, "")
    assert "--scorekeeper and --player were given; expected one of them" in refused.err


def test_a_qr_code_is_written_for_print_and_replaces_no_file(
    reached: dict[str, str], friday: str, tmp_path: Path
) -> None:
    file = tmp_path / "friday.svg"
    assert ofc("link", "table", friday, "--svg", str(file), **reached).code == 0
    root = ElementTree.parse(file).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    before = file.read_bytes()
    refused = ofc("link", "table", friday, "--svg", str(file), **reached)
    assert (refused.code, file.read_bytes()) == (2, before)
    assert len(ofc("link", "list", "--table", friday, "--json", **reached).document["links"]) == 1
    assert ofc("link", "table", friday, "--svg", str(file), "--overwrite", **reached).code == 0
    assert file.read_bytes() != before


def test_links_are_listed_and_revoked(reached: dict[str, str], friday: str) -> None:
    assert ofc("link", "list", "--table", friday, **reached).text == "No links."
    issued = ofc("link", "table", friday, "--label", "bar", "--json", **reached).document
    shown = ofc("link", "list", "--table", friday, **reached).out
    assert issued["id"] in shown
    assert "bar" in shown
    assert "ofc_link_" not in shown
    for written in (issued["id"][-8:], issued["id"]):
        revoked = ofc("link", "revoke", written, **reached)
        assert (revoked.code, revoked.text) == (0, "the link is revoked")
    [listed] = ofc("link", "list", "--table", friday, "--json", **reached).document["links"]
    assert listed["revoked_at"] is not None


def test_a_key_that_reads_no_tables_lists_links_with_the_ids_of_tables(
    service: Running, reached: dict[str, str], client: Client, friday: str
) -> None:
    issued = ofc("link", "table", friday, "--json", **reached).document
    options = ("--club", "home", "--name", "phones", "--scope", "write", "--data", str(service.directory))
    key = command("key", "create", *options).stdout.strip()
    listed = ofc("link", "list", OFC_URL=service.url, OFC_API_KEY=key)
    assert listed.code == 0, listed.err
    [line] = [line for line in listed.out.splitlines() if line.startswith(issued["id"])]
    assert client.find_table(friday)["id"] in line  # type: ignore[index]  # there is one


@pytest.mark.parametrize("written", ["0", "5", "24", "1w", "-1h", "0m"])
def test_an_invalid_time_is_reported(reached: dict[str, str], friday: str, written: str) -> None:
    result = ofc("link", "table", friday, f"--expires-in={written}", **reached)
    assert (result.code, result.out) == (2, "")
    assert "expected minutes, hours or days, for example 90m, 24h or 7d" in result.err


def test_a_link_to_a_round_shows_the_round_until_it_is_revoked(
    reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    assert ofc("post", write(tmp_path, {**read_example("turbo"), "table": table}), **reached).code == 0
    issued, other = (
        ofc("link", "round", table, "--expires-in", days, "--json", **reached).document for days in ("1d", "2d")
    )
    assert (issued["kind"], issued["board_url"]) == ("viewer", None)
    address = issued["url"]
    assert httpx2.get(address, timeout=60, trust_env=False, verify=False).status_code == 200
    # As a player has it open who looks at a hand.
    hand = f"{address}/rounds/{issued['round']}/hands/1?x#top"
    revoked = ofc("link", "revoke", hand, **reached)
    assert (revoked.code, revoked.text, revoked.err) == (0, "the link is revoked", "")
    assert httpx2.get(address, timeout=60, trust_env=False, verify=False).status_code == 410
    assert httpx2.get(other["url"], timeout=60, trust_env=False, verify=False).status_code == 200
    [listed] = ofc("link", "list", "--round", table, "--state", "valid", "--json", **reached).document["links"]
    assert listed["id"] == other["id"]
    shown = ofc("link", "round", table, "--player", "ann", **reached)
    assert re.search(rf"^{re.escape(reached['OFC_URL'])}/links/{SECRET}$", shown.out, re.MULTILINE)
    assert "ann (player) to the round of " in shown.out


def test_a_link_that_does_not_exist_is_reported(reached: dict[str, str], friday: str) -> None:
    issued = ofc("link", "table", friday, "--json", **reached).document
    unknown = ofc("link", "revoke", "0123abcd", **reached)
    assert (unknown.code, unknown.out) == (2, "")
    assert "there is no link '0123abcd'; `ofc link list` lists all links" in unknown.err
    assert ofc("link", "revoke", issued["url"], **reached).code == 0
    ended = ofc("link", "revoke", issued["url"], **reached)
    assert (ended.code, ended.out) == (1, "")
    assert "is unknown, expired or revoked" in ended.err
    assert "ofc_link_" not in ended.err
