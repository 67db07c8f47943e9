"""
Writes the messages of the players' pages to `service/translations/`. `make generate` runs it.

The template `messages.pot` has every message of the service's pages and of the app in `web/src/`. The catalogue of each
language has the same messages: new ones without a translation, and none that the pages no longer have. The files
depend on the sources alone: they have neither dates nor line numbers, and no guesses.
"""

import json
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from babel.messages import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

from schemas.sentences import SUIT_NAMES
from scoring.description import SINGULAR, name_ranks
from scoring.strength import Category
from service.http.language import CATALOGUES, DOMAIN, TRANSLATED
from service.http.page_words import NAMES
from service.http.problem_kinds import PROBLEM_KINDS

ROOT: Final = Path(__file__).parents[3]
TEMPLATES: Final = (
    "service/links/views/templates/*.html",
    "service/rounds/views/templates/*.html",
)
"""The templates whose texts players see. Those of the console are English."""
SENTENCES: Final = "schemas/sentences.json"
"""Sentences for problems: the service's pages and the app show the same."""
SENTENCES_IN_APP: Final = "web/src/api/sentences.ts"
KEYWORDS: Final[dict[str, Any]] = {
    "gettext": None,
    "gettextNodes": None,
    "ngettext": (1, 2),
    "ngettextNodes": (1, 2),
    "pgettext": ((1, "c"), 2),
    "Phrase": None,
    "in_context": ((1, "c"), 2),
    "with_number": (1, 2),
}
"""The functions of Python, of templates and of the app whose arguments are messages."""
_UNUSED: Final = (
    "Project-Id",
    "Report",
    "POT-Creation",
    "PO-Revision",
    "Generated-By",
    "Language-Team",
    "Last-Translator",
)
"""Starts of the fields of the header that say nothing, or that would differ each time."""
_HEADER: Final = """\
# Texts of the scorekeeper's, the players' and the scoreboard's pages: {name}.
# `make generate` adds and removes messages; see docs/languages.md."""


def write_catalogues() -> None:
    """Write the template, and update the catalogue of each language."""
    template = extract_messages()
    (CATALOGUES / f"{DOMAIN}.pot").write_bytes(show_template(template))
    for language in TRANSLATED:
        path = find_catalogue(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(show_updated(template, language))


def find_catalogue(language: str) -> Path:
    """Return the catalogue of a language."""
    return CATALOGUES / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def extract_messages() -> Catalog:
    """Return all messages, with the files that have them."""
    catalogue = Catalog(project="Tablestakes", charset="utf-8", header_comment=_HEADER.format(name="all messages"))
    catalogue.fuzzy = False
    for path, context, message in _list_messages():
        catalogue.add(message, None, locations=[(path, 0)], context=context)
    return catalogue


def show_template(template: Catalog) -> bytes:
    """Return the file of the template."""
    return _show(template)


def show_updated(template: Catalog, language: str) -> bytes:
    """Return the file of a language: its translations of the messages that the template has."""
    path = find_catalogue(language)
    catalogue = read_catalogue(path, language) if path.exists() else Catalog(locale=language, charset="utf-8")
    catalogue.update(template, no_fuzzy_matching=True, update_header_comment=False)
    catalogue.header_comment = _HEADER.format(name=language)
    catalogue.fuzzy = False
    return _show(catalogue)


def read_catalogue(path: Path, language: str | None) -> Catalog:
    """Read a catalogue."""
    with path.open("rb") as file:
        return read_po(file, locale=language, charset="utf-8")


def _show(catalogue: Catalog) -> bytes:
    file = BytesIO()
    write_po(file, catalogue, width=0, sort_output=True, ignore_obsolete=True, include_lineno=False)
    return b"".join(
        line
        for line in file.getvalue().splitlines(keepends=True)
        if not line.startswith(tuple(f'"{field}'.encode() for field in _UNUSED))
    )


def _list_messages() -> Iterator[tuple[str, str | None, Any]]:
    for paths, method in _list_files():
        for path in paths:
            name = path.relative_to(ROOT).as_posix()
            options: Any = {"jsx": True, "encoding": "utf-8"} if method == "javascript" else {"encoding": "utf-8"}
            for _, message, _, context in extract_from_file(method, path, KEYWORDS, options=options):
                yield name, context, message
    for context, names in NAMES.values():
        for name in names:
            yield "service/http/page_words.py", context, name.replace("_", " ")
    plurals = [name_ranks(rank) for rank in range(2, 15)]
    for context in ("rank", "straight"):
        for name in SINGULAR:
            yield "scoring/description.py", context, name
    for context in ("pair of", "two pair", "three of"):
        for name in plurals:
            yield "scoring/description.py", context, name
    for suit in SUIT_NAMES.values():
        yield "schemas/sentences.py", "card", suit
    for category in Category:
        yield "scoring/explanation/wording.py", "category", category.label.replace("_", " ")
    for kind in PROBLEM_KINDS.values():
        yield "service/http/problem_kinds.py", "problem", kind.title
    sentences: dict[str, dict[str, str]] = json.loads((ROOT / SENTENCES).read_text(encoding="utf-8"))
    for of_kind in sentences.values():
        for sentence in of_kind.values():
            yield SENTENCES, None, sentence
            yield SENTENCES_IN_APP, None, sentence


def _list_files() -> Iterator[tuple[list[Path], str | Callable[..., Any]]]:
    packages = (ROOT / package for package in ("scoring", "schemas", "client/offline", "service"))
    yield [path for package in packages for path in sorted(package.rglob("*.py"))], "python"
    yield [path for pattern in TEMPLATES for path in sorted(ROOT.glob(pattern))], babel_extract
    # Babel's lexer finds every message of the app that the TypeScript compiler does.
    sources = sorted((ROOT / "web" / "src").rglob("*.ts*"))
    yield [path for path in sources if ".test." not in path.name], "javascript"


if __name__ == "__main__":
    write_catalogues()
