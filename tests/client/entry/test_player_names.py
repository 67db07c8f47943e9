"""New players whose names differ from a known player's by case or accents only."""

import json
from pathlib import Path
from typing import Any

import pytest

from client.api import Client
from client.entry import player_names
from client.lookup import find_table
from tests.client.commands.test_tables import open_round, set_up
from tests.support.client.run_ofc import ofc, write
from tests.support.client.terminal import ENTER, Terminal, terminal
from tests.support.sample_rounds import HIGH, MID, document_of, hand


def players(client: Client, table: str) -> list[str]:
    newest = next(client.list_rounds(table=find_table(client, table)["id"]))
    return [seat["player"] for seat in newest["seats"]]


@pytest.fixture
def known(reached: dict[str, str], client: Client, table: str) -> str:
    """A table at which two players are known."""
    set_up(reached, table)
    round_id = open_round(reached, table, f"ann {table}=200", f"José {table}=200")
    client.close_round(round_id, {"reason": "late"})
    return table


@pytest.mark.parametrize("options", [[], ["--yes"]])
def test_without_a_terminal_a_warning_shows_both_names(
    reached: dict[str, str], client: Client, known: str, options: list[str]
) -> None:
    result = ofc(
        "round", "open", known, f"Ann {known}=100", f"jose {known}=100", f"José {known}=9", *options, **reached
    )
    assert result.code == 0, result
    assert (
        f"Warning: 'Ann {known}' becomes a new player; there is a known player 'ann {known}' with a similar name."
        in result.err
    )
    assert (
        f"Warning: 'jose {known}' becomes a new player; there is a known player 'José {known}' with a similar name."
        in result.err
    )
    assert players(client, known) == [f"Ann {known}", f"jose {known}", f"José {known}"]


def test_known_and_clearly_new_names_need_no_confirmation(reached: dict[str, str], known: str) -> None:
    result = ofc("round", "open", known, f"ann {known}", f"anne {known}=100", **reached)
    assert (result.code, result.err) == (0, "")


def test_an_old_name_is_known(
    reached: dict[str, str], client: Client, known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.close_round(open_round(reached, known, f"Ann {known}=100", "ben=100"), {"reason": "late"})
    client.close_round(open_round(reached, known, f"ann {known}=100", "ben=100"), {"reason": "late"})
    monkeypatch.setattr(player_names, "_ROUNDS", 1)
    result = ofc("round", "open", known, f"Ann {known}=100", "ben=100", **reached)
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize(("reply", "name"), [("yes", "ann"), ("no", "ANN")])
def test_a_terminal_shows_a_prompt_for_confirmation(
    reached: dict[str, str], client: Client, known: str, reply: str, name: str
) -> None:
    terminal = Terminal("round", "open", known, f"ANN {known}=100", "ben=100", **reached)
    # A line of the terminal is shorter than the question.
    assert terminal.shows("There is no player 'ANN ", 60)
    assert terminal.shows("Did you mean ann ", 60)
    terminal.type(reply, ENTER)
    assert terminal.end() == 0
    assert players(client, known) == [f"{name} {known}", "ben"]


# --- documents: names in them are not replaced ---


def written(directory: Path, table: str, *names: str, reference: str = "posted") -> Path:
    """Write a round of two players."""
    sitting = {seat: f"{name} 100" for seat, name in enumerate(names, start=1)}
    hands = [hand(1, 1, {1: HIGH, 2: MID})]
    document = document_of(sitting=sitting, hands=hands, table=table, reference=reference)
    return write(directory, document, f"{reference}.json")


def count_rounds(client: Client, table: str) -> int:
    record = client.find_table(table)
    return 0 if record is None else len(list(client.list_rounds(table=record["id"])))


def write_warning(name: str, known: str) -> str:
    return f"Warning: {name!r} becomes a new player; there is a known player {known!r} with a similar name."


@pytest.mark.parametrize("options", [[], ["--whole"], ["--yes"]])
def test_a_post_warns_of_a_name_similar_to_a_known_one_and_continues(
    reached: dict[str, str], client: Client, known: str, tmp_path: Path, options: list[str]
) -> None:
    file = written(tmp_path, known, f"Ann-{known}", f"jose-{known}")
    ann, jose = f"ann-{known}", f"José-{known}"
    open_round(reached, known, f"{ann}=200", f"{jose}=200")
    assert ofc("round", "close", known, "--reason", "late", "--yes", **reached).code == 0
    result = ofc("post", *options, file, **reached)
    assert result.code == 0, result
    assert result.err.splitlines() == [write_warning(f"Ann-{known}", ann), write_warning(f"jose-{known}", jose)]
    assert players(client, known) == [f"Ann-{known}", f"jose-{known}"]
    again = ofc("post", *options, file, **reached)
    assert (again.code, again.err) == (0, "")


@pytest.mark.parametrize(("options", "reply"), [([], "no"), (["--whole"], "no"), ([], "yes")])
def test_a_post_at_a_terminal_asks_for_confirmation(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path, options: list[str], reply: str
) -> None:
    first = written(tmp_path, f"{table}-1", f"ann-{table}", "ben", reference="first")
    second = written(tmp_path, f"{table}-2", f"Ann-{table}", "ben", reference="second")
    with terminal("post", *options, str(first), str(second), columns=250, **reached) as screen:
        question = f"'Ann-{table}' becomes a new player; there is a known player 'ann-{table}' with a similar name."
        assert screen.shows(f"{question} Continue with 'Ann-{table}'? [yes/no]")
        screen.type(reply, ENTER)
        if reply == "no":
            assert screen.shows("Nothing was posted.")
        assert screen.end() == 0
    posted = int(reply == "yes")
    assert [count_rounds(client, f"{table}-{number}") for number in (1, 2)] == [posted, posted]


def test_a_corrected_name_similar_to_a_known_one_is_a_warning(
    reached: dict[str, str], client: Client, known: str, tmp_path: Path
) -> None:
    assert ofc("post", written(tmp_path, known, f"ann-{known}", "cid"), **reached).code == 0

    def correct(seat: int, name: str) -> Any:
        patch: Any = [{"op": "replace", "path": f"/seats/{seat}/player", "value": name}]
        amended = write(tmp_path, patch, "patch.json")
        return ofc("round", "correct", known, "--reason", "name", "--patch", amended, "--yes", **reached)

    quite_new = correct(1, f"cyd-{known}")
    assert (quite_new.code, quite_new.err) == (0, "")
    own_spelling = correct(1, f"Cyd-{known}")
    assert (own_spelling.code, own_spelling.err) == (0, "")
    like_another = correct(1, f"\xe1nn-{known}")
    assert like_another.code == 0, like_another
    assert like_another.err.splitlines() == [write_warning(f"\xe1nn-{known}", f"ann-{known}")]
    assert players(client, known) == [f"ann-{known}", f"\xe1nn-{known}"]


@pytest.mark.parametrize(
    ("options", "reply", "imported"), [([], "no", False), ([], "yes", True), (["--yes"], "", True)]
)
def test_an_import_at_a_terminal_asks_for_confirmation(
    reached: dict[str, str], client: Client, known: str, tmp_path: Path, options: list[str], reply: str, imported: bool
) -> None:
    file = write(tmp_path, document_of(table=known, sitting={1: "x 9", 2: "ben 9"}, reference="imported"))
    document = json.loads(file.read_text())
    document["seats"][0]["player"] = f"ANN {known}"
    file.write_text(json.dumps(document) + "\n")
    with terminal("import", *options, str(file), columns=250, **reached) as screen:
        if reply:
            assert screen.shows(f"Continue with 'ANN {known}'? [yes/no]")
            screen.type(reply, ENTER)
        assert screen.end() == 0
    assert (f"ANN {known}" in players(client, known)) is imported
