"""The texts of templates that are in no catalogue, found in the syntax trees of Jinja and in the HTML around them."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from jinja2 import Environment, nodes

SHOWN: Final = ("alt", "aria-label", "aria-description", "content", "label", "placeholder", "title")
"""Attributes whose values are read by people."""
UNREAD: Final = ("style", "script")
MARK: Final = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for what Jinja inserts."""
_LETTER: Final = re.compile(r"[^\W\d_]")
_TECHNICAL: Final = re.compile(r"width=device-width.*|noindex")
_WORDS: Final = re.compile(r"[A-Z]\w+|\w+ \w+")


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside.append(tag)
        self.texts += [value for name, value in attrs if name in SHOWN and value and not _TECHNICAL.fullmatch(value)]

    def handle_endtag(self, tag: str) -> None:
        if tag in self._inside:
            del self._inside[len(self._inside) - 1 - self._inside[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if not self._inside or self._inside[-1] not in UNREAD:
            self.texts.append(data)


def list_bare_texts(template: str) -> list[str]:
    """
    Return the texts of a template that are not messages.

    >>> list_bare_texts('<p title="Name">{{ gettext("Round") }}, {{ "open" if x else "Not open" }} until {{ end }}</p>')
    ['Name', '\ufffc, \ufffc until \ufffc', 'Not open']
    """
    tree = Environment(autoescape=True).parse(template)
    parser = _Texts()
    parser.feed("".join(_flatten(tree)))
    parser.close()
    return [" ".join(text.split()) for text in parser.texts if _LETTER.search(text)] + list(_list_strings(tree))


def read_bare_texts(path: Path) -> list[str]:
    """Return the texts of a file that are not messages."""
    return list_bare_texts(path.read_text(encoding="utf-8"))


def _flatten(tree: nodes.Node) -> Iterator[str]:
    """Yield the HTML of a template with all branches, one after the other, and a mark for each value."""
    for output in tree.find_all(nodes.Output):
        for node in output.nodes:
            yield node.data if isinstance(node, nodes.TemplateData) else MARK


def _list_strings(tree: nodes.Node) -> Iterator[str]:
    """Yield what an expression shows if it is a literal with words."""
    for output in tree.find_all(nodes.Output):
        for node in output.nodes:
            for shown in _list_shown(node):
                if isinstance(shown.value, str) and _WORDS.search(shown.value):
                    yield shown.value


def _list_shown(node: nodes.Node) -> Iterator[nodes.Const]:
    match node:
        case nodes.Const():
            yield node
        case nodes.CondExpr():
            yield from _list_shown(node.expr1)
            if node.expr2 is not None:
                yield from _list_shown(node.expr2)
        case nodes.Filter() if node.node is not None:
            yield from _list_shown(node.node)
        case nodes.Concat():
            for part in node.nodes:
                yield from _list_shown(part)
        case nodes.Or() | nodes.And() | nodes.Add():
            yield from _list_shown(node.left)
            yield from _list_shown(node.right)
