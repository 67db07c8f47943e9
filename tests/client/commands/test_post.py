"""`ofc post` against a service: by hand and whole, again, interrupted, refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from client.api import Client
from tests.support.client.posted_rounds import Document, at_table, first_hands, results_in, settlement_of, short_round
from tests.support.client.run_ofc import EXAMPLES, PRESETS, ofc, read_example, read_expected, write
from tests.support.sample_rounds import HIGH, KINGS, LOW, MID, QUEENS, SEVENS, changed, document_of, hand

# --- both ways, once and again ---


@pytest.mark.smoke
@pytest.mark.parametrize("name", PRESETS)
def test_the_results_of_an_example_are_as_expected_over_http_and_recorded_once(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path, name: str
) -> None:
    by_hand = write(tmp_path, at_table(read_example(name), f"{table}-1"), "1.json")
    whole = write(tmp_path, at_table(read_example(name), f"{table}-2"), "2.json")
    posts: list[list[str | Path]] = [[by_hand], ["--whole", by_hand], ["--whole", whole], [whole]]
    played = [ofc("post", "--json", *arguments, **reached) for arguments in posts]
    assert [results_in(settlement_of(result), name) for result in played] == [read_expected(name)] * 4
    first, again, second, once_more = [result.document["round"]["id"] for result in played]
    assert (first, second) == (again, once_more)
    by_hand_result, whole_result = (result.document for result in played[:2])
    assert by_hand_result["round"].pop("metadata") == {}
    assert by_hand_result == whole_result
    for result in played:
        assert len(list(client.list_rounds(table=result.document["round"]["table"]))) == 1


def test_posting_by_hand_explains_every_hand_and_the_settlement(
    reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    path = write(tmp_path, at_table(read_example("pineapple"), table))
    result = ofc("post", path, **reached)
    assert result.code == 0
    heading, *_ = result.out.splitlines()
    assert heading.startswith("Round 01")
    assert heading.endswith("· 2026-11-20/pineapple · pineapple@1")
    offline = ofc("score", path).text.splitlines()
    settlement_lines = result.text.splitlines()[1:-1]
    firm = next(line for line in settlement_lines if line.startswith("Final at "))
    assert [line for line in settlement_lines if line != firm] == offline[1:]
    assert result.out.endswith(f"Recorded: {len(read_example('pineapple')['hands'])} hands.\n")


def test_posting_again_reports_that_nothing_was_recorded_twice(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    path = write(tmp_path, short_round(table))
    ofc("post", path, **reached)
    again = ofc("post", path, **reached)
    assert again.out.count("recorded before\n") == 3
    assert again.out.endswith("Recorded now: 0 hands; recorded before: 2.\n")
    whole = ofc("post", "--whole", path, **reached)
    assert whole.out.splitlines()[0].endswith("· recorded before")
    [round_] = client.list_rounds(table=ofc("post", "--json", path, **reached).document["round"]["table"])
    assert round_["hands"] == 2


def test_several_rounds_are_one_json_line_each(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    files = [
        write(tmp_path, at_table(read_example(name), f"{table}{name}"), f"{name}.json") for name in ("turbo", "classic")
    ]
    result = ofc("post", "--json", *files, **reached)
    assert [json.loads(line)["round"]["ruleset"] for line in result.out.splitlines()] == ["turbo@1", "classic@1"]


def test_a_round_can_be_piped_in(reached: dict[str, str], table: str) -> None:
    assert ofc("post", "-", text=json.dumps(short_round(table)), **reached).code == 0


@pytest.mark.parametrize(
    ("opened_at", "played_at", "expected"),
    [
        ("2026-11-19T20:00:00Z", None, "2026-11-19T20:00:00Z"),
        (None, "2026-11-18T21:00:00Z", "2026-11-18T21:00:00Z"),
        ("2026-11-19T20:00:00Z", "2026-11-18T21:00:00Z", "2026-11-19T20:00:00Z"),
    ],
)
def test_a_round_belongs_to_the_same_evening_in_both_ways(
    reached: dict[str, str], table: str, tmp_path: Path, opened_at: str | None, played_at: str | None, expected: str
) -> None:
    round_ = changed(short_round(table), ("opened_at", opened_at), ("hands/0/played_at", played_at))
    for place, way in enumerate(([], ["--whole"])):
        file = write(tmp_path, {**round_, "table": f"{table} {place}", "reference": f"evening/{place}"})
        posted = ofc("post", "--json", *way, file, **reached)
        assert posted.document["round"]["opened_at"] == expected


def test_spellings_of_cards_are_accepted(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    spelled = changed(short_round(table), ("hands/0/players/0/bottom", "A♠ Ad 10c 10H 4s"))
    assert settlement_of(ofc("post", "--json", write(tmp_path, spelled), **reached))["net"] == {"1": 12, "2": -12}
    assert ofc("post", write(tmp_path, short_round(table)), **reached).out.endswith("recorded before: 2.\n")


# --- interrupted ---


@pytest.mark.parametrize("name", ["pineapple-1-6-us-unlimited", "progressive-round"])
def test_an_interrupted_post_resumes(reached: dict[str, str], table: str, tmp_path: Path, name: str) -> None:
    document = at_table(read_example(name), table)
    for number in range(len(document["hands"])):
        assert ofc("post", write(tmp_path, first_hands(document, number)), **reached).code == 0
    result = ofc("post", write(tmp_path, document), **reached)
    assert result.out.endswith(f"Recorded now: 1 hand; recorded before: {len(document['hands']) - 1}.\n")
    assert results_in(
        settlement_of(ofc("post", "--json", write(tmp_path, document), **reached)), name
    ) == read_expected(name)


def examples_with(part: str) -> list[str]:
    return [name for name in PRESETS if read_example(name).get(part)]


@pytest.mark.parametrize("part", ["departures", "closed"])
def test_a_departure_or_closing_is_recorded_once(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path, part: str
) -> None:
    [name, *_] = examples_with(part)
    path = write(tmp_path, at_table(read_example(name), table))
    recorded = ofc("post", "--json", path, **reached).document["round"]["id"]
    again = ofc("post", path, **reached)
    assert again.code == 0
    left = read_example(name).get("departures") or []
    assert again.out.count("leaves after hand") == len(left)
    assert len(client.get_document(recorded)["departures"]) == len(left)
    assert client.get_document(recorded)["closed"] == read_example(name).get("closed")


def test_a_round_whose_texts_were_erased_is_recorded(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    stacks, closed = {1: "ann 100", 2: "bob 100", 3: "cyd 100"}, {"after_hand": 1, "reason": "the room closes"}
    played = document_of("pineapple-qq", stacks, [hand(1, 1, {1: HIGH, 2: MID, 3: LOW})], reference="1", table=table)
    departures = [{"seat": 3, "after_hand": 1, "reason": "last train"}]
    path = write(tmp_path, {**played, "departures": departures, "closed": closed})
    round_id = ofc("post", "--json", path, **reached).document["round"]["id"]
    client.erase_texts(round_id)
    assert ofc("post", path, **reached).out.endswith("Recorded now: 0 hands; recorded before: 1.\n")
    recorded = client.get_document(round_id)
    assert (recorded["departures"][0]["reason"], recorded["closed"]) == (None, {"after_hand": 1, "reason": None})


def test_a_departure_before_recorded_hands_is_refused(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    hands = [hand(number, number, {1: HIGH, 2: MID, 3: LOW}) for number in (1, 2)]
    played = document_of("pineapple-qq", {1: "ann 100", 2: "bob 100", 3: "cyd 100"}, hands, reference="1", table=table)
    round_id = ofc("post", "--json", write(tmp_path, played), **reached).document["round"]["id"]
    late = {**played, "departures": [{"seat": 3, "after_hand": 1}]}
    result = ofc("post", write(tmp_path, late), **reached)
    assert result.code == 1
    assert "#/departures/0  happened after hand 1, and the round is recorded up to hand 2 without it" in result.err
    assert client.get_document(round_id)["departures"] == []


def test_a_closing_before_recorded_hands_is_refused(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    document = read_example(name := examples_with("closed")[0])
    longer = {**first_hands(document, len(document["hands"])), "table": table}
    round_id = ofc("post", "--json", write(tmp_path, longer), **reached).document["round"]["id"]
    shorter = first_hands(longer, 1) | {"closed": {"after_hand": 1, "reason": "late"}}
    result = ofc("post", write(tmp_path, shorter), **reached)
    assert result.code == 1, name
    assert "#/closed  happened after hand 1, and the round is recorded up to hand" in result.err
    assert client.get_round(round_id)["status"] == "open"


# --- refused ---


def test_a_refused_hand_is_shown_with_its_pointer_and_stops_the_post(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    right = short_round(table)
    path = write(tmp_path, changed(right, ("hands/1/button", 1)))
    result = ofc("post", path, **reached)
    assert result.code == 1
    assert f"{path}: Invalid hand (hand-invalid)" in result.err
    assert "#/hands/1/button" in result.err
    assert "Hand 1 · button ann" in result.out
    assert "Hand 2" not in result.out
    # What came before it is recorded, and the corrected document goes on from there.
    corrected = ofc("post", write(tmp_path, right), **reached)
    assert corrected.out.endswith("Recorded now: 1 hand; recorded before: 1.\n")


def test_a_refused_whole_round_stores_nothing(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    result = ofc("post", "--whole", write(tmp_path, changed(short_round(table), ("hands/1/button", 1))), **reached)
    assert result.code == 1
    assert "#/hands/1/button" in result.err
    assert client.find_table(table) is None


def test_a_hand_with_other_cards_than_recorded_is_refused(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    ofc("post", write(tmp_path, short_round(table)), **reached)
    other = short_round(table)
    other["hands"][0] = hand(1, 1, {1: MID, 2: HIGH})
    result = ofc("post", write(tmp_path, other), **reached)
    assert result.code == 1
    assert "(hand-conflict)" in result.err
    assert "#/hands/0/players/0/top" in result.err
    assert "Both boards" in result.err


def test_every_invalid_field_is_reported_before_anything_is_posted(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    wrong = changed(
        short_round(table), ("hands/0/players/0/top", "QsXx"), ("hands/1/number", "2"), ("seats/0/stack", 0.5)
    )
    result = ofc("post", write(tmp_path, wrong), **reached)
    assert result.code == 1
    for mistake in ("#/hands/0/players/0/top  has 2 cards", "#/hands/1/number  is '2'", "#/seats/0/stack  is 0.5"):
        assert mistake in result.err
    assert client.find_table(table) is None


def test_an_unknown_ruleset_is_refused_with_its_pointer(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    for way in ([], ["--whole"]):
        result = ofc("post", *way, write(tmp_path, short_round(table, ruleset="badugi")), **reached)
        assert result.code == 1
        assert "#/ruleset  " in result.err


def test_a_single_hand_is_not_a_round(reached: dict[str, str]) -> None:
    result = ofc("post", EXAMPLES / "score.json", **reached)
    assert result.code == 1
    assert "#/hands  is required" in result.err


@pytest.mark.parametrize(
    ("changes", "mistake"),
    [
        ([("hands/1/number", 3)], "#/hands/1/number  is 3; expected 2"),
        ([("departures", [{"seat": 1, "after_hand": 3}])], "#/departures/0/after_hand  is 3; expected at most 2"),
        (
            [("closed", {"after_hand": 1, "reason": "late"})],
            "#/closed/after_hand  is 1; expected 2, the last hand",
        ),
    ],
)
def test_steps_out_of_order_are_refused_before_anything_is_posted(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path, changes: Any, mistake: str
) -> None:
    result = ofc("post", write(tmp_path, changed(short_round(table), *changes)), **reached)
    assert result.code == 1
    assert mistake in result.err
    assert client.find_table(table) is None


def test_a_departure_before_the_first_hand_is_refused_with_its_pointer(
    reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    document = short_round(table, ruleset="pineapple-qq") | {"departures": [{"seat": 1, "after_hand": 0}]}
    result = ofc("post", write(tmp_path, document), **reached)
    assert result.code == 1
    assert "#/departures/0  no hand has been played" in result.err


# --- references ---


def test_without_a_reference_posting_by_hand_explains_its_purpose(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    result = ofc("post", write(tmp_path, short_round(table, reference=None)), **reached)
    assert result.code == 1
    assert "#/reference  is required, so that an interrupted post can be continued" in result.err
    assert "give one here or with --reference, or post the round --whole" in " ".join(result.err.split())
    assert client.find_table(table) is None


def test_a_reference_can_be_set_by_an_option(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    path = write(tmp_path, short_round(table, reference=None))
    one = ofc("post", "--json", "--reference", "friday/1", path, **reached).document["round"]
    assert one["reference"] == "friday/1"
    again = ofc("post", "--json", "--reference", "friday/1", path, **reached).document["round"]
    assert again["id"] == one["id"]
    other = ofc("post", "--json", "--reference", "friday/2", path, **reached).document["round"]
    assert other["id"] != one["id"]


def test_a_reference_identifies_one_round(tmp_path: Path, table: str) -> None:
    path = write(tmp_path, short_round(table))
    result = ofc("post", "--reference", "friday/1", path, path)
    assert result.code == 2
    assert "--reference names one round; give one FILE with it." in result.err


def test_a_whole_round_without_a_reference_is_identified_by_its_content(
    reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    path = write(tmp_path, short_round(table, reference=None))
    one = ofc("post", "--whole", "--json", path, **reached).document
    assert ofc("post", "--whole", "--json", path, **reached).document == one


# --- tables ---


@pytest.mark.parametrize(
    ("difference", "mistake"),
    [
        ({"ruleset": "turbo"}, "#/ruleset  is turbo@1 here and pineapple@1 at "),
        ({"point_value": 20}, "#/point_value  is 20 here and 10 at "),
        ({"unit": "USD"}, "#/unit  is USD here and EUR at "),
        ({"point_value": None, "unit": None}, "#/point_value  is nothing here and 10 at "),
    ],
)
def test_a_table_with_other_rules_is_used_only_on_request(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path, difference: Document, mistake: str
) -> None:
    response = client.add_table({"name": table, "ruleset": "pineapple", "point_value": 10, "unit": "EUR"})
    document = short_round(table, point_value=10, unit="EUR")
    result = ofc("post", write(tmp_path, {**document, **difference}), **reached)
    assert result.code == 1
    assert mistake in result.err
    assert "post the round --whole to keep its own" in result.err
    assert list(client.list_rounds(table=response["id"])) == []
    assert ofc("post", write(tmp_path, document), **reached).code == 0


def test_a_round_that_conflicts_with_an_open_one_is_refused(
    reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    ofc("post", write(tmp_path, first_hands(short_round(table), 1)), **reached)
    result = ofc("post", write(tmp_path, short_round(table, reference="2")), **reached)
    assert result.code == 1
    assert "(round-open)" in result.err


# --- what is expected ---


def test_an_expected_settlement_is_checked_by_both_commands(
    reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    right = at_table(read_example("turbo"), table) | {"expected": {"settlement": read_expected("turbo")}}
    assert ofc("post", write(tmp_path, right), **reached).code == 0
    wrong = changed(right, ("expected/settlement/state", "open"))
    for way in ([], ["--whole"]):
        result = ofc("post", *way, write(tmp_path, wrong), **reached)
        assert result.code == 1
        assert "#/expected/settlement/state  'open' is expected; the result is 'provisional'" in result.err


def test_a_hand_that_was_undone_is_refused(reached: dict[str, str], client: Client, table: str, tmp_path: Path) -> None:
    path = write(tmp_path, short_round(table))
    round_id = ofc("post", "--json", path, **reached).document["round"]["id"]
    recorded = list(client.list_hands(round_id))[-1]["id"]
    client.undo_hand(round_id, {"number": 2, "hand": recorded})
    result = ofc("post", path, **reached)
    assert result.code == 1
    assert "Hand 1 · button ann · recorded before\n" in result.out
    assert "#/hands/1/restores" in result.err
    assert f"`restores` with the ID of its record, {recorded}" in " ".join(result.err.split())
    restoring = changed(short_round(table), ("hands/1/restores", recorded))
    assert client.get_round(round_id)["hands"] == 1
    assert client.record_hand(round_id, restoring["hands"][1])["in_force"]


# --- without a key ---


def test_a_wrong_key_is_refused_with_advice(service: Any, tmp_path: Path, table: str) -> None:
    result = ofc("--key", "nobodys", "post", write(tmp_path, short_round(table)), OFC_URL=service.url)
    assert result.code == 1
    assert "(key-unknown)" in result.err
    assert "Give a key with --key-file FILE" in result.err


def test_a_missing_key_is_refused_with_advice(service: Any, tmp_path: Path, table: str) -> None:
    result = ofc("post", "--whole", write(tmp_path, short_round(table)), OFC_URL=service.url)
    assert result.code == 1
    assert "(key-missing)" in result.err
    assert "Give a key with --key-file FILE" in result.err


def test_the_worked_example_pays_the_same_over_http_and_offline(
    reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    played = hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS})
    document = document_of(sitting={1: "ann 3", 2: "bob 50", 3: "cyd 50"}, hands=[played], reference="1", table=table)
    result = ofc("post", write(tmp_path, document), **reached)
    assert "1. bob → ann    4     3        1  ann had a stack of 3 and can win at most 3" in result.out
    assert "Stacks  ann: 8 · bob: 46 · cyd: 49" in result.out
    assert (
        "Next: hand 2, button cyd; ann, bob and cyd play; in Fantasyland ann with 14 cards and cyd with 14 cards"
        in result.out
    )
