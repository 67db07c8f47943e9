"""The plots of the console in a browser: every plot in light and dark, on phones, by keyboard and on paper."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.oracle import PRESETS, random_document
from tests.support.browser.check_page import check_targets, check_with_axe
from tests.support.browser.scorekeeper_page import collect_violations
from tests.support.server_process import Running
from tests.web.pages.conftest import IN_BOTH_SCHEMES

PLOTS = ("stacks", "net", "sources", "head-to-head", "caps", "fouls", "distribution")
PLAYERS = ("ann", "bob", "Maximiliane von der Heide-Hohenstein", "<b>eve</b>", "שרה", "fay", "gus", "hal", "ivy", "jo")
EVERYTHING = "from=2026-11-01&to=2026-11-30"
SIZES = ((320, 568), (390, 844), (768, 1024), (1280, 800))
BLUE = "rgb(0, 100, 181)"


@pytest.fixture(scope="module")
def round_id(api: httpx2.Client) -> str:
    """Play several evenings at a table; return the id of the round with the most hands."""
    rng = Random("console plots")
    played = []
    for number in range(24):
        document = random_document(rng, PRESETS["pineapple"], small_stacks=number % 2 == 0)
        names = rng.sample(PLAYERS, len(document["seats"]))
        for seat, name in zip(document["seats"], names, strict=True):
            seat["player"] = name
        document |= {"table": "plotted", "opened_at": f"2026-11-{1 + number // 3:02}T{18 + number % 3}:00:00Z"}
        if document["hands"] and "closed" not in document:
            document["closed"] = {"after_hand": len(document["hands"]), "reason": "late"}
        response = api.post("/v1/documents", json=document)
        if response.status_code == 422:  # a complete round cannot be closed
            del document["closed"]
            response = api.post("/v1/documents", json=document)
        if response.status_code == 201:
            played.append((response.json()["round"]["hands"], response.json()["round"]["id"]))
    assert len(played) > 15
    return str(max(played)[1])


@pytest.fixture
def page(browser: Browser, service: Running, key: str) -> Iterator[Page]:
    """A page that has signed in; at the end, check that no page did what its policy forbids."""
    violations: list[Any] = []
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    context.set_default_timeout(10_000)
    page = context.new_page()
    collect_violations(page, violations)
    page.goto(f"{service.url}/console/sign-in")
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    yield page
    context.close()
    assert violations == []


def show(page: Page, service: Running, plot: str, round_id: str) -> None:
    query = f"round={round_id}" if plot == "stacks" else EVERYTHING
    page.goto(f"{service.url}/console/plots?plot={plot}&{query}")
    expect(page.locator("figure.plot svg:visible")).to_have_count(1)


@IN_BOTH_SCHEMES
def test_every_plot_passes_axe(page: Page, service: Running, round_id: str, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    for plot in PLOTS:
        show(page, service, plot, round_id)
        check_with_axe(page)
        page.get_by_text("Table of the figures").click()
        expect(page.locator("figure.plot table")).to_be_visible()
        check_with_axe(page)
    page.set_viewport_size({"width": 390, "height": 844})
    show(page, service, "net", round_id)
    check_with_axe(page)
    assert check_targets(page, ".plot-lines label") == 8


def test_every_plot_fits_its_page(page: Page, service: Running, round_id: str) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for plot in PLOTS:
            show(page, service, plot, round_id)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            drawing = page.locator(".plot-drawing:visible")
            small = drawing.evaluate(
                """drawing => [...drawing.querySelectorAll('text:not([transform])')]
                    .filter((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a < 10)
                    .map((text) => text.textContent)"""
            )
            assert small == [], (plot, width)
            outside = drawing.evaluate(
                """drawing => {
                    const box = drawing.getBoundingClientRect();
                    return [...drawing.querySelectorAll('text')]
                        .map((text) => [text.textContent, text.getBoundingClientRect()])
                        .filter(([, at]) => at.left < box.left - 1 || at.right > box.right + 1
                            || at.top < box.top - 1 || at.bottom > box.bottom + 1)
                        .map(([text]) => text);
                }"""
            )
            assert outside == [], (plot, width)
            titles = drawing.locator(".title").all_inner_texts()
            assert len(titles) == 2, (plot, width)


def colored_names(page: Page) -> list[str]:
    """Return the names whose lines are visible in color, and check that all other lines are grey."""
    [lit, picked, grey] = page.locator(".plot-drawing:visible").evaluate(
        """drawing => [
            [...drawing.querySelectorAll('.lit')].filter((line) => getComputedStyle(line).visibility === 'visible')
                .map((line) => getComputedStyle(line).stroke),
            [...drawing.querySelectorAll('.name')].filter((name) => getComputedStyle(name).fontWeight === '600')
                .map((name) => name.textContent),
            getComputedStyle(drawing.querySelector('.lines')).stroke,
        ]"""
    )
    assert len(lit) == 1
    assert lit[0] != grey
    return [re.sub("[\u2068\u2069]", "", name) for name in picked]


@pytest.mark.parametrize("width", [390, 1280])
def test_one_line_is_in_color_chosen_by_tap_or_key(page: Page, service: Running, round_id: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    show(page, service, "net", round_id)
    expect(page.locator(".plot-drawing:visible .band")).to_have_count(1)
    expect(page.locator(".plot-drawing:visible .name").last).to_have_text("2 others")
    names = page.locator(".plot-lines label").all_inner_texts()
    assert len(names) == 8
    page.locator(".plot-lines label").nth(3).click()
    [chosen] = colored_names(page)
    assert chosen[:3] == names[3][:3]
    page.keyboard.press("ArrowRight")
    [following] = colored_names(page)
    assert following[:3] == names[4][:3]
    assert page.evaluate("document.querySelector('.plot-lines :checked') === document.activeElement")


def test_a_player_without_a_line_gets_one(page: Page, service: Running, round_id: str) -> None:
    show(page, service, "net", round_id)
    shown = page.locator(".plot-lines input").evaluate_all("inputs => inputs.map((each) => each.value)")
    other = next(player for player in PLAYERS if player not in shown)
    page.get_by_label("In color").fill(other)
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".plot-lines :checked")).to_have_value(other)
    [name] = colored_names(page)
    assert name[:3] == other[:3]


def test_the_line_in_color_is_that_of_the_scheme_and_of_paper(page: Page, service: Running, round_id: str) -> None:
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # the name of a scheme
        show(page, service, "stacks", round_id)
        colored_names(page)
        colours.append(page.evaluate("getComputedStyle(document.querySelector('.plot-drawing .lit')).stroke"))
    assert colours[0] == BLUE != colours[1]
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('.plot-drawing .lit')).stroke") == BLUE
    assert page.locator(".filter").is_hidden()
    assert page.locator(".plot-files").is_hidden()


def test_a_plot_is_read_and_left_by_keyboard(page: Page, service: Running, round_id: str) -> None:
    show(page, service, "stacks", round_id)
    page.get_by_text("Table of the figures").focus()
    page.keyboard.press("Enter")
    expect(page.locator("figure.plot table")).to_be_visible()
    link = page.locator(f'figure.plot table a[href="/console/rounds/{round_id}/hands/1"]').first
    link.focus()
    assert page.evaluate("document.activeElement.href").endswith(f"/console/rounds/{round_id}/hands/1")
    assert page.locator('figure.plot svg a[tabindex="-1"]').count() > 1
    name = page.locator("figure.plot [role=img]:visible").evaluate(
        """image => image.getAttribute('aria-labelledby').split(' ')
            .map((id) => document.getElementById(id).textContent).join(' ')"""
    )
    assert "Stacks after each hand" in name
    assert "at the end, lowest" in name


def test_a_plot_leads_to_its_hand_and_a_round_to_its_plot(page: Page, service: Running, round_id: str) -> None:
    show(page, service, "stacks", round_id)
    page.locator(f'figure.plot svg a[href="/console/rounds/{round_id}/hands/1"]').click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Hand 1 of")
    page.goto(f"{service.url}/console/rounds/{round_id}")
    page.get_by_role("link", name="Plot of stacks").click()
    expect(page.locator("figcaption")).to_contain_text("Stacks after each hand")


def test_a_form_chooses_plot_table_player_and_evenings(page: Page, service: Running, round_id: str) -> None:
    page.goto(f"{service.url}/console/plots")
    page.get_by_label("Plot", exact=True).first.select_option("net")
    page.get_by_label("Table", exact=True).select_option(label="plotted")
    page.get_by_role("textbox", name="Player").fill("ann")
    page.get_by_label("First evening").fill("2026-11-01")
    page.get_by_label("Last evening").fill("2026-11-30")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("figcaption")).to_contain_text("from 1 Nov 2026 to 30 Nov 2026")
    assert page.locator(".plot-drawing:visible .chosen path").count() == 1


def test_files_are_downloaded_with_their_style(page: Page, service: Running, round_id: str, tmp_path: Path) -> None:
    show(page, service, "sources", round_id)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="SVG").click()
    assert re.fullmatch(r"sources-\d{4}-\d\d-\d\d\.svg", waiting.value.suggested_filename)
    file = tmp_path / "sources.svg"
    waiting.value.save_as(file)
    page.goto(file.as_uri())
    fill = page.evaluate("getComputedStyle(document.querySelector('.bar.c1')).fill")
    assert fill == BLUE
    with page.expect_download() as waiting:
        page.goto(f"{service.url}/console/plots?plot=sources&{EVERYTHING}")
        page.get_by_role("link", name="CSV").click()
    assert re.fullmatch(r"sources-\d{4}-\d\d-\d\d\.csv", waiting.value.suggested_filename)
