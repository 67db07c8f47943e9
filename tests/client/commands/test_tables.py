"""`ofc table` and `ofc round open` against a service."""

from itertools import pairwise

import pytest

from client.api import Client
from tests.support.client.run_ofc import ofc
from tests.support.sample_rounds import HIGH, LOW, MID, hand, without

THREE = {1: HIGH, 2: MID, 3: LOW}


def set_up(reached: dict[str, str], table: str, *options: str, ruleset: str = "pineapple") -> None:
    result = ofc("table", "create", table, "--ruleset", ruleset, *options, **reached)
    assert result.code == 0, result


def open_round(reached: dict[str, str], table: str, *sitting: str) -> str:
    result = ofc("round", "open", table, *sitting, "--json", **reached)
    assert result.code == 0, result
    return str(result.document["id"])


# --- tables ---


def test_a_table_is_created_with_a_point_value(reached: dict[str, str], table: str) -> None:
    options = ["--ruleset", "progressive", "--point-value", "50", "--unit", "EUR", "--minimum-stack", "40"]
    result = ofc("table", "create", table, *options, **reached)
    assert result.code == 0
    assert result.out.startswith(
        f"{table} · progressive@1 · a point is 0.50 EUR · at least 40 points each · provisional for 30 minutes  "
    )
    assert result.out in ofc("table", "list", **reached).out


def test_a_table_is_created_and_changed_with_a_standing_charge(reached: dict[str, str], table: str) -> None:
    options = ["--ruleset", "pineapple", "--point-value", "50", "--unit", "EUR"]
    created = ofc("table", "create", table, *options, "--charge-per", "hand", "--charge-amount", "25", **reached)
    assert " · a point is 0.50 EUR · the house charges 0.25 EUR a hand · " in created.out
    changed = ofc("table", "update", table, "--charge-per", "round", **reached)
    assert " · the house charges 0.25 EUR a round · " in changed.out
    half = ofc("table", "create", f"{table}-2", *options, "--charge-per", "hand", **reached)
    assert (half.code, "#/charge_amount  is required beside `charge_per`" in half.err) == (1, True)


def test_json_output_is_the_response_of_the_service(reached: dict[str, str], client: Client, table: str) -> None:
    response = ofc("table", "create", table, "--ruleset", "pineapple", "--json", **reached).document
    assert response == client.get_table(response["id"])
    assert without(response, "metadata") in ofc("table", "list", "--json", **reached).document["tables"]
    summed = ofc("table", "statement", response["id"], "--json", **reached).document
    assert summed == client.get_statement(response["id"])


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--ruleset", "badugi"], 1, "(ruleset-unknown)"),
        (["--ruleset", "pineapple", "--point-value", "5"], 1, "#/unit  is required beside a point value"),
        (["--ruleset", "pineapple", "--point-value", "1.5"], 2, "'1.5' is not a valid integer range"),
        ([], 2, "Missing option '--ruleset'"),
    ],
)
def test_an_invalid_table_is_refused(
    reached: dict[str, str], table: str, arguments: list[str], code: int, sentence: str
) -> None:
    result = ofc("table", "create", table, *arguments, **reached)
    assert (result.code, result.out) == (code, "")
    assert sentence in result.err


def test_a_duplicate_name_is_refused(reached: dict[str, str], table: str) -> None:
    set_up(reached, table)
    result = ofc("table", "create", table, "--ruleset", "turbo", **reached)
    assert result.code == 1
    assert "(table-conflict)" in result.err


def test_a_table_is_changed(reached: dict[str, str], client: Client, table: str) -> None:
    set_up(reached, table, "--minimum-stack", "40")
    options = ["--ruleset", "turbo", "--point-value", "50", "--unit", "EUR", "--correction-window", "5"]
    result = ofc("table", "update", table, "--name", f"{table}-2", *options, **reached)
    assert result.code == 0
    line = f"{table}-2 · turbo@1 · a point is 0.50 EUR · at least 40 points each · provisional for 5 minutes  "
    assert result.out.startswith(line)
    changed = client.find_table(f"{table}-2")
    assert changed is not None
    response = ofc("table", "update", changed["id"], "--minimum-stack", "9", "--json", **reached).document
    assert response == client.get_table(changed["id"]) == {**changed, "minimum_stack": 9, "metadata": {}}


def test_a_table_is_archived_and_brought_back_by_its_name(reached: dict[str, str], client: Client, table: str) -> None:
    set_up(reached, table)
    archived = ofc("table", "update", table, "--archived", **reached)
    assert archived.code == 0
    assert " · archived  " in archived.out
    assert table not in ofc("table", "list", "--limit", "1000", **reached).out
    assert archived.out in ofc("table", "list", "--archived", "--limit", "1000", **reached).out
    refused = ofc("round", "open", table, "ann=200", "ben=200", **reached)
    assert refused.code == 2
    assert f"there is no table {table!r}" in refused.err
    by_id = ofc("round", "open", archived.out.split()[-1], "ann=200", "ben=200", **reached)
    assert by_id.code == 1
    assert "(table-archived)" in by_id.err
    restored = ofc("table", "update", table, "--no-archived", **reached)
    assert restored.code == 0
    assert "archived" not in restored.out
    open_round(reached, table, "ann=200", "ben=200")


def test_of_archived_tables_with_one_name_the_id_is_needed(reached: dict[str, str], table: str) -> None:
    ids = []
    for _ in range(2):
        set_up(reached, table)
        ids.append(ofc("table", "update", table, "--archived", "--json", **reached).document["id"])
    result = ofc("table", "update", table, "--no-archived", **reached)
    assert result.code == 2
    assert f"several archived tables are named {table!r}; expected the id of one: " in result.err
    assert all(table_id in result.err for table_id in ids)
    assert ofc("table", "update", ids[0], "--no-archived", **reached).code == 0


def test_lists_of_rounds_name_archived_tables(reached: dict[str, str], client: Client, table: str) -> None:
    set_up(reached, table)
    round_id = open_round(reached, table, "ann=200", "ben=200")
    client.close_round(round_id, {"reason": "late"})
    archived = ofc("table", "update", table, "--archived", "--json", **reached).document
    listed = ofc("round", "list", "--table", archived["id"], **reached)
    assert round_id in listed.out
    assert table in listed.out


def test_a_change_names_what_it_changes(reached: dict[str, str], table: str) -> None:
    set_up(reached, table)
    result = ofc("table", "update", table, **reached)
    assert result.code == 2
    assert "Give at least one of --name, " in result.err


# --- rounds ---


def test_a_round_is_opened_with_seats_and_players(reached: dict[str, str], client: Client, table: str) -> None:
    set_up(reached, table)
    result = ofc("round", "open", table, "2:ann=200", "ben=150", "reference=7", "--reference", "evening/1", **reached)
    assert result.code == 0
    lines = [line.split() for line in result.text.splitlines()]
    assert lines[0][-3:] == ["evening/1", "·", "pineapple@1"]
    assert [line[:3] for line in lines[2:5]] == [["2", "ann", "200"], ["3", "ben", "150"], ["4", "reference", "7"]]
    assert result.text.endswith("Next: hand 1, button with any seat; ann, ben and reference play")
    assert ofc("round", "show", table, **reached).out == result.out


def test_an_omitted_stack_carries_over(reached: dict[str, str], client: Client, table: str) -> None:
    set_up(reached, table)
    first = open_round(reached, table, "ann=200", "ben=200", "cyd=200")
    for number in (1, 2, 3):
        client.record_hand(first, hand(number, number, THREE, dealt_again=True))
    result = ofc("round", "open", table, "ann", "ben", "cyd=400", "--json", **reached)
    assert [seat["stack"] for seat in result.document["seats"]] == [236, 200, 400]


@pytest.mark.parametrize(
    ("sitting", "code", "sentence"),
    [
        (["ann=200", "ben"], 1, "#/seats/1/stack"),
        (
            ["ann=200", "ben=two"],
            2,
            "'ben=two' does not name a player and a stack; expected ann=200, or ann with the stack left over",
        ),
        (["=200"], 2, "'=200' does not name a player and a stack"),
        (["ann=200", "1:ben=200"], 1, "#/seats/1"),
        (["0:ann=200", "ben=200"], 1, "#/seats/0/seat"),
        ([], 2, "Missing argument 'PLAYER[=STACK]...'"),
    ],
)
def test_an_invalid_round_is_refused(
    reached: dict[str, str], table: str, sitting: list[str], code: int, sentence: str
) -> None:
    set_up(reached, table)
    result = ofc("round", "open", table, *sitting, **reached)
    assert (result.code, result.out) == (code, "")
    assert sentence in result.err


@pytest.mark.parametrize(
    "command",
    [
        "table create bad\udcff --ruleset pineapple",
        "table create TABLE --ruleset bad\udcff",
        "table statement \udcff",
        "round show \udcff",
        "round open TABLE bad\udcff=2",
        "round open TABLE ann=2 ben=2 --reference \udcff",
        "round leave TABLE ann --reason x\udcff",
        "round close TABLE --yes --reason x\udcff",
        "undo TABLE --yes --reason x\udcff",
        "hand add \udcff",
    ],
)
def test_an_unprintable_argument_is_an_error(reached: dict[str, str], client: Client, table: str, command: str) -> None:
    set_up(reached, table, ruleset="pineapple-qq")
    round_id = open_round(reached, table, "ann=200", "ben=200", "cyd=200")
    client.record_hand(round_id, hand(1, 1, THREE))
    before = client.get_round(round_id)
    result = ofc(*command.replace("TABLE", table).split(" "), **reached)
    assert result.code == 2
    assert result.err == "Error: the byte 0xff in the arguments is not valid text; expected UTF-8\n"
    assert client.get_round(round_id) == before


@pytest.mark.parametrize("command", [["round", "open", "nowhere", "ann=2"], ["table", "statement", "nowhere"]])
def test_an_unknown_table_is_an_error(reached: dict[str, str], command: list[str]) -> None:
    result = ofc(*command, **reached)
    assert (result.code, result.out) == (2, "")
    advice = "`ofc table list` lists the tables, and with `--archived` those that are archived"
    assert result.err == f"Error: there is no table 'nowhere'; {advice}\n"


def test_a_table_without_rounds_has_no_newest_round(reached: dict[str, str], table: str) -> None:
    set_up(reached, table)
    result = ofc("round", "show", table, **reached)
    assert result.code == 2
    assert result.err.startswith(f"Error: no round was opened at {table} yet; `ofc round open {table} ")


# --- settling up ---


def test_a_statement_shows_results_and_payments(reached: dict[str, str], client: Client, table: str) -> None:
    set_up(reached, table, "--point-value", "25", "--unit", "EUR", ruleset="pineapple-qq")
    round_id = open_round(reached, table, "ann=200", "ben=200", "cyd=200")
    client.record_hand(round_id, {**hand(1, 1, THREE), "top_ups": [{"seat": 2, "points": 40}]})
    lines = ofc("table", "statement", table, **reached).text.splitlines()
    assert lines[0] == f"Table {table} · 1 round, 1 of them open"
    assert lines[2].split() == ["ann", "1", "200", "0", "0", "+12", "212", "3.00", "EUR"]
    assert lines[3].split() == ["ben", "1", "200", "40", "0", "0", "240", "0.00", "EUR"]
    assert lines[4].split() == ["cyd", "1", "200", "0", "0", "−12", "188", "−3.00", "EUR"]
    assert lines[5].split() == ["all", "600", "40", "0", "0", "640"]
    assert "Settled in points by the fewest payments" in lines
    assert [line.split() for line in lines if "cyd → ann" in line] == [
        ["cyd", "→", "ann", "12", "points"],
        ["cyd", "→", "ann", "3.00", "EUR"],
    ]
    assert lines[-1] == "Settle either the points or the money, not both."


@pytest.mark.parametrize("columns", [24, 40, 48, 50, 60, 66, 72, 80])
def test_a_statement_shows_names_and_figures_in_full_on_a_narrow_terminal(
    reached: dict[str, str], client: Client, table: str, columns: int
) -> None:
    set_up(reached, table, "--point-value", "5000", "--unit", "EUR")
    round_id = open_round(reached, table, "alexandra=150000", "ben=120000", "cyd=200000")
    client.record_hand(round_id, hand(1, 1, THREE))
    output = ofc("table", "statement", table, COLUMNS=str(columns), **reached).text
    players, payments = output.split("Settled in points")
    words = [word for word in players.split() if word not in ("player", "·", "Table", table)]
    starts = [words.index(name) for name in ("alexandra", "ben", "cyd", "all")]
    shown = [[word for word in words[start:end] if not word.isalpha()] for start, end in pairwise([*starts, None])]
    assert shown == [
        ["1", "150000", "0", "0", "+12", "150012", "600.00"],
        ["1", "120000", "0", "0", "0", "120000", "0.00"],
        ["1", "200000", "0", "0", "−12", "199988", "−600.00"],
        ["470000", "0", "0", "0", "470000"],
    ]
    assert {"cyd", "alexandra", "12", "600.00"} <= set(payments.split())


def test_a_statement_includes_the_rounds_of_an_evening(reached: dict[str, str], table: str) -> None:
    set_up(reached, table)
    open_round(reached, table, "ann=200", "ben=200")
    assert ofc("table", "statement", table, **reached).text.endswith("No payments.")
    before = ofc("table", "statement", table, "--to", "2020-01-01T00:00:00Z", **reached)
    assert before.text == f"Table {table} · 0 rounds\nNo rounds have been played."
    wrong = ofc("table", "statement", table, "--from", "today", "--to", "yesterday", **reached)
    assert (wrong.code, wrong.out) == (1, "")
