"""Mistakes found in documents of which only a part is valid."""

from collections.abc import Iterator
from random import Random

import pytest

from schemas.documents import load_document
from schemas.hands import load_hand
from schemas.partial_documents import parse_partial_document, parse_partial_hand
from scoring.errors import Mistake, ScoringError
from scoring.history import replay, replay_steps
from scoring.partial_hand import find_partial_mistakes
from scoring.partial_history import find_history_mistakes
from scoring.presets import PRESETS as RULES
from scoring.round import PlayedHand, open_round, play_hand
from scoring.round_state import Round
from tests.oracle import PRESETS, random_document
from tests.support.sample_rounds import Document, changed

SEEDS = range(40)


def random_round(seed: int) -> Document:
    """Return a valid round."""
    random = Random(seed)
    name = sorted(PRESETS)[seed % len(PRESETS)]
    return {**random_document(random, PRESETS[name]), "ruleset": name}


def find_in_document(document: Document) -> list[Mistake]:
    history = parse_partial_document(document).history(RULES[document["ruleset"]])
    return [] if history is None else list(find_history_mistakes(history))


def find_in_hand(round_: Round, played: Document) -> set[tuple[str, object]]:
    return {(each.code, each.path) for each in find_partial_mistakes(round_, parse_partial_hand(played).hand)}


def refusal_of(round_: Round, played: Document) -> set[tuple[str, object]]:
    """Return the mistakes that the rules find in the whole hand."""
    try:
        play_hand(round_, load_hand(played).hand)
    except ScoringError as error:
        return {(each.code, each.path) for each in error.mistakes}
    return set()


def rounds_before(document: Document) -> Iterator[tuple[Round, Document]]:
    """Yield each hand of a round, with the round before it."""
    history = load_document(document).history(RULES[document["ruleset"]])
    round_ = open_round(history.ruleset, history.seats)
    for step in replay_steps(round_, history):
        if isinstance(step, PlayedHand):
            yield round_, document["hands"][step.hand.number - 1]
        round_ = step.round


@pytest.mark.parametrize("seed", SEEDS)
def test_an_invalid_part_causes_no_other_mistake_in_a_valid_round(seed: int) -> None:
    document, random = random_round(seed), Random(seed)
    replay(load_document(document).history(RULES[document["ruleset"]]))
    for _ in range(10 if document["hands"] else 0):
        spoiled = document
        for _ in range(random.randint(1, 3)):
            hand = f"hands/{random.randrange(len(document['hands']))}"
            places = [f"{hand}/players/0/top/1", f"{hand}/players/1/seat", f"{hand}/button", f"{hand}/number"]
            places += [f"{hand}/players", f"{hand}/top_ups", f"{hand}/players/1/fantasyland", "departures"]
            spoiled = changed(spoiled, (random.choice(places), "x"))
            if not all(isinstance(played["players"], list) for played in spoiled["hands"]):
                break
        assert find_in_document(spoiled) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_partial_hand_has_only_mistakes_that_the_whole_hand_has(seed: int) -> None:
    random = Random(seed)
    for round_, played in rounds_before(random_round(seed)):
        for _ in range(5):
            index = random.randrange(len(played["players"]))
            wrong = [
                ("number", played["number"] + random.randint(0, 2)),
                ("button", random.randint(1, 5)),
                (f"players/{index}/seat", random.randint(1, 5)),
                (f"players/{index}/fantasyland", random.choice([0, 13, 14])),
                (f"players/{index}/discards", []),
                ("top_ups", [{"seat": random.randint(1, 5), "points": 5}]),
            ]
            spoiled = changed(played, *random.sample(wrong, random.randint(0, 2)))
            mistakes = find_in_hand(round_, spoiled)
            refused = refusal_of(round_, spoiled)
            assert mistakes <= refused
            assert bool(mistakes) == bool(refused)
