"""`ofc statistics` and `ofc plot` against a service, whose worker counts the hands."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from client.api import Client
from tests.support.client.run_ofc import ofc, ofc_process
from tests.support.sample_rounds import COMPLETE, document_of


def test_statistics_of_a_player_and_of_all(reached: dict[str, str], client: Client, table: str) -> None:
    sitting = {1: f"{table}-ann 100", 2: f"{table}-bob 100", 3: f"{table}-cyd 100"}
    client.play_document(document_of(table=table, sitting=sitting, hands=COMPLETE))
    listed = ofc("statistics", "--table", table, **reached)
    assert listed.code == 0, listed
    lines = [line.split() for line in listed.text.splitlines()]
    assert lines[1] == [
        f"{table}-ann", "3", "+36", "+12.00", "(+12.00", "to", "+12.00)", "0", "0", "0", "0/0/0", "6", "0", "0",
    ]  # as a table  # fmt: skip
    assert [line[0] for line in lines[1:4]] == [f"{table}-ann", f"{table}-bob", f"{table}-cyd"]
    one = ofc("statistics", f"{table}-cyd", "--ruleset", "pineapple", "--json", **reached).document
    assert [(each["player"], each["points"]) for each in one["players"]] == [(f"{table}-cyd", -36)]
    none = ofc("statistics", "--table", table, "--to", "2000-01-01", **reached)
    assert none.text == "No hands have been played."


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        (["nobody-played"], 1, "the player 'nobody-played' has played no round"),
        (["--table", "nowhere"], 2, "there is no table 'nowhere'"),
        (["--from", "soon"], 2, "'soon' is not a time"),
        (["--ruleset", "TURBO"], 1, "'TURBO'"),
        ([""], 2, "a name or an id is empty"),
    ],
)
def test_invalid_arguments_are_refused(reached: dict[str, str], options: list[str], code: int, expected: str) -> None:
    result = ofc("statistics", *options, **reached)
    assert (result.code, result.out) == (code, "")
    assert expected in result.err


@pytest.fixture
def played(client: Client, table: str) -> str:
    client.play_document(document_of(table=table, hands=COMPLETE, reference="1"))
    return table


def test_the_ending_of_the_file_chooses_the_form(
    reached: dict[str, str], client: Client, played: str, tmp_path: Path
) -> None:
    drawn, listed = tmp_path / "stacks.svg", tmp_path / "stacks.CSV"
    for file in (drawn, listed):
        written = ofc("plot", "stacks", file, "--table", played, **reached)
        assert (written.code, written.out, written.err) == (0, "", "")
    assert ElementTree.fromstring(drawn.read_bytes()).tag.endswith("svg")
    rows = listed.read_bytes().decode().split("\r\n")
    round_id = next(client.list_rounds(table=str(client.find_table(played)["id"])))["id"]  # type: ignore[index]  # there is one
    assert rows == [
        "round,hand,ann,bob,cyd",
        *(f"{round_id},{hand},{100 + 12 * hand},100,{100 - 12 * hand}" for hand in range(4)),
        "",
    ]
    figures = client.get_plot("stacks", round=round_id)
    assert [series["figures"] for series in figures["series"]] == [
        [100, 112, 124, 136],
        [100, 100, 100, 100],
        [100, 88, 76, 64],
    ]
    assert client.get_plot_as("text/csv", "stacks", round=round_id).content == listed.read_bytes()


def test_a_plot_is_printed(reached: dict[str, str], played: str, tmp_path: Path) -> None:
    printed = ofc_process("plot", "stacks", "-", "--round", played, **reached)
    assert printed.out.startswith("<svg ")
    file = tmp_path / "table"
    assert ofc("plot", "sources", file, "--csv", "--table", played, "--player", "ann", **reached).code == 0
    assert file.read_bytes() == b"player,hands,rows,bonuses,royalties,fouls,fantasyland\r\nann,3,18,18,0,0,0\r\n"
    same = ofc_process("plot", "sources", "-", "--csv", "--table", played, "--player", "ann", **reached)
    assert same.out.encode() == file.read_bytes()
    none = ofc("plot", "sources", "-", "--csv", "--table", played, "--to", "2000-01-01", **reached)
    assert none.out.splitlines() == ["player,hands,rows,bonuses,royalties,fouls,fantasyland"]


def test_a_file_is_only_overwritten_with_the_option_overwrite(
    reached: dict[str, str], played: str, tmp_path: Path
) -> None:
    file = tmp_path / "net.csv"
    file.write_text("mine")
    refused = ofc("plot", "net", file, "--table", played, **reached)
    assert (refused.code, file.read_text()) == (2, "mine")
    assert "already exists; expected another name, or --overwrite" in refused.err
    assert ofc("plot", "net", file, "--table", played, "--overwrite", **reached).code == 0
    assert file.read_text().startswith("opened_at,round,ann,bob,cyd")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["net", "plot.pdf"], "plot.pdf ends with neither .svg nor .csv; expected one of them, or --csv"),
        (["net", "plot.svg", "--csv"], "--csv was given, but plot.svg ends with .svg; expected one form"),
        (["weather", "plot.svg"], "'weather' is not one of"),
        (["net"], "Missing argument 'FILE'"),
        (["net", "-", "--overwrite"], "--overwrite was given without a file to write"),
    ],
)
def test_a_wrong_command_is_explained(reached: dict[str, str], arguments: list[str], sentence: str) -> None:
    refused = ofc("plot", *arguments, **reached)
    assert refused.code == 2
    assert sentence in " ".join(refused.err.split())


def test_the_line_of_a_player_is_in_color(reached: dict[str, str], played: str) -> None:
    for player in ("bob", "cyd"):
        drawn = ofc_process("plot", "stacks", "-", "--table", played, "--highlight", player, **reached)
        assert re.findall('<text class="name picked"[^>]*>\u2068(.*?)\u2069', drawn.out) == [player]


def test_the_service_explains_an_invalid_filter(reached: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "net.svg"
    refused = ofc("plot", "net", file, "--player", "a\u202eb", **reached)
    assert refused.code == 1
    assert "control, format and private characters" in refused.err
    assert not file.exists()
