"""What `ofc-server verify` finds, as sentences for people."""

import re
from typing import Any
from uuid import UUID

import pytest

from service.replays.comparing import AUDITED
from service.replays.findings import Finding, FindingKind
from service.verification.sentences import HIDDEN, SENTENCES, SUBJECTS, Places, RoundPlace, describe_finding

ROUND, HAND, CLUB = UUID(int=1), UUID(int=2), UUID(int=3)
PLACES = Places(
    {ROUND: RoundPlace("quick", "r-7", {1: "ann", 2: "ben", 3: "cyd"})},
    {HAND: (ROUND, 3)},
    {(ROUND, 3): (1, 3)},
)
SCORE = {"club_id": CLUB, "round_id": ROUND, "revision": 1, "number": 3}
HEAD = {"club_id": CLUB, "round_id": ROUND}
_UNREADABLE = re.compile(r"[{}]|\bNone\b|[a-z]_[a-z]|\?|  |\.\.|;\.| ;")


def differs(table: str, key: dict[str, Any], column: str, stored: Any, expected: Any) -> Finding:
    return Finding(FindingKind.FIGURE_DIFFERS, table, key, column, stored, expected)


def test_every_kind_of_finding_has_a_sentence() -> None:
    assert set(SENTENCES) == set(FindingKind)


def test_the_records_of_every_compared_table_have_a_name() -> None:
    assert set(AUDITED) - set(SUBJECTS) == set()


def test_no_sentence_has_a_value_of_a_column_with_a_text_that_can_be_erased() -> None:
    erasable = {
        (name, column)
        for name, table in AUDITED.items()
        for column in (*table.event, *table.played, *table.bytes, *table.free)
        if column == "salt" or column.endswith("_salt")
    }
    assert erasable
    assert erasable <= HIDDEN
    for table, column in HIDDEN:
        key = dict.fromkeys(AUDITED[table].key, HAND)
        assert "secret" not in describe_finding(differs(table, key, column, "secret one", "secret two")).replace(
            column.replace("_", " "), ""
        )


@pytest.mark.parametrize("kind", FindingKind)
@pytest.mark.parametrize("places", [Places(), PLACES], ids=["unknown", "known"])
def test_every_finding_can_be_read_wherever_it_is(kind: FindingKind, places: Places) -> None:
    for table, compared in AUDITED.items():
        key: dict[str, Any] = {name: HAND if name == "id" or name.endswith("_id") else 3 for name in compared.key}
        column = next(iter([*compared.event, *compared.played, *compared.bytes, *compared.tree]), None)
        finding = Finding(kind, table, {"name": "index", "public_key": "one+1", **key}, column, 7, 6, "it has ended")
        # Only findings of the schema and of blocks on disk name a table as the database does.
        sentence = describe_finding(finding, places).replace(table, "table")
        assert not _UNREADABLE.search(sentence), sentence
        assert sentence.endswith(".")
        assert sentence[0].isupper(), sentence


@pytest.mark.parametrize(
    ("finding", "sentence"),
    [
        (
            differs("hand_scores", SCORE, "points", [7, -6], [6, -6]),
            "ann's points of hand 3 of {round} are 7; {cards} 6.",
        ),
        (differs("hand_scores", SCORE, "fouls", [False, True], [False, False]), None),
        (
            differs("round_heads", HEAD, "stacks", [30, 33, 40], [30, 33, 37]),
            "cyd's stack of {round} is 40; {cards} 37.",
        ),
        (
            differs(
                "hand_scores",
                SCORE,
                "transfers",
                [{"payer": 1, "payee": 3, "due": 4, "paid": 3}],
                [{"payer": 1, "payee": 3, "due": 4, "paid": 4}],
            ),
            "The points paid of payment 1 (ann to cyd) of hand 3 of {round} are 3; {cards} 4.",
        ),
        (
            Finding(FindingKind.RECORD_DIFFERS, "round_heads", HEAD, "status", "open", "closed"),
            "The status of {round} is open; the events say closed.",
        ),
        (Finding(FindingKind.EVENT_MISSING, "events", {**HEAD, "sequence": 4}), "Event 4 of {round} is missing."),
    ],
)
def test_a_finding_names_players_hand_and_round(finding: Finding, sentence: str | None) -> None:
    described = describe_finding(finding, PLACES)
    if sentence is None:
        assert described.startswith("cyd's fouls of hand 3")
        return
    start = sentence.format(round="the round r-7 at quick", cards="the cards say")
    assert described.startswith(start), described


def test_a_number_of_figures_that_differs_is_not_given_to_one_player() -> None:
    described = describe_finding(differs("hand_scores", SCORE, "points", [7], [6, -6]), PLACES)
    assert described.startswith("The points of hand 3 of the round r-7 at quick are [7]; the cards say [6, -6].")


def test_a_seat_without_a_known_player_is_a_seat() -> None:
    places = Places({ROUND: RoundPlace("quick", None, {1: "ann"})}, dealt={(ROUND, 3): (1, 3)})
    described = describe_finding(differs("hand_scores", SCORE, "points", [6, -5], [6, -6]), places)
    assert described.startswith("seat 3's points of hand 3 of a round at quick are -5;")
