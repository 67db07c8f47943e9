"""Every code of the contract has a sentence for people, in the one catalogue that all pages read."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import yaml

from schemas.problems import Refusal
from schemas.sentences import catalogue, describe_mistake, sentences_of
from scoring.errors import Mistake
from service.http.problem_kinds import PROBLEM_KINDS

ROOT: Final = Path(__file__).parents[2]
CONTRACT: Final = ROOT / "openapi-audit.yaml"
CODE: Final = re.compile(r"[a-z]+(?:-[a-z]+)+")
REFUSING: Final = {"Mistake", "ComparedMistake", "Sentence", "refuse", "_refuse", "_refusal", "_patch_error"}
"""The functions and classes whose first argument is the code of a mistake."""
MARKS: Final = {"player", "other", "row", "card", "expected", "range", "next", "field", "detail", "what"}
OF_API: Final = re.compile(r"`|#/|\[\d|\w\.\w|@\d|\w_\w|scorer|JSON|GET |POST |pointer|422|409")
"""What no sentence for people has: code, pointers, indexes, names of fields and of methods."""


def list_codes(folder: str) -> Iterator[str]:
    """Yield the codes of mistakes that a package can report."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            value = node.args[0].value
            if name in REFUSING and isinstance(value, str) and CODE.fullmatch(value):
                yield value


def list_plain_codes() -> Iterator[str]:
    """Yield the codes that are written elsewhere than in a call: in a table, in a constant, or with another code."""
    for path in ("scoring/deal.py", "scoring/following.py", "schemas/base.py"):
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
                yield node.value


def examples_of_codes(part: object) -> Iterator[tuple[str, str]]:
    """Yield the code and the detail of every mistake in the examples of the contract."""
    if isinstance(part, dict):
        if {"pointer", "code", "detail"} <= part.keys() and isinstance(part["code"], str):
            yield part["code"], str(part["detail"])
        for inner in part.values():
            yield from examples_of_codes(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from examples_of_codes(inner)


def test_every_kind_of_problem_has_a_sentence() -> None:
    assert set(catalogue()["kinds"]) == set(PROBLEM_KINDS)


def test_every_mistake_has_a_sentence() -> None:
    codes = {code for folder in ("scoring", "schemas", "service", "evidence") for code in list_codes(folder)} | {
        *list_plain_codes()
    }
    assert len(codes) > 100
    assert codes - set(catalogue()["mistakes"]) == set()


def test_every_code_in_an_example_of_the_contract_has_a_sentence() -> None:
    contract = yaml.load(CONTRACT.read_text(encoding="utf-8"), yaml.CSafeLoader)
    examples = set(examples_of_codes(contract))
    assert len({code for code, _ in examples}) > 5
    for code, detail in examples:
        assert not OF_API.search(describe_mistake(Mistake(code, (), detail), {})), code


@pytest.mark.parametrize("part", ["kinds", "mistakes"])
def test_no_sentence_speaks_of_the_api(part: str) -> None:
    for code, sentence in catalogue()[part].items():
        written = re.sub(r"[\[\]]|\{\w+\}", "", sentence)
        assert not OF_API.search(written), code
        assert written.endswith("."), code
        assert set(re.findall(r"\{(\w+)\}", sentence)) <= MARKS, code
        # What may not be known can be left out.
        assert not re.search(r"\{", re.sub(r"\[[^\]]*\]", "", sentence)), code


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (
            Mistake("top-up-not-allowed", ("top_ups",), "pineapple@1 lets points be added between rounds only; …"),
            "Under the rules of this table, points are added only between rounds.",
        ),
        (
            Mistake("stack-too-small", ("seats", 2, "stack"), "seat 3 opens with 0 points; expected 1 or more"),
            "cyd: a stack is 1 point or more.",
        ),
        (
            Mistake(
                "closed-after-hand", ("closed", "after_hand"), "the round is closed after hand 3; its last hand is 2"
            ),
            "The end of the round no longer follows its last hand.",
        ),
        (
            Mistake(
                "card-twice", ("players", 0, "top", 2), "As is already in players[1].top[0]; expected each card once"
            ),
            "The same card is in this hand twice: the ace of spades.",
        ),
        (
            Mistake(
                "fantasyland-owed",
                ("changes", 0),
                "at #/hands/1/players/0/fantasyland of the changed document: seat 1 has no Fantasyland; expected 14"
                " cards, as earned in the hand before",
            ),
            "Hand 2, ann: this player earned Fantasyland in the hand before, with 14 cards.",
        ),
        (
            Mistake("text-length", ("claim",), "is 0 characters long; expected 1 to 500"),
            "A text is empty or too long: what is wrong is 0 characters long; expected 1 to 500.",
        ),
    ],
)
def test_a_mistake_names_players_hands_and_cards(mistake: Mistake, sentence: str) -> None:
    refusal = Refusal("hand-invalid", "1 mistake", (mistake,))
    assert sentences_of(refusal, {1: "ann", 2: "ben", 3: "cyd"}) == [sentence]
