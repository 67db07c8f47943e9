"""Round documents, hands and rulesets: written and read without loss, and always in the same words."""

import copy
import json
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given

from schemas.base import WireError
from schemas.documents import dump_document, load_document
from schemas.hands import canonical_json, digest_of, dump_hand, load_hand, load_score_request
from schemas.rulesets import dump_ruleset, load_ruleset
from tests.oracle import PRESETS, random_document, random_ruleset
from tests.schemas.test_fields import json_values


def documents(seed: int) -> list[dict[str, Any]]:
    return [random_document(Random(f"{name} {seed}"), ruleset) for name, ruleset in PRESETS.items()]


@pytest.mark.parametrize("seed", range(5))
def test_a_document_is_written_as_it_was_read(seed: int) -> None:
    for sent in documents(seed):
        document = load_document(sent)
        written = dump_document(document)
        assert load_document(written) == document
        assert dump_document(load_document(written)) == written
        assert written.keys() >= sent.keys()


def test_a_document_says_everything_in_order_however_it_came() -> None:
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


def test_a_hand_is_the_same_however_it_is_written_and_another_when_a_card_is() -> None:
    for sent in documents(8):
        for hand in sent["hands"]:
            digest = digest_of(dump_hand(load_hand(hand)))
            assert digest_of(dump_hand(load_hand(dump_hand(load_hand(hand))))) == digest
            other = copy.deepcopy(hand)
            other["players"][0]["top"].reverse()
            if other != hand:
                assert digest_of(dump_hand(load_hand(other))) != digest


@given(json_values)
def test_content_has_the_bytes_that_it_had_before_it_was_written_quickly(value: Any) -> None:
    def is_exact(part: Any) -> bool:
        """Whether it holds no fractions, as no record does."""
        if isinstance(part, list | dict):
            return all(map(is_exact, part.values() if isinstance(part, dict) else part))
        return not isinstance(part, float)

    assume(is_exact(value))
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert canonical_json(value) == written
    assert digest_of(value) == sha256(written).digest()


@given(json_values)
def test_the_same_content_has_the_same_bytes_in_any_order(value: Any) -> None:
    def turned(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: turned(inner) for key, inner in reversed(part.items())}
        return [turned(inner) for inner in part] if isinstance(part, list) else part

    try:
        written = canonical_json(value)
    except UnicodeEncodeError:
        return
    assert canonical_json(turned(value)) == written
    assert len(digest_of(value)) == 32


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_of_the_rules_is_read_and_written(name: str) -> None:
    ruleset = load_ruleset(PRESETS[name])
    assert load_ruleset(dump_ruleset(ruleset)) == ruleset


def test_random_rulesets_are_written_as_they_were_read() -> None:
    for seed in range(100):
        sent = random_ruleset(Random(seed))
        assert dump_ruleset(load_ruleset(sent)) == sent


def test_a_stored_ruleset_has_a_version() -> None:
    unnumbered = {name: value for name, value in PRESETS["turbo"].items() if name != "version"}
    assert load_ruleset(unnumbered, version=7).version == 7
    with pytest.raises(WireError, match="it must be given") as refused:
        load_ruleset(unnumbered)
    assert refused.value.mistakes[0].path == ("version",)


@given(json_values)
def test_whatever_comes_is_no_document_and_says_so(value: Any) -> None:
    for load in (load_document, load_hand, load_score_request, load_ruleset):
        with pytest.raises(WireError) as refused:
            load(value)
        assert all(mistake.code and mistake.detail.isprintable() for mistake in refused.value.mistakes)
