"""
Makes the messages of the web pages in each language from the catalogues in `service/translations/`.

`install.py` runs it before it builds the pages. They load one file a language: the translations by message, those of
messages with a number by the plural categories that browsers know.
"""

import json
from collections.abc import Iterator
from gettext import c2py
from pathlib import Path
from typing import Final, TypeAlias

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

WEB: Final = Path(__file__).parent
CATALOGUES: Final = WEB.parent / "service" / "translations"
TARGET: Final = WEB / "build" / "messages"
"""Where `build.mjs` reads them."""
LANGUAGES: Final = ("de", "fr", "ru")
"""The languages beside English, whose texts are the messages themselves."""
COUNTS: Final = (*range(200), 1_000_000)
"""Numbers that have every plural category that an integer has."""
PAGES: Final = ("web/src/", "client/offline/")
"""The files whose messages the pages show; those of the second are of the rules that run on the device."""
CONTEXT_END: Final = "\x04"
"""What separates a context from its message, as in compiled catalogues."""

Translation: TypeAlias = str | dict[str, str]


def write_messages(target: Path = TARGET) -> None:
    """Write the messages of each language. A language without a catalogue has none, and is shown in English."""
    target.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        path = CATALOGUES / language / "LC_MESSAGES" / "messages.po"
        messages = {}
        if path.exists():
            with path.open("rb") as file:
                messages = dict(list_messages(read_po(file, locale=language)))
        content = json.dumps(messages, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        (target / f"{language}.json").write_text(content, encoding="utf-8")


def list_messages(catalogue: Catalog) -> Iterator[tuple[str, Translation]]:
    """Yield the translated messages of the pages. What is missing or uncertain is shown in English."""
    positions = find_positions(catalogue)
    for message in catalogue:
        if not message.id or message.fuzzy or not is_of_pages(message):
            continue
        context = f"{message.context}{CONTEXT_END}" if message.context else ""
        if isinstance(message.id, str):
            if message.string:
                yield context + message.id, str(message.string)
        elif isinstance(message.string, list | tuple) and all(message.string):
            forms = message.string
            yield context + message.id[0], {category: forms[position] for category, position in positions.items()}


def is_of_pages(message: Message) -> bool:
    """Return whether the pages use a message; of one without references this is not known."""
    return not message.locations or any(name.startswith(PAGES) for name, _ in message.locations)


def find_positions(catalogue: Catalog) -> dict[str, int]:
    """
    Return the plural category of browsers for each form of a catalogue, which numbers them.

    >>> find_positions(Catalog("ru"))
    {'many': 2, 'one': 0, 'few': 1}
    """
    categorize, number = Locale.parse(catalogue.locale_identifier).plural_form, c2py(catalogue.plural_expr)
    positions: dict[str, int] = {}
    for count in COUNTS:
        if positions.setdefault(categorize(count), number(count)) != number(count):
            language = catalogue.locale_identifier
            raise ValueError(f"the plural forms of {language} differ from those of browsers at {count}")
    return positions


if __name__ == "__main__":
    write_messages()
