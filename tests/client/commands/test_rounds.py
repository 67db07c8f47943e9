"""`ofc round` and `ofc ruleset` against a service."""

import json
from pathlib import Path

import pytest

from client.api import Client
from tests.support.api_settlements import without_players
from tests.support.client.run_ofc import EXAMPLES, PRESETS, ofc, read_example, read_expected, write
from tests.support.sample_rounds import changed

UNKNOWN = "01a1fa77-4a59-709e-b6dd-b28a73ab9d3e"


@pytest.fixture
def posted(reached: dict[str, str], table: str, tmp_path: Path) -> str:
    """The id of a round: pineapple-qq's example, at a table of its own."""
    path = write(tmp_path, {**read_example("pineapple-qq"), "table": table})
    return str(ofc("post", "--json", path, **reached).document["round"]["id"])


# --- rounds ---


def test_the_current_state_of_a_round_is_shown(reached: dict[str, str], posted: str) -> None:
    result = ofc("round", "show", posted, **reached)
    lines = result.text.splitlines()
    assert lines[0] == f"Round {posted} · 2026-11-20/pineapple-qq · pineapple-qq@1 · settlement provisional"
    assert lines[1].split() == ["seat", "player", "opened", "with", "added", "stack"]
    stacks = read_expected("pineapple-qq")["stacks"]
    for line, seat in zip(lines[2:5], read_example("pineapple-qq")["seats"], strict=True):
        assert line.split()[:3] == [str(seat["seat"]), seat["player"], str(seat["stack"])]
        assert line.split()[4] == str(stacks[str(seat["seat"])])
    assert lines[-1].startswith("The round is complete after ")


def test_an_open_round_shows_what_its_next_hand_needs(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    document = {**read_example("pineapple"), "table": table}
    empty = ofc("post", "--json", write(tmp_path, {**document, "hands": []}), **reached).document["round"]["id"]
    shown = ofc("round", "show", empty, **reached).text
    assert shown.endswith("Next: hand 1, button with any seat; ann, bob and cyd play")
    ofc("post", write(tmp_path, {**document, "hands": document["hands"][:1]}), **reached)
    shown = ofc("round", "show", empty, **reached).text
    assert shown.endswith(
        "Next: hand 2, button cyd; ann, bob and cyd play; in Fantasyland ann with 14 cards and cyd with 14 cards"
    )


def test_json_output_is_the_response_of_the_service(reached: dict[str, str], client: Client, posted: str) -> None:
    assert ofc("round", "show", posted, "--json", **reached).document == client.get_round(posted)
    assert ofc("round", "settlement", posted, "--json", **reached).document == client.get_settlement(posted)
    assert ofc("round", "document", posted, **reached).document == client.get_document(posted)
    assert ofc("ruleset", "show", "turbo", "--json", **reached).document == client.get_ruleset("turbo")
    assert ofc("ruleset", "list", "--json", **reached).document["rulesets"] == client.list_rulesets()


@pytest.mark.parametrize("command", ["show", "settlement", "document", "explain", "evidence"])
def test_the_newest_round_of_a_table_is_found_by_the_name_of_the_table(
    reached: dict[str, str], posted: str, table: str, command: str
) -> None:
    by_name, by_id = ofc("round", command, table, **reached), ofc("round", command, posted, **reached)
    assert by_name.code == 0
    assert by_name.out == by_id.out


def test_a_settlement_shows_every_payment_and_the_standings(reached: dict[str, str], posted: str) -> None:
    output = ofc("round", "settlement", posted, **reached).text
    expected = read_expected("pineapple-qq")
    for number in {transfer["hand"] for transfer in expected["transfers"]}:
        assert f"Paid after hand {number}\n" in output
    assert output.count(" → ") == len(expected["transfers"])
    assert "no player wins more in a Fantasyland sequence than they opened it with" in output
    assert "1.  ann        71  +31   3100 JPY" in output
    cut = sum(transfer["due"] - transfer["paid"] for transfer in expected["transfers"])
    assert output.endswith(f"Table stakes cut off {cut} points in all; they are not owed later.")


def test_the_document_of_a_round_can_be_scored_and_posted_again(
    reached: dict[str, str], posted: str, tmp_path: Path
) -> None:
    path = tmp_path / "round.json"
    path.write_text(ofc("round", "document", posted, **reached).out, encoding="utf-8")
    scored = ofc("score", path, "--json").document["settlement"]
    settled = ofc("round", "settlement", posted, "--json", **reached).document
    assert settled["provisional_until"] is not None
    of_service = {"table", "round", "reference", "players", "standing_charge"}
    assert set(settled) - set(scored) == of_service
    alone = {name: value for name, value in without_players(settled).items() if name not in of_service}
    assert alone == {**scored, "provisional_until": settled["provisional_until"]}
    assert ofc("post", "--whole", "--json", path, **reached).document["round"]["id"] == posted
    assert "recorded before" in ofc("post", path, **reached).out


def test_rounds_are_listed_newest_first(reached: dict[str, str], client: Client, table: str, tmp_path: Path) -> None:
    document = {**read_example("turbo"), "table": table}
    ids = [
        ofc(
            "post", "--json", "--whole", "--reference", f"friday/{number}", write(tmp_path, document), **reached
        ).document["round"]["id"]
        for number in range(3)
    ]
    by_name = ofc("round", "list", "--table", table, "--json", **reached).document["rounds"]
    assert [round_["id"] for round_ in by_name] == ids[::-1]
    by_id = ofc("round", "list", "--table", by_name[0]["table"], "--limit", "2", "--json", **reached).document["rounds"]
    assert by_id == by_name[:2]
    lines = ofc("round", "list", "--table", table, **reached).text.splitlines()
    assert lines[0].startswith(f"{ids[2]}  {table} · 2")
    assert lines[0].endswith(" · turbo@1 · complete after 5 hands · friday/2")
    assert lines[1] == "  ann 33 · bob 59 · cyd 68 · dan 0"
    assert len(lines) == 6


def test_a_list_of_several_pages_is_complete(reached: dict[str, str], client: Client, table: str) -> None:
    response = client.add_table({"name": table, "ruleset": "pineapple"})
    seats = [{"seat": 1, "player": table, "stack": 5}, {"seat": 2, "player": "bob", "stack": 5}]
    for number in range(103):
        opened = client.open_round(response["id"], {"seats": seats, "reference": str(number)})
        client.close_round(opened["id"], {"reason": "nobody came"})
    listed = ofc("round", "list", "--player", table, "--limit", "102", "--json", **reached).document["rounds"]
    assert [round_["reference"] for round_ in listed] == [str(number) for number in range(102, 0, -1)]
    assert len(list(client.list_rounds(player=table))) == 103


def test_rounds_can_be_listed_by_player_state_and_time(reached: dict[str, str], posted: str) -> None:
    def ids(*options: str) -> list[str]:
        return [
            round_["id"]
            for round_ in ofc("round", "list", "--json", "--limit", "1000", *options, **reached).document["rounds"]
        ]

    assert posted in ids("--player", "ann", "--status", "complete", "--from", "2020-01-01T00:00:00Z")
    assert posted not in ids("--status", "open")
    assert posted not in ids("--to", "2020-01-01T00:00:00Z")
    assert ids("--player", "nobody") == []
    assert ofc("round", "list", "--player", "nobody", **reached).out == "No rounds.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["round", "show", UNKNOWN], 1, "(not-found)"),
        (["round", "settlement", UNKNOWN], 1, "(not-found)"),
        (["round", "document", UNKNOWN], 1, "(not-found)"),
        (["round", "show", "../tables"], 2, "Error: there is no table '../tables'; `ofc table list` lists"),
        (["round", "show", ""], 2, "Error: there is no table ''"),
        (["round", "list", "--from", "today", "--to", "-1d"], 1, "expected a moment before it"),
        (["round", "list", "--status", "over"], 2, "'over' is not one of 'open', 'complete', 'closed'"),
        (["round", "list", "--table", "nowhere"], 2, "Error: there is no table 'nowhere'"),
        (["ruleset", "show", "badugi"], 1, "(not-found)"),
        (["ruleset", "show", "turbo@2"], 1, "(not-found)"),
        (["ruleset", "show", ""], 2, "Error: a name or an id is empty"),
        (["ruleset", "diff", "turbo", "a/b"], 1, "(not-found)"),
    ],
)
def test_an_unknown_record_is_an_error(reached: dict[str, str], arguments: list[str], code: int, sentence: str) -> None:
    result = ofc(*arguments, **reached)
    assert (result.code, result.out) == (code, "")
    assert sentence in result.err


# --- rulesets ---


def test_the_presets_are_listed_without_a_key(service: object, reached: dict[str, str]) -> None:
    result = ofc("ruleset", "list", OFC_URL=reached["OFC_URL"])
    assert result.code == 0
    listed = [line.split("  ")[0] for line in result.text.splitlines()[1:]]
    assert [f"{name}@1" in listed for name in PRESETS] == [True] * len(PRESETS)
    assert (
        "Fantasyland QQ 14, KK 15, AA 16, trips 17 · scope hand, win limit stack · leaving between rounds" in result.out
    )
    assert "pineapple, low middle · 2–3 players · Fantasyland KK 14, 75432 14, both 15 ·" in result.out


@pytest.mark.parametrize("columns", [60, 80])
def test_rulesets_fit_a_narrow_terminal(reached: dict[str, str], columns: int) -> None:
    for arguments in (["list"], ["show", "progressive"], ["diff", "pineapple", "deuce-to-seven"]):
        result = ofc("ruleset", *arguments, COLUMNS=str(columns), **reached)
        assert max(map(len, result.text.splitlines())) <= columns
        assert "…" not in result.out


def test_a_ruleset_is_shown_rule_by_rule(reached: dict[str, str]) -> None:
    lines = [line.split() for line in ofc("ruleset", "show", "progressive", **reached).text.splitlines()]
    assert ["fantasyland.enter.trips", "17"] in lines
    assert ["stakes.win_limit", "stack"] in lines
    assert ["low_middle", "false"] in lines
    assert ["fantasyland.stay.middle", "–"] in lines


def test_only_differences_between_two_rulesets_are_shown(reached: dict[str, str]) -> None:
    lines = [line.split() for line in ofc("ruleset", "diff", "pineapple", "progressive", **reached).text.splitlines()]
    assert lines == [
        ["rule", "pineapple@1", "progressive@1"],
        ["fantasyland.enter.KK", "–", "15"],
        ["fantasyland.enter.AA", "–", "16"],
        ["fantasyland.enter.trips", "–", "17"],
    ]
    differing = ofc("ruleset", "diff", "pineapple", "progressive", "--json", **reached).document
    assert differing["fantasyland.enter.trips"] == [None, 17]


def test_a_ruleset_does_not_differ_from_itself(reached: dict[str, str]) -> None:
    result = ofc("ruleset", "diff", "turbo", "turbo@1", **reached)
    assert result.out == "turbo@1 and turbo@1 are the same rules.\n"


def test_a_printed_ruleset_can_be_edited_tested_and_stored(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    shown = json.loads(ofc("ruleset", "show", "pineapple", "--json", **reached).out)
    shown.pop("version")
    mine = changed(shown, ("name", table), ("points/row", 2))
    tried = ofc("score", EXAMPLES / "score.json", "--json", "--ruleset", write(tmp_path, mine)).document
    stored = client.add_ruleset(mine)
    assert tried["ruleset"] == f"{stored['name']}@{stored['version']}"
    assert ofc("ruleset", "diff", "pineapple", table, "--json", **reached).document == {"points.row": [1, 2]}


@pytest.mark.parametrize("columns", ["36", "45", "60", "71"])
def test_every_word_of_a_hand_is_shown_on_a_narrow_terminal(columns: str) -> None:
    wide = ofc("score", EXAMPLES / "score.json", COLUMNS="120").out
    output = ofc("score", EXAMPLES / "score.json", COLUMNS=columns).out
    assert max(map(len, output.splitlines())) <= int(columns)
    assert "…" not in output
    boards = wide.partition("Boards")[2].partition("Head-to-head")[0]
    assert set(output.split()) >= set(boards.split())
