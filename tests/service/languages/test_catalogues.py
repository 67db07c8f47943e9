"""The catalogues of messages: in step with the sources, complete, with the placeholders and forms of each message."""

import re
from collections import Counter
from typing import Final

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.plurals import get_plural

from service.http.language import CATALOGUES, DOMAIN, TRANSLATED
from tests.support.catalogues.template_texts import list_bare_texts, read_bare_texts
from tests.support.catalogues.write_catalogues import (
    ROOT,
    TEMPLATES,
    extract_messages,
    find_catalogue,
    read_catalogue,
    show_template,
    show_updated,
)

PLACEHOLDER: Final = re.compile(r"%\(\w+\)s|\{\w+\}")
STRAY: Final = re.compile(r"%(?!\(\w+\)s)")


@pytest.fixture(scope="module")
def messages() -> Catalog:
    return extract_messages()


def catalogue_of(language: str) -> Catalog:
    return read_catalogue(find_catalogue(language), language)


def translations_of(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string)


def test_the_templates_of_players_have_no_text_outside_of_the_catalogue() -> None:
    files = [path for pattern in TEMPLATES for path in sorted(ROOT.glob(pattern))]
    assert len(files) > 10
    assert {path.name: texts for path in files if (texts := read_bare_texts(path))} == {}


def test_a_text_outside_of_the_catalogue_is_reported() -> None:
    assert list_bare_texts("{% if x %}<p>Foul</p>{% endif %}") == ["Foul"]
    assert list_bare_texts("<nav aria-label='Table'>{{ gettext('Foul') }}</nav>") == ["Table"]
    assert list_bare_texts("<p>{{ 'hand of it' if x else y }}</p>") == ["hand of it"]
    assert list_bare_texts("<p>{{ name }} · {{ 5 }}.</p>") == []


def test_the_catalogues_are_in_step_with_the_sources(messages: Catalog) -> None:
    assert (CATALOGUES / f"{DOMAIN}.pot").read_bytes() == show_template(messages), "run `make generate`"
    for language in TRANSLATED:
        assert find_catalogue(language).read_bytes() == show_updated(messages, language), "run `make generate`"


def test_every_language_of_the_folder_is_one_of_the_pages() -> None:
    assert sorted(path.name for path in CATALOGUES.iterdir() if path.is_dir()) == list(TRANSLATED)


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_has_a_translation(language: str) -> None:
    missing = [each.id for each in catalogue_of(language) if each.id and (each.fuzzy or not all(translations_of(each)))]
    assert missing == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_have_the_placeholders_of_their_messages(language: str) -> None:
    wrong = []
    for message in catalogue_of(language):
        if not message.id:
            continue
        ids = [message.id] if isinstance(message.id, str) else list(message.id)
        expected = [set(PLACEHOLDER.findall(each)) for each in ids]
        for text in filter(None, translations_of(message)):
            if set(PLACEHOLDER.findall(text)) not in expected or STRAY.search(text):
                wrong.append(text)
    assert wrong == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_messages_with_a_number_have_every_form_of_the_language(language: str) -> None:
    forms = get_plural(language).num_plurals
    numbers = Counter(len(each.string) for each in catalogue_of(language) if isinstance(each.id, tuple))
    assert set(numbers) == {forms}


def test_messages_are_plain_texts_of_placeholders_with_names(messages: Catalog) -> None:
    ids = [text for each in messages if each.id for text in ([each.id] if isinstance(each.id, str) else each.id)]
    assert [text for text in ids if STRAY.search(text) or "<" in text or text != text.strip()] == []
