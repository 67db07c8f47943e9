"""The form of a new table in the console: the seats of the chosen game, on the narrowest phone and without scripts."""

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from schemas.rulesets import dump_ruleset
from scoring.presets import PRESETS
from tests.support.browser.check_page import check_targets, check_width
from tests.support.server_process import Running

GAMES = [("pineapple", [1, 2, 3]), ("classic", [1, 2, 3, 4]), ("heads-up", [1, 2])]


@pytest.fixture(scope="module")
def two_players(api: httpx2.Client) -> None:
    rules = dump_ruleset(PRESETS["pineapple"]) | {"name": "heads-up", "players": {"min": 2, "max": 2}}
    response = api.post("/v1/rulesets", json=rules)
    assert response.status_code == 201, response.text


def seats_of(page: Page) -> list[int]:
    return [seat for seat in range(1, 5) if page.get_by_label(f"Player in seat {seat}").is_visible()]


@pytest.mark.usefixtures("two_players")
def test_the_form_has_the_seats_of_the_chosen_game(browser: Browser, service: Running, key: str) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 568}, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{service.url}/console/sign-in?next=/console/tables/new")
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New table")
    game = page.get_by_label("Game")
    for name, seats in GAMES:
        game.select_option(name)
        assert seats_of(page) == seats, name
        check_width(page)
    assert game.evaluate("select => getComputedStyle(select).textOverflow") == "ellipsis"
    check_targets(page)
    game.select_option("classic")
    page.get_by_label("Player in seat 4").fill("dan")
    game.select_option("pineapple")
    assert seats_of(page) == [1, 2, 3, 4], "a player who was typed stays in view"
    context.close()
