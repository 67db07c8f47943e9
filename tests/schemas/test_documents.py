"""Round documents, hands and rulesets are parsed and encoded without loss."""

import copy
from random import Random
from typing import Any

import pytest
from hypothesis import given

from evidence import canonical_json, digest_of
from schemas.base import WireError
from schemas.documents import dump_document, load_document
from schemas.hands import dump_hand, load_hand
from schemas.rulesets import dump_ruleset, load_ruleset
from schemas.scores import load_score_request
from tests.oracle import PRESETS, random_document, random_ruleset
from tests.schemas.test_fields import json_values


def documents(seed: int) -> list[dict[str, Any]]:
    return [random_document(Random(f"{name} {seed}"), ruleset) for name, ruleset in PRESETS.items()]


@pytest.mark.parametrize("seed", range(5))
def test_a_document_is_encoded_as_it_was_parsed(seed: int) -> None:
    for sent in documents(seed):
        document = load_document(sent)
        written = dump_document(document)
        assert load_document(written) == document
        assert dump_document(load_document(written)) == written
        assert written.keys() >= sent.keys()


def test_a_document_is_encoded_with_every_field_in_order() -> None:
    for sent in documents(7):
        shuffled = copy.deepcopy(sent)
        shuffled["seats"].reverse()
        for hand in shuffled["hands"]:
            hand["players"].reverse()
            hand.get("top_ups", []).reverse()
        departures = {departure["after_hand"] for departure in sent["departures"]}
        if len(departures) == len(sent["departures"]):
            shuffled["departures"].reverse()
        assert canonical_json(dump_document(load_document(shuffled))) == canonical_json(
            dump_document(load_document(sent))
        )


def test_the_digest_of_a_hand_depends_on_its_cards_and_not_on_its_formatting() -> None:
    for sent in documents(8):
        for hand in sent["hands"]:
            digest = digest_of(dump_hand(load_hand(hand)))
            assert digest_of(dump_hand(load_hand(dump_hand(load_hand(hand))))) == digest
            other = copy.deepcopy(hand)
            other["players"][0]["top"].reverse()
            if other != hand:
                assert digest_of(dump_hand(load_hand(other))) != digest


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_parsed_and_encoded(name: str) -> None:
    ruleset = load_ruleset(PRESETS[name])
    assert load_ruleset(dump_ruleset(ruleset)) == ruleset


def test_random_rulesets_are_encoded_as_they_were_parsed() -> None:
    for seed in range(100):
        sent = random_ruleset(Random(seed))
        assert dump_ruleset(load_ruleset(sent)) == sent


def test_a_stored_ruleset_has_a_version() -> None:
    unnumbered = {name: value for name, value in PRESETS["turbo"].items() if name != "version"}
    assert load_ruleset(unnumbered, version=7).version == 7
    with pytest.raises(WireError, match="is required") as refused:
        load_ruleset(unnumbered)
    assert refused.value.mistakes[0].path == ("version",)


@given(json_values)
def test_an_invalid_document_is_refused(value: Any) -> None:
    for load in (load_document, load_hand, load_score_request, load_ruleset):
        with pytest.raises(WireError) as refused:
            load(value)
        assert all(mistake.code and mistake.detail.isprintable() for mistake in refused.value.mistakes)
