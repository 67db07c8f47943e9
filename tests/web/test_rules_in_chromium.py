"""The worker in a real browser, under a policy that allows WebAssembly and no `eval`."""

import json
import shutil
from pathlib import Path
from random import Random

import pytest

from tests.oracle import PRESETS, random_document
from tests.web.browser_rules import BrowserRules, Document
from tests.web.chromium_page import find_chromium, score_in_chromium
from web.rules.build import MANIFEST

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def chromium() -> str:
    program = find_chromium()
    if program is None:
        pytest.skip("neither Debian's chromium nor the npm package @sparticuz/chromium is installed")
    return program


def hands_to_score() -> list[Document]:
    """The hands of a round, each also without its last card and with a card twice."""
    document = random_document(Random("in Chromium"), PRESETS["progressive"])
    hands = []
    for number, hand in enumerate(document["hands"]):
        given = {
            "document": {**document, "hands": document["hands"][:number], "departures": []},
            "ruleset": PRESETS["progressive"],
        }
        given["document"].pop("closed", None)
        first, *others = hand["players"]
        unfinished = {**hand, "players": [{**first, "bottom": first["bottom"][:4], "streets": None}, *others]}
        repeated = {**hand, "players": [{**first, "top": [*first["top"][:2], first["bottom"][0]]}, *others]}
        hands += [{"round": given, "hand": each} for each in (hand, unfinished, repeated)]
    return hands


def test_the_worker_scores_under_a_strict_policy(chromium: str, built_rules: Path, browser: BrowserRules) -> None:
    hands = hands_to_score()
    assert len(hands) > 3
    found = score_in_chromium(chromium, built_rules, hands)
    assert found["violations"] == []
    described = {name: browser.description[name] for name in ("scorer", "python", "presets", "digest")}
    assert found["description"] == found["again"] == described
    assert [each["scored"] for each in found["results"]] == [
        browser.score(each["round"], each["hand"]) for each in hands
    ]
    assert {each["scored"]["kind"] for each in found["results"]} == {"complete", "partial", "refused"}
    loaded = [each["loaded"] for each in found["progress"]]
    assert loaded == sorted(loaded)
    assert found["progress"][-1]["loaded"] == found["progress"][-1]["total"]
    assert len(loaded) > 5
    files = json.loads((built_rules / MANIFEST).read_text())["files"]
    compressed = sum(file["gzip" if name.endswith(("mjs", "wasm")) else "bytes"] for name, file in files.items())
    assert found["progress"][-1]["total"] == compressed
    assert (found["stopped"]["kind"], found["stopped"]["reason"]) == ("unavailable", "failed")


@pytest.mark.parametrize(("file", "reason"), [("rules.zip", "wrong_digest"), ("python_stdlib.zip", "not_loaded")])
def test_rules_that_are_not_those_of_the_manifest_do_not_run(
    chromium: str, built_rules: Path, tmp_path: Path, file: str, reason: str
) -> None:
    changed = tmp_path / "rules"
    shutil.copytree(built_rules, changed)
    if reason == "wrong_digest":
        content = (changed / file).read_bytes()
        (changed / file).write_bytes(content.replace(b"foul_penalty", b"foul_benefit"))
    else:
        (changed / file).unlink()
    found = score_in_chromium(chromium, changed, hands_to_score()[:1])
    for each in (found["description"], found["again"], found["results"][0]["scored"]):
        assert (each["kind"], each["reason"]) == ("unavailable", reason)
