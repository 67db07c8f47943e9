"""The examples of docs/python-client.md print what the page shows."""

import doctest

import pytest

from tests.client.conftest import key_file
from tests.support.client.docs_sessions import DOCS
from tests.support.server_process import Running


def test_the_examples_print_what_the_page_shows(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFC_URL", service.url)
    monkeypatch.setenv("OFC_API_KEY", key_file(service).read_text().strip())
    text = (DOCS / "python-client.md").read_text(encoding="utf-8")
    page = doctest.DocTestParser().get_doctest(text, {}, "python-client.md", "python-client.md", 0)
    assert len(page.examples) > 30
    report: list[str] = []
    assert doctest.DocTestRunner().run(page, out=report.append).failed == 0, "".join(report)
