"""The expected part of a result is compared field by field."""

import copy
from typing import Any

import pytest
from hypothesis import given

from schemas.problems import dump_mistakes, find_unexpected
from tests.schemas.test_fields import json_values

RESULT: dict[str, Any] = {
    "players": [{"seat": 1, "foul": False, "foul_reason": None}, {"seat": 2, "foul": True, "foul_reason": "top"}],
    "transfers": None,
    "stacks": {"1": 8, "2": 0},
}


def find_codes(expected: object) -> dict[str, str]:
    return {mistake["pointer"]: mistake["code"] for mistake in dump_mistakes(find_unexpected(expected, RESULT))}


@pytest.mark.parametrize(
    "expected",
    [
        {},
        RESULT,
        {"stacks": {}},
        {"stacks": {"2": 0.0}},
        {"players": [{}, {"foul": True}]},
        {"transfers": None},
        {"players": [{"foul_reason": None}, {}]},
    ],
)
def test_any_part_of_the_result_can_be_expected(expected: object) -> None:
    assert find_codes(expected) == {}


@pytest.mark.parametrize(
    ("expected", "differences"),
    [
        ({"stacks": {"1": 9}}, {"#/expected/stacks/1": "expected-differs"}),
        ({"stacks": {"3": 9}}, {"#/expected/stacks/3": "expected-unknown"}),
        ({"players": []}, {"#/expected/players": "expected-differs"}),
        ({"players": [{"foul": 0}, {"foul": 1}]}, {f"#/expected/players/{n}/foul": "expected-differs" for n in (0, 1)}),
        ({"players": None}, {"#/expected/players": "expected-differs"}),
        ({"transfers": []}, {"#/expected/transfers": "expected-differs"}),
        ({"transfers": {}}, {"#/expected/transfers": "expected-differs"}),
        ({"stacks": {"2": False}}, {"#/expected/stacks/2": "expected-differs"}),
        ({"stacks": {"1": "8"}}, {"#/expected/stacks/1": "expected-differs"}),
        ({"stacks": {"2": None}}, {"#/expected/stacks/2": "expected-differs"}),
        (
            {"players": [{"seat": 2}, {"seat": 1}, {}]},
            {
                "#/expected/players": "expected-differs",
                "#/expected/players/0/seat": "expected-differs",
                "#/expected/players/1/seat": "expected-differs",
            },
        ),
    ],
)
def test_every_difference_has_its_path(expected: object, differences: dict[str, str]) -> None:
    assert find_codes(expected) == differences


@given(json_values)
def test_a_result_equals_itself(result: Any) -> None:
    assert list(find_unexpected(copy.deepcopy(result), result)) == []


@given(json_values)
def test_differences_are_printable_sentences(expected: Any) -> None:
    for mistake in find_unexpected(expected, RESULT):
        assert mistake.detail.isprintable()
