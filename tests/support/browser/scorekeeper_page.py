"""Uses the scorekeeper's page as a scorekeeper does: by taps and keys."""

import itertools
import time
from typing import Any, Final

import httpx2
from playwright.sync_api import Page, expect

BOARDS: Final = {
    1: ("Qs Qd 4c", "Ks Kd 9h 8h 3c", "Ah Jh 7h 6h 2h"),
    2: ("Ac 8d 2s", "Ts Tc 5d 5c 6s", "7s 7d 7c Jd Js"),
    3: ("Kh Kc 3s", "9s 9d 8s 8c 4h", "As Ad Qh Qc 2d"),
}
"""Boards of three players. Nobody fouls; seats 1 and 3 enter Fantasyland."""

SECOND: Final = {
    1: ("Ah Ad 2c", "3s 3d 4h 4d 9c", "5s 6d 7h 8c 9s"),
    2: ("Qc Jd 2h", "Ts Td 6c 6h 8s", "Kc Kd Ks 7c 7s"),
    3: ("As Ac 3h", "Jc Js Th Tc 4s", "Qs Qh Qd 8d 8h"),
}
"""Boards of the hand after it: seats 1 and 3 play them in Fantasyland."""

_NUMBERS: Final = itertools.count(1)


def list_cards(boards: dict[int, tuple[str, ...]] = BOARDS) -> list[str]:
    """Return the cards of boards in the order in which the page asks for them."""
    return [card for rows in boards.values() for row in rows for card in row.split()]


def list_players(boards: dict[int, tuple[str, ...]] = BOARDS) -> list[dict[str, Any]]:
    """Return boards as requests of the API have them."""
    return [
        {"seat": seat, "top": top.split(), "middle": middle.split(), "bottom": bottom.split()}
        for seat, (top, middle, bottom) in boards.items()
    ]


class ScorekeeperPage:
    """The page in a tab, and an API client that checks what it records."""

    def __init__(self, page: Page, url: str, api: httpx2.Client, violations: list[Any]) -> None:
        self.page = page
        self.api = api
        self.taps = 0
        self._url = url
        collect_violations(page, violations)

    def open(self, path: str = "/scorekeeper/") -> None:
        self.page.goto(self._url + path)

    @property
    def key(self) -> str:
        return self.api.headers["Authorization"].removeprefix("Bearer ")

    def join(self, *, remember: bool = True) -> None:
        """Paste the API key."""
        self.page.get_by_label("Link or API key").fill(self.key)
        if remember:
            self.page.get_by_label("Remember an API key on this device").check()
        self.page.get_by_role("button", name="Join").click()

    def add_table(self, ruleset: str = "pineapple", **fields: Any) -> dict[str, Any]:
        body = {"name": f"table {next(_NUMBERS)}", "ruleset": ruleset, **fields}
        table: dict[str, Any] = self.api.post("/v1/tables", json=body).json()
        return table

    def add_round(self, *, players: int = 3, stack: int = 200, ruleset: str = "pineapple") -> dict[str, Any]:
        """Add a table with an open round over the API, and open the round on the page."""
        table = self.add_table(ruleset)
        names = ["ann", "ben", "cyd"][:players]
        seats = [{"seat": seat, "player": name, "stack": stack} for seat, name in enumerate(names, 1)]
        response = self.api.post(f"/v1/tables/{table['id']}/rounds", json={"seats": seats})
        assert response.status_code == 201, response.text
        self.join()
        self.page.get_by_role("button", name=table["name"]).click()
        round_: dict[str, Any] = response.json()
        return round_

    def enter_hand(self, number: int = 1) -> None:
        self.page.get_by_role("button", name=f"Enter hand {number}").click()

    def tap(self, selector: str) -> None:
        self.page.locator(selector).tap()
        self.taps += 1

    def tap_card(self, card: str) -> None:
        self.tap(f'[data-card="{card}"]')

    def tap_cards(self, cards: list[str]) -> None:
        for card in cards:
            self.tap_card(card)

    def kill(self, *, filled: int) -> None:
        """Close the tab as soon as it shows this many cards."""
        expect(self.page.locator(".place.filled")).to_have_count(filled)
        self.page.close()

    def choose_button(self, seat: int) -> None:
        """Choose who has the button; on a phone, its board is shown first."""
        self.page.locator(".tab").nth(seat - 1).click()
        self.tap(f'[data-seat="{seat}"] .dealer')

    def save(self) -> None:
        self.tap("text=/^Save$/")

    def read_boards(self) -> dict[str, str]:
        """Return the card names at all places that have one."""
        filled = self.page.locator(".place.filled")
        return {
            str(each.get_attribute("data-place")): str(each.locator(".hidden-text").text_content()).partition(": ")[2]
            for each in filled.all()
        }

    def expect_hand(self, number: int) -> None:
        expect(self.page.get_by_role("heading", level=1)).to_have_text(f"Hand {number}")

    def expect_sent(self) -> None:
        """Wait until nothing waits to be sent."""
        expect(self.page.get_by_text("waiting")).to_have_count(0, timeout=60_000)

    def get(self, path: str) -> Any:
        return self.api.get(path).json()


def wait_for_worker(page: Page) -> None:
    """Wait until the service worker controls the page."""
    page.evaluate("navigator.serviceWorker.ready")
    # The policy of the page forbids to evaluate an expression again and again, but not to call a function.
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")


def wait_for_promise(page: Page, function: str, argument: object = None, *, seconds: float = 60) -> None:
    """Wait until a function of JavaScript promises a true value. `wait_for_function` takes any promise for one."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(function, argument):
        assert time.monotonic() < deadline, f"still not true after {seconds} s: {function}"
        page.wait_for_timeout(100)


def wait_for_animations(page: Page) -> None:
    """Wait until nothing on the page still changes its place or colour."""
    page.wait_for_function("() => document.getAnimations().every((each) => each.playState !== 'running')")


def collect_violations(page: Page, violations: list[Any]) -> None:
    """Collect what a page does against its policy, and its errors."""
    page.on("pageerror", lambda error: violations.append(str(error)))
    page.on("console", lambda message: violations.append(message.text) if is_violation(message.text) else None)


def is_violation(text: str) -> bool:
    """Return whether a message of the console is about the page's policy."""
    return "Content Security Policy" in text or "Content-Security-Policy" in text


def undo_last(api: httpx2.Client, path: str) -> None:
    """Undo the last hand of a round, as another device does."""
    last = api.get(f"{path}/hands").json()["hands"][-1]
    response = api.post(f"{path}/undo", json={"number": last["number"], "hand": last["id"]})
    assert response.status_code == 201, response.text
