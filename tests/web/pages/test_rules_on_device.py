"""With the rules on the device, hands are scored without a network, as the service scores them."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.scorekeeper_page import (
    SECOND,
    ScorekeeperPage,
    list_cards,
    wait_for_promise,
    wait_for_worker,
)
from tests.web.pages.conftest import OpenScorekeeper

pytestmark = [pytest.mark.thorough, pytest.mark.with_rules]
LOADING = 120_000
"""Milliseconds in which the rules are loaded, on a busy machine."""


def wait_for_rules(scorekeeper: ScorekeeperPage) -> None:
    expect(scorekeeper.page.get_by_text("Rules on this device: hands are scored without a network.")).to_be_visible(
        timeout=LOADING
    )


def wait_until_rules_are_cached(scorekeeper: ScorekeeperPage) -> None:
    """Wait until the service worker has everything that scoring without a network needs."""
    wait_for_promise(
        scorekeeper.page, "async () => (await caches.match('/scorekeeper/rules/complete')) !== undefined", seconds=120
    )


def read_scores(scorekeeper: ScorekeeperPage) -> list[str]:
    """Return what the page shows as the result of a hand."""
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    return scorekeeper.page.locator(".result [data-score], .result-parts").all_inner_texts()


def stacks_of(recorded: dict[str, Any]) -> list[str]:
    return [f"stack {recorded['stacks'][seat]}" for seat in ("1", "2", "3")]


def test_two_hands_are_scored_offline_and_recorded_with_the_same_result(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    scorekeeper = open_scorekeeper()
    round_ = scorekeeper.add_round()
    wait_for_worker(scorekeeper.page)
    wait_for_rules(scorekeeper)
    context.set_offline(True)
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards())
    first = read_scores(scorekeeper)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.tap_cards(list_cards(SECOND))
    second = read_scores(scorekeeper)
    scorekeeper.save()
    expect(scorekeeper.page.get_by_text("offline, 2 waiting")).to_be_visible()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 0

    context.set_offline(False)
    expect(scorekeeper.page.get_by_text("waiting")).to_have_count(0, timeout=30_000)
    recorded = scorekeeper.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
    assert [each["number"] for each in recorded] == [1, 2]
    for shown, hand in zip((first, second), recorded, strict=True):
        for text, stack in zip(shown[:3], stacks_of(hand), strict=True):
            assert stack in text


def test_the_rules_are_loaded_from_the_device_without_a_network(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    scorekeeper = open_scorekeeper()
    scorekeeper.add_round()
    wait_for_rules(scorekeeper)
    wait_until_rules_are_cached(scorekeeper)
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    context.set_offline(True)
    scorekeeper.page.close()
    offline = open_scorekeeper()
    offline.expect_hand(1)
    offline.tap_cards(list_cards())
    expect(offline.page.locator("[data-score]")).to_have_count(3, timeout=LOADING)
    assert len(read_scores(offline)) == 4


LIST_CACHES = """async () => Object.fromEntries(await Promise.all((await caches.keys())
    .filter((name) => name.startsWith("rules"))
    .map(async (name) => [name, (await (await caches.open(name)).keys()).length])))"""


def test_other_rules_replace_the_cached_ones_only_when_they_are_complete(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    scorekeeper = open_scorekeeper()
    wait_for_worker(scorekeeper.page)
    # An earlier version of the rules that is complete, and one of which only a part was loaded.
    scorekeeper.page.evaluate("""async () => {
        const files = { earlier: ["manifest.json", "rules.zip", "complete"], part: ["manifest.json"] };
        for (const [name, paths] of Object.entries(files)) {
            const cache = await caches.open(`rules /scorekeeper/ ${name}`);
            for (const path of paths) await cache.put(`/scorekeeper/rules/${path}`, new Response("{}"));
        }
    }""")
    context.route("**/scorekeeper/rules/rules.zip", lambda route: route.abort())
    scorekeeper.page.reload()
    scorekeeper.add_round()
    expect(scorekeeper.page.get_by_text("The rules could not be loaded.")).to_be_visible(timeout=LOADING)
    caches = scorekeeper.page.evaluate(LIST_CACHES)
    assert caches.pop("rules /scorekeeper/ earlier") == 3
    assert list(caches.values()) == [1], "the manifest of those that the service has now"
    context.unroute("**/scorekeeper/rules/rules.zip")
    scorekeeper.page.evaluate("dispatchEvent(new Event('online'))")
    wait_for_rules(scorekeeper)
    wait_for_promise(scorekeeper.page, f"async () => Object.keys(await ({LIST_CACHES})()).join() === {str(*caches)!r}")
    manifest = scorekeeper.get("/scorekeeper/rules/manifest.json")
    assert scorekeeper.page.evaluate(LIST_CACHES) == {str(*caches): len(manifest["files"] | manifest["scripts"]) + 2}


def test_of_new_rules_only_the_files_that_differ_are_loaded(open_scorekeeper: OpenScorekeeper) -> None:
    scorekeeper = open_scorekeeper()
    scorekeeper.add_round()
    wait_for_rules(scorekeeper)
    wait_until_rules_are_cached(scorekeeper)
    # Earlier rules on the device, of which two files differ from those of the service.
    manifest = scorekeeper.get("/scorekeeper/rules/manifest.json")
    for name in ("rules.zip", "python_stdlib.zip"):
        manifest["files"][name]["sha256"] = "another"
    scorekeeper.page.evaluate(
        """async (manifest) => {
            const path = "/scorekeeper/rules/";
            const lock = await (await caches.match(`${path}pyodide-lock.json`)).text();
            for (const name of await caches.keys()) if (name.startsWith("rules")) await caches.delete(name);
            const cache = await caches.open("rules /scorekeeper/ earlier");
            const put = (name, content, headers) => cache.put(path + name, new Response(content, { headers }));
            await put("pyodide-lock.json", lock, { "Content-Type": "application/json", Stored: "earlier" });
            await put("rules.zip", "earlier", {});
            await put("manifest.json", JSON.stringify(manifest), {});
            await put("complete", "", {});
        }""",
        manifest,
    )
    scorekeeper.page.reload()
    wait_for_rules(scorekeeper)
    wait_for_promise(scorekeeper.page, "async () => !(await caches.has('rules /scorekeeper/ earlier'))")
    stored = "async (name) => (await caches.match(`/scorekeeper/rules/${name}`)).headers.get('Stored')"
    assert scorekeeper.page.evaluate(stored, "pyodide-lock.json") == "earlier"
    assert scorekeeper.page.evaluate(stored, "rules.zip") is None


def test_the_progress_of_loading_is_shown(open_scorekeeper: OpenScorekeeper, context: BrowserContext) -> None:
    context.add_init_script("""
        globalThis.shown = [];
        new MutationObserver(() => {
          const found = /Rules: (\\d+) of (\\d+) MB/.exec(document.body?.innerText ?? "");
          if (found) shown.push([Number(found[1]), Number(found[2])]);
        }).observe(document, { subtree: true, childList: true, characterData: true });
    """)
    scorekeeper = open_scorekeeper()
    scorekeeper.add_round()
    wait_for_rules(scorekeeper)
    shown = scorekeeper.page.evaluate("shown")
    assert shown
    assert {total for _, total in shown} == {shown[0][1]}
    loaded = [megabytes for megabytes, _ in shown]
    assert loaded == sorted(loaded)
    assert loaded[-1] <= shown[0][1] > 3


def test_rules_that_could_not_be_loaded_are_loaded_when_the_network_is_back(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    # Requests of a service worker do not take the routes of the page.
    context.route("**/scorekeeper/sw.js", lambda route: route.abort())
    context.route("**/scorekeeper/rules/rules.zip", lambda route: route.abort())
    scorekeeper = open_scorekeeper()
    scorekeeper.add_round()
    expect(scorekeeper.page.get_by_text("The rules could not be loaded.")).to_be_visible(timeout=LOADING)
    context.unroute("**/scorekeeper/rules/rules.zip")
    scorekeeper.page.evaluate("dispatchEvent(new Event('online'))")
    wait_for_rules(scorekeeper)


def test_caps_are_applied_offline(open_scorekeeper: OpenScorekeeper, context: BrowserContext) -> None:
    scorekeeper = open_scorekeeper()
    scorekeeper.add_round(stack=1)
    wait_for_rules(scorekeeper)
    context.set_offline(True)
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards())
    shown = " ".join(read_scores(scorekeeper))
    assert "has no more" in shown
    assert "before caps" in shown
