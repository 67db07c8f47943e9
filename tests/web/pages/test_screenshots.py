"""The pictures of the docs are made by `make screenshots`, and show pages that still exist."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.browser.screenshots import FOLDER, take_all

pytestmark = pytest.mark.thorough
PAGES = [FOLDER.parent / "scorekeeping.md", FOLDER.parent / "console.md"]


def test_every_picture_can_be_taken_again(chromium: Browser, tmp_path: Path) -> None:
    take_all(tmp_path, chromium)
    taken = {picture.name for picture in tmp_path.iterdir()}
    assert taken == {picture.name for picture in FOLDER.iterdir()}
    shown = [re.findall(r'src="pictures/([a-z-]+\.png)"', page.read_text(encoding="utf-8")) for page in PAGES]
    assert taken == {name for names in shown for name in names}
