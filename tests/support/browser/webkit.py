"""Runs WebKitGTK, which has the engine of Safari, through its WebDriver, on a display of its own."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.wait import WebDriverWait
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

_PACKAGES: Final = {"WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"}
"""The programs that it needs, and the packages of Debian that have them."""
_PHONE: Final = (450, 844)
"""The narrowest window that WebKitGTK opens."""
_SECONDS: Final = 120
_NOT_READY: Final = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)
"""The page has drawn something anew, or will show it."""


@contextmanager
def open_webkit() -> Iterator[WebDriver]:
    """Run WebKitGTK. Raises OSError with the reason if it cannot run on this machine."""
    missing = [package for program, package in _PACKAGES.items() if shutil.which(program) is None]
    if missing:
        raise OSError(f"WebKitGTK or a display for it is not installed (Debian: apt-get install {' '.join(missing)})")
    with _open_display() as display:
        service = Service(shutil.which("WebKitWebDriver"), env={**os.environ, "DISPLAY": display})
        service.start()
        try:
            # As `webdriver.WebKitGTK` connects, which warns of its own use of its library.
            connection = RemoteConnection(client_config=ClientConfig(service.service_url))
            with webdriver.Remote(connection, options=Options()) as driver:
                driver.set_window_size(*_PHONE)
                yield driver
        finally:
            service.stop()


@contextmanager
def _open_display() -> Iterator[str]:
    """Run a display without a screen, and return its name."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    with (
        os.fdopen(reading) as chosen,
        subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server,
    ):
        os.close(writing)
        try:
            yield f":{chosen.readline().strip()}"
        finally:
            server.terminate()


class WebKitPage:
    """A page of the service in WebKitGTK, which waits for what a user waits for."""

    def __init__(self, driver: WebDriver) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        self.driver.get(address)

    def tap(self, selector: str) -> None:
        """Tap the first element that a selector finds, as soon as it can be tapped."""
        self._until(lambda: self.driver.find_element(By.CSS_SELECTOR, selector).click() is None, lambda: selector)

    def press(self, name: str) -> None:
        """Tap the first visible button, link or summary whose text begins with a name."""
        has_name = f'[starts-with(normalize-space(.), "{name}")]'
        path = "|".join(f"//{tag}{has_name}" for tag in ("button", "a", "summary"))

        def tap_visible() -> bool:
            for each in self.driver.find_elements(By.XPATH, path):
                if each.is_displayed():
                    each.click()
                    return True
            return False

        self._until(tap_visible, lambda: f"{name!r} can be pressed in {self._read('body')!r}")

    def tap_cards(self, cards: list[str]) -> None:
        for card in cards:
            self.tap(f'[data-card="{card}"]')

    def fill(self, selector: str, text: str) -> None:
        field = (By.CSS_SELECTOR, selector)
        self._until(lambda: self.driver.find_element(*field).send_keys(text) is None, lambda: selector)

    def expect_text(self, text: str, selector: str = "body") -> None:
        """Wait until an element shows a text."""
        self._until(lambda: text in self._read(selector), lambda: f"{text!r} in {self._read(selector)!r}")

    def expect_no_text(self, text: str) -> None:
        """Wait until the page does not show a text."""
        self._until(lambda: text not in self._read("body"), lambda: f"{text!r} not in {self._read('body')!r}")

    def expect(self, script: str) -> None:
        """Wait until an expression of JavaScript is true."""
        self._until(lambda: bool(self.driver.execute_script(f"return {script}")), lambda: script)

    def _read(self, selector: str) -> str:
        # The driver's own text of an element leaves out what has `overflow: hidden`.
        shown = "[...document.querySelectorAll(arguments[0])].map((each) => each.innerText).join(' ')"
        return str(self.driver.execute_script(f"return {shown}", selector))

    def _until(self, is_met: Callable[[], bool], describe: Callable[[], str]) -> None:
        try:
            WebDriverWait(self.driver, _SECONDS, 0.1, _NOT_READY).until(lambda _: is_met())
        except TimeoutException as error:
            raise AssertionError(f"still not true after {_SECONDS} s: {describe()}") from error
