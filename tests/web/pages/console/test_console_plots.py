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
from tests.support.browser.check_page import check_with_axe
from tests.support.browser.scorekeeper_page import collect_violations
from tests.support.server_process import Running
from tests.web.pages.conftest import IN_BOTH_SCHEMES

PLOTS = ("stacks", "net", "sources", "head-to-head", "caps", "fouls", "distribution")
PLAYERS = ("ann", "bob", "Maximiliane von der Heide-Hohenstein", "<b>eve</b>", "שרה")
EVERYTHING = "from=2026-11-01&to=2026-11-30"
SIZES = ((390, 844), (768, 1024), (1280, 800))


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
    expect(page.locator("figure.plot svg")).to_be_visible()


@IN_BOTH_SCHEMES
def test_every_plot_passes_axe(page: Page, service: Running, round_id: str, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    for plot in PLOTS:
        show(page, service, plot, round_id)
        check_with_axe(page)
        page.get_by_text("Table of the figures").click()
        expect(page.locator("figure.plot table")).to_be_visible()
        check_with_axe(page)
    page.goto(f"{service.url}/console/plots?plot=stacks")
    check_with_axe(page)


def test_every_plot_fits_its_page(page: Page, service: Running, round_id: str) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for plot in PLOTS:
            show(page, service, plot, round_id)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            small = page.evaluate(
                """() => [...document.querySelectorAll('.plot-drawing text:not(.figures-small)')]
                    .filter((text) => text.getBoundingClientRect().height < 10).length"""
            )
            assert small == 0, (plot, width)
            outside = page.evaluate(
                """() => {
                    const box = document.querySelector('.plot-drawing').getBoundingClientRect();
                    return [...document.querySelectorAll('.plot-drawing text')]
                        .map((text) => [text.textContent, text.getBoundingClientRect()])
                        .filter(([, at]) => at.left < box.left - 1 || at.right > box.right + 1
                            || at.top < box.top - 1 || at.bottom > box.bottom + 1)
                        .map(([text]) => text);
                }"""
            )
            assert outside == [], (plot, width)


def test_lines_have_the_colours_of_the_scheme(page: Page, service: Running, round_id: str) -> None:
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # the name of a scheme
        show(page, service, "stacks", round_id)
        strokes = page.evaluate(
            "[...document.querySelectorAll('.plot-drawing .line')].map((line) => getComputedStyle(line).stroke)"
        )
        assert len(set(strokes)) == len(strokes) >= 2
        colours.append(strokes)
    assert set(colours[0]).isdisjoint(colours[1])
    page.emulate_media(color_scheme="dark", media="print")
    printed = page.evaluate("getComputedStyle(document.querySelector('.plot-drawing .line')).stroke")
    assert printed == colours[0][0], "paper is light"
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
    name = page.locator("figure.plot [role=img]").evaluate(
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
    assert page.locator(".plot-drawing .line").count() == 1


def test_files_are_downloaded_with_their_style(page: Page, service: Running, round_id: str, tmp_path: Path) -> None:
    show(page, service, "sources", round_id)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="SVG").click()
    assert re.fullmatch(r"sources-\d{4}-\d\d-\d\d\.svg", waiting.value.suggested_filename)
    file = tmp_path / "sources.svg"
    waiting.value.save_as(file)
    page.goto(file.as_uri())
    fill = page.evaluate("getComputedStyle(document.querySelector('.bar.c1')).fill")
    assert fill == "rgb(0, 100, 181)"
    with page.expect_download() as waiting:
        page.goto(f"{service.url}/console/plots?plot=sources&{EVERYTHING}")
        page.get_by_role("link", name="CSV").click()
    assert re.fullmatch(r"sources-\d{4}-\d\d-\d\d\.csv", waiting.value.suggested_filename)
