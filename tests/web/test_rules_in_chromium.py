"""The worker in a real browser, under a policy that allows WebAssembly and no `eval`."""

import json
import shutil
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser

from tests.oracle import PRESETS, play, random_document
from tests.service.rounds.test_over_http_against_oracle import parts_that_differ
from tests.support.browser.rules_page import score_in_browser
from tests.support.sample_rounds import without
from tests.web.browser_rules import BrowserRules, Document
from web.rules.build import MANIFEST

pytestmark = pytest.mark.thorough


def hands_to_score() -> list[Document]:
    """The hands of a round, each also without its last card and with a card twice."""
    document = random_document(Random("in Chromium"), PRESETS["progressive"])
    hands = []
    for number, hand in enumerate(document["hands"]):
        round_ = {
            "document": {**document, "hands": document["hands"][:number], "departures": []},
            "ruleset": PRESETS["progressive"],
        }
        round_["document"].pop("closed", None)
        first, *others = hand["players"]
        unfinished = {**hand, "players": [{**first, "bottom": first["bottom"][:4], "streets": None}, *others]}
        repeated = {**hand, "players": [{**first, "top": [*first["top"][:2], first["bottom"][0]]}, *others]}
        hands += [{"round": round_, "hand": each} for each in (hand, unfinished, repeated)]
    return hands


def test_the_worker_scores_under_a_strict_policy(chromium: Browser, built_rules: Path, browser: BrowserRules) -> None:
    hands = hands_to_score()
    assert len(hands) > 3
    report = score_in_browser(chromium, built_rules, hands)
    assert report["violations"] == []
    described = {name: browser.description[name] for name in ("scorer", "python", "presets", "digest")}
    assert report["description"] == report["again"] == described
    assert [each["scored"] for each in report["results"]] == [
        browser.score(each["round"], each["hand"]) for each in hands
    ]
    assert {each["scored"]["kind"] for each in report["results"]} == {"complete", "partial", "refused"}
    loaded = [each["loaded"] for each in report["progress"]]
    assert loaded == sorted(loaded)
    assert report["progress"][-1]["loaded"] == report["progress"][-1]["total"]
    assert len(loaded) > 5
    files = json.loads((built_rules / MANIFEST).read_text())["files"]
    compressed = sum(file["gzip" if name.endswith(("mjs", "wasm")) else "bytes"] for name, file in files.items())
    assert report["progress"][-1]["total"] == compressed
    assert (report["stopped"]["kind"], report["stopped"]["reason"]) == ("unavailable", "failed")


def check_rounds(chromium: Browser, built_rules: Path, each: int) -> int:
    """Score random rounds of every preset in the worker, compare each hand with the oracle, and return how many."""
    scored, expected = [], []
    for name, ruleset in PRESETS.items():
        for seed in range(each):
            rng = Random(f"in Chromium: {name}, seed {seed}")
            document = random_document(rng, ruleset, small_stacks=rng.random() < 0.75)
            for hand, right in zip(document["hands"], play(document, ruleset)["hands"], strict=True):
                number = hand["number"]
                before = {
                    **without(document, "closed"),
                    "hands": document["hands"][: number - 1],
                    "departures": [leaving for leaving in document["departures"] if leaving["after_hand"] < number],
                }
                scored.append({"round": {"document": before, "ruleset": ruleset}, "hand": hand})
                expected.append((f"{name}, seed {seed}, hand {number}", right))
    report = score_in_browser(chromium, built_rules, scored, seconds=3600)
    for (where, right), result in zip(expected, report["results"], strict=True):
        assert result["scored"]["kind"] == "complete", (where, result)
        assert parts_that_differ(right, result["scored"]["result"]) == [], where
    assert report["violations"] == []
    return each * len(PRESETS)


def test_rounds_of_every_preset_have_the_results_of_the_oracle(chromium: Browser, built_rules: Path) -> None:
    assert check_rounds(chromium, built_rules, 1) >= 21


@pytest.mark.verify
def test_500_rounds_have_the_results_of_the_oracle(chromium: Browser, built_rules: Path) -> None:
    assert check_rounds(chromium, built_rules, 24) >= 500


@pytest.mark.parametrize(("file", "reason"), [("rules.zip", "wrong_digest"), ("python_stdlib.zip", "not_loaded")])
def test_rules_that_are_not_those_of_the_manifest_do_not_run(
    chromium: Browser, built_rules: Path, tmp_path: Path, file: str, reason: str
) -> None:
    changed = tmp_path / "rules"
    shutil.copytree(built_rules, changed)
    if reason == "wrong_digest":
        content = (changed / file).read_bytes()
        (changed / file).write_bytes(content.replace(b"foul_penalty", b"foul_benefit"))
    else:
        (changed / file).unlink()
    report = score_in_browser(chromium, changed, hands_to_score()[:1])
    for each in (report["description"], report["again"], report["results"][0]["scored"]):
        assert (each["kind"], each["reason"]) == ("unavailable", reason)
