"""Bulk settlements of an import have the same results as plain ones, or are left to the plain rules."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

import pytest

from schemas.documents import RoundDocument, load_document
from schemas.fields import MOST_INTEGER
from schemas.hands import SubmittedHand
from schemas.rulesets import load_ruleset
from scoring.errors import ScoringError
from scoring.hand import TopUp
from scoring.round import PlayedHand, open_round
from scoring.ruleset import Ruleset
from service.imports.actions import lines as settle_lines
from service.imports.actions.lines import ReadLine, SettledLines, SettledRound
from service.rounds.actions.checks import replay_exactly
from service.rounds.queries.stored_round import figures_of
from tests.oracle import PRESETS, random_document, random_ruleset
from tests.scoring.bulk.rounds import spoil

RANDOM = "random ruleset"


@pytest.fixture(autouse=True)
def _however_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settle_lines, "FEWEST", 1)


def line_of(number: int, ruleset: Ruleset, document: RoundDocument) -> ReadLine:
    """A line that was read, whatever stands in it: nobody looks at its bytes any more."""
    return ReadLine(number, b"", replace(document, ruleset=str(ruleset)), ruleset)


def lines_of(ruleset: Ruleset, documents: Iterable[RoundDocument]) -> list[ReadLine]:
    return [line_of(number, ruleset, document) for number, document in enumerate(documents)]


def documents_of(rng: Random, name: str, number: int) -> tuple[Ruleset, list[RoundDocument]]:
    rules = PRESETS[name] if name in PRESETS else random_ruleset(rng)
    random = [random_document(rng, rules, small_stacks=rng.random() < 0.8) for _ in range(number)]
    return load_ruleset(rules), [load_document(document) for document in random]


def spoilt(rng: Random, ruleset: Ruleset, document: RoundDocument) -> RoundDocument:
    """A document of which something is changed; most of the time it cannot be then."""
    history = spoil(rng, document.history(ruleset))
    hands = tuple(SubmittedHand(hand) for hand in history.hands)
    return replace(document, seats=history.seats, hands=hands, departures=history.departures, closed=history.closed)


def by_itself(line: ReadLine) -> SettledRound | None:
    """The results of a usual round by the plain rules; None if it is not usual."""
    document, played = line.document, []
    if document.departures or document.closed:
        return None
    try:
        opened = round_ = open_round(line.ruleset, document.seats)
        for step in replay_exactly(opened, document.history(line.ruleset), document.point_value):
            assert isinstance(step, PlayedHand)
            played.append(figures_of(round_, step))
            round_ = step.round
    except ScoringError:
        return None
    return None if round_.is_open else SettledRound(opened, played, round_)


def check(lines: Sequence[ReadLine]) -> int:
    """Compare all; say how many were settled."""
    rounds = found_of(lines)
    assert rounds == [by_itself(line) for line in lines]
    return len(lines) - rounds.count(None)


def found_of(lines: Sequence[ReadLine]) -> list[SettledRound | None]:
    settled = SettledLines(lines)
    return [settled.find(line.number) for line in lines]


def check_ruleset(name: str, number: int) -> None:
    """Compare random rounds under a ruleset, and as many of which something is changed."""
    rng = Random(name)
    ruleset, documents = documents_of(rng, name, number)
    usual = check(lines_of(ruleset, documents))
    assert usual > 0
    wrong = [spoilt(rng, ruleset, document) for document in documents]
    assert check(lines_of(ruleset, [*documents, *wrong])) < usual + len(wrong)


@pytest.mark.parametrize("name", ["pineapple", "pineapple-aa", "progressive-round", "deuce-to-seven", "turbo", RANDOM])
@pytest.mark.no_cover
def test_rounds_settled_in_bulk_are_recorded_as_one_by_one(name: str) -> None:
    check_ruleset(name, 10)


@pytest.mark.verify
@pytest.mark.parametrize("name", [*PRESETS, *(f"{RANDOM} {number}" for number in range(20))])
@pytest.mark.no_cover
def test_rounds_under_any_ruleset_are_recorded_as_one_by_one(name: str) -> None:
    check_ruleset(name, 40)


def test_too_many_points_are_left_to_the_plain_rules() -> None:
    rng, rules = Random(1), PRESETS["pineapple-qq"]
    documents = [load_document(random_document(rng, rules, small_stacks=False)) for _ in range(12)]
    usual = [line for line in lines_of(load_ruleset(rules), documents) if by_itself(line)]
    line = next(line for line in usual if not any(hand.hand.top_ups for hand in line.document.hands))
    first, *others = line.document.hands
    most = MOST_INTEGER - sum(seat.opening_stack for seat in line.document.seats)
    for points, is_usual in ((most, True), (most + 1, False)):
        added = replace(first.hand, top_ups=(TopUp(line.document.seats[0].seat, points),))
        document = replace(line.document, hands=(replace(first, hand=added), *others), point_value=None)
        assert (by_itself(line_of(0, line.ruleset, document)) is not None) is is_usual
        assert check(lines_of(line.ruleset, [document])) == is_usual


def test_few_rounds_are_left_to_the_plain_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset, documents = documents_of(Random(2), "pineapple", 8)
    [line, *_] = [line for line in lines_of(ruleset, documents) if by_itself(line)]
    monkeypatch.setattr(settle_lines, "FEWEST", 3)
    for some, together in ((2, False), (3, True)):
        rounds = found_of([replace(line, number=number) for number in range(some)])
        assert [each is not None for each in rounds] == [together] * some
