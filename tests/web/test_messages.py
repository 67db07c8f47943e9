"""The messages that the web pages load, made from catalogues."""

import json
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from web.messages import LANGUAGES, find_positions, list_messages, write_messages

PAGE = [("web/src/board/app.tsx", 1)]


def test_the_messages_of_the_pages_are_listed_with_their_contexts_and_plural_forms() -> None:
    catalogue = Catalog("ru")
    catalogue.add("Loading…", "Загрузка…", locations=PAGE)
    catalogue.add("queens", "дам", context="pair of", locations=PAGE)
    catalogue.add(("%(count)s card", "%(count)s cards"), ("%(count)s карта", "%(count)s карты", "%(count)s карт"))
    assert dict(list_messages(catalogue)) == {
        "Loading…": "Загрузка…",
        "pair of\x04queens": "дам",
        "%(count)s card": {"one": "%(count)s карта", "few": "%(count)s карты", "many": "%(count)s карт"},
    }


def test_what_is_missing_uncertain_or_of_another_page_is_left_out() -> None:
    catalogue = Catalog("ru")
    catalogue.add("Missing", locations=PAGE)
    catalogue.add(("%(count)s card", "%(count)s cards"), ("%(count)s карта", "", ""), locations=PAGE)
    catalogue.add("Uncertain", "Неточно", locations=PAGE, flags={"fuzzy"})
    catalogue.add("Of the console", "Консоль", locations=[("service/pages/console.html", 1)])
    assert dict(list_messages(catalogue)) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_plural_form_of_a_catalogue_has_a_category(language: str) -> None:
    catalogue = Catalog(language)
    assert set(find_positions(catalogue).values()) == set(range(catalogue.num_plurals))


def test_a_language_without_a_catalogue_has_a_file(tmp_path: Path) -> None:
    write_messages(tmp_path / "messages")
    for language in LANGUAGES:
        assert isinstance(json.loads((tmp_path / "messages" / f"{language}.json").read_text(encoding="utf-8")), dict)
