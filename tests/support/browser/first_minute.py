"""The first minute with a phone that has never seen the service: the QR code, a table, names, and the first hand."""

import re
from http import HTTPStatus
from typing import Final

from playwright.sync_api import Page, Response, expect

from tests.support.browser.scorekeeper_page import list_cards

NAMES: Final = ("ann", "ben", "cyd")
_PRINTED: Final = re.compile(r"^Scorekeeper's page, for one phone, once within 10 minutes: (\S+)$", re.MULTILINE)


def find_address(output: str) -> str:
    """Return the address of the QR code that `ofc-server up` has printed."""
    [address] = _PRINTED.findall(output)
    return str(address)


def _is_recording(response: Response) -> bool:
    return response.status == HTTPStatus.CREATED and response.url.endswith("/hands")


class NewPhone:
    """A phone that counts what is tapped."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0

    def tap(self, role: str, name: str) -> None:
        """Tap a control."""
        self.page.get_by_role(role, name=name, exact=True).tap()  # type: ignore[arg-type]  # A role is one of many literals.
        self.taps += 1

    def tap_card(self, card: str) -> None:
        """Tap a card of the deck."""
        self.page.locator(f'[data-card="{card}"]').tap()
        self.taps += 1

    def type_names(self) -> None:
        """Type the names one after the other; the key that ends each belongs to its name."""
        self.tap("textbox", "Name of another player")
        for name in NAMES:
            self.page.keyboard.type(name)
            self.page.keyboard.press("Enter")

    def place_first_card(self, address: str) -> int:
        """Open the address of the QR code, create a table, place the first card, and return the number of taps."""
        self.page.goto(address)
        expect(self.page.get_by_role("heading", name="New table")).to_be_visible()
        self.type_names()
        self.tap("button", "Start the first hand")
        self.tap_card(list_cards()[0])
        return self.taps

    def save_hand(self) -> None:
        """Place the other cards, choose the button, and save the first hand."""
        self.page.locator(".tab").nth(2).tap()
        self.page.locator('[data-seat="3"] .dealer').tap()
        for card in list_cards()[1:]:
            self.tap_card(card)
        # The next hand is shown while this one is being sent.
        with self.page.expect_response(_is_recording):
            self.tap("button", "Save")
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Hand 2")
