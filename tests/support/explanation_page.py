"""Parses the figures of an explanation page."""

from typing import Any
from xml.etree import ElementTree

import html5lib

Document = dict[str, Any]
Pairs = list[tuple[int, list[tuple[int, str]]]]


def read_page(text: str) -> ElementTree.Element:
    """Read a page; one that is not well formed is refused."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    page: ElementTree.Element = parser.parse(text)
    return page


def text_of(element: ElementTree.Element | None) -> str:
    assert element is not None
    return " ".join("".join(element.itertext()).split())


def number(written: str) -> int:
    """
    Read points with their sign.

    >>> number("−4"), number("+4"), number("")
    (-4, 4, 0)
    """
    return int(written.replace("−", "-") or 0)


def pairs_on(page: ElementTree.Element) -> Pairs:
    """The points of every pair, and of every reason."""
    return [
        (
            number(text_of(pair.find("h3/span"))),
            [(number(text_of(row.find("td"))), text_of(row.find("th"))) for row in pair.findall(".//tr")],
        )
        for pair in page.findall(".//section[@id='pairs']/section")
    ]


def payments_on(page: ElementTree.Element) -> list[tuple[int, int, int]]:
    """What was due, paid and cut off, in order."""
    rows = page.findall(".//section[@id='payments']//tbody/tr")
    return [tuple(number(text_of(cell)) for cell in row.findall("td")[2:]) for row in rows]


def stacks_on(page: ElementTree.Element) -> list[tuple[str, int, int, int, int]]:
    """Every player's stack before, what they were paid, their stack after, and what they would have been paid."""
    rows = page.findall(".//section[@id='stacks']//tbody/tr")
    return [(text_of(row.find("th")), *(number(text_of(cell)) for cell in row.findall("td"))) for row in rows]


def pairs_in(explanation: Document) -> Pairs:
    """The same of the document."""
    return [
        (pair["points"], [(reason["points"], reason["part"]) for reason in pair["reasons"]])
        for pair in explanation["exchanges"]
    ]
