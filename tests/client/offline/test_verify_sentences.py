"""What `ofc verify` finds, as sentences for people."""

import re
from typing import Any

import pytest

from schemas.problems import show_pointer
from schemas.verification.evidence_file import verify
from schemas.verification.findings import FindingCode
from schemas.verification.sentences import SENTENCES
from tests.support.client.release_evidence import KEYS, LEAVES, OLDER, changed_at, newest_file, other

CHANGED = "The file was changed after it was issued."
_UNREADABLE = re.compile(r"#/|`|\bNone\b|\bnull\b|[a-z]_[a-z]| \.|\.\.|[0-9a-f]{32}")


def test_every_kind_of_finding_has_a_sentence() -> None:
    assert set(SENTENCES) == set(FindingCode)


def find_value(path: tuple[str | int, ...]) -> Any:
    value: Any = newest_file()
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize(
    ("path", "subject", "authority"),
    [
        (("settlement", "net", "1"), "ann's net of the round is", "the cards say"),
        (("settlement", "stacks", "3"), "cyd's stack after the round is", "the cards say"),
        (("settlement", "money", "net", "2"), "bob's net in money of the round is", "the cards say"),
        (("settlement", "transfers", 0, "due"), "The points due of payment 1 (cyd to bob) are", "the cards say"),
        (("hands", 0, "players", 0, "points"), "ann's points of hand 1 are", "the cards say"),
        (("hands", 0, "exchanges", 0, "points"), "The points of bob against cyd of hand 1 are", "the cards say"),
        (("hands", 0, "button"), "The button of hand 1 is", "the signed events say"),
        (("document", "seats", 0, "stack"), "ann's stack of the round is", "the signed events say"),
        (("document", "point_value"), "The value of a point of the round is", "the signed events say"),
    ],
)
def test_a_changed_figure_is_named_with_its_owner_and_what_is_right(
    path: tuple[str | int, ...], subject: str, authority: str
) -> None:
    place = ("revisions", 0, *path)
    right = find_value(place)
    [finding] = verify(changed_at(place, right + 1), KEYS).document["failed"]
    assert finding["sentence"] == f"{subject} {right + 1}; {authority} {right}. {CHANGED}"
    assert (finding["code"], finding["where"]) == ("figure-differs", show_pointer(place))


def test_a_changed_card_is_shown_with_its_suit() -> None:
    place = ("revisions", 0, "document", "hands", 0, "players", 0, "top", 1)
    findings = verify(changed_at(place, "Kc"), KEYS).document["failed"]
    sentences = [finding["sentence"] for finding in findings]
    assert f"ann's card 2 of the top row of hand 1 is K♣; the signed events say K♦. {CHANGED}" in sentences


def test_missing_figures_and_other_rules_have_sentences() -> None:
    settlement = {key: value for key, value in find_value(("revisions", 0, "settlement")).items() if key != "net"}
    [missing] = verify(changed_at(("revisions", 0, "settlement"), settlement), KEYS).document["failed"]
    assert missing["sentence"].startswith("The net of the round is missing; the cards say")
    [rule] = verify(changed_at(("rulesets", 0, "points", "scoop_bonus"), 4), KEYS).document["failed"]
    assert rule["sentence"] == (
        "The rule “points, scoop bonus” of the ruleset pineapple-qq@1 is 4; the signed rules say 3."
        " The rules are not those that the round was played under."
    )


def test_events_that_are_left_out_have_a_sentence() -> None:
    events = newest_file()["events"][:-1]
    sentences = [each["sentence"] for each in verify({**newest_file(), "events": events}, KEYS).document["failed"]]
    assert any(each.endswith("later events are left out. The file is not complete.") for each in sentences), sentences


def test_every_sentence_can_be_read_whatever_value_is_changed() -> None:
    sentences = {
        finding["sentence"]
        for path, value in LEAVES[::40]
        for finding in verify(changed_at(path, other(value)), KEYS, OLDER).document["failed"]
    }
    assert len(sentences) > 20
    assert [each for each in sentences if _UNREADABLE.search(each) or not each.endswith(".")] == []
