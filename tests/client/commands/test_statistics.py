"""`ofc statistics` against a service, whose worker counts the hands."""

import pytest

from client.api import Client
from tests.support.client.run_ofc import ofc
from tests.support.sample_rounds import COMPLETE, document_of


def test_statistics_of_a_player_and_of_all(reached: dict[str, str], client: Client, table: str) -> None:
    sitting = {1: f"{table}-ann 100", 2: f"{table}-bob 100", 3: f"{table}-cyd 100"}
    client.play_document(document_of(table=table, sitting=sitting, hands=COMPLETE))
    listed = ofc("statistics", "--table", table, **reached)
    assert listed.code == 0, listed
    lines = [line.split() for line in listed.text.splitlines()]
    assert lines[1] == [
        f"{table}-ann", "3", "+36", "+12.00", "(+12.00", "to", "+12.00)", "0", "0", "0", "0/0/0", "6", "0", "0",
    ]  # fmt: skip
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
    said = ofc("statistics", *options, **reached)
    assert (said.code, said.out) == (code, "")
    assert expected in said.err
