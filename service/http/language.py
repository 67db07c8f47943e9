"""
The language of the players' pages: which one a request gets, and its messages.

The messages are the English texts. The catalogues in `service/translations/` have the others; the app has the same.
Everything else, the API and the console too, is English.
"""

from collections.abc import Mapping
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from flask import Response, has_app_context, request
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from scoring.phrase import Phrase
from service.http.request_state import find_request

ENGLISH: Final = "en"
LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "ru": "Русский", "de": "Deutsch", "fr": "Français"}
"""The languages of the pages, each by its own name."""
TRANSLATED: Final = tuple(sorted(LANGUAGES.keys() - {ENGLISH}))
CATALOGUES: Final = Path(__file__).parents[1] / "translations"
DOMAIN: Final = "messages"
COOKIE: Final = "language"
"""The cookie of the user's choice, which the app sets too."""
VARY: Final = ("Accept-Language", "Cookie")
_YEAR: Final = 31_536_000


def choose_language() -> str:
    """Return the language that the user has chosen, else the one of the pages' that the browser prefers."""
    chosen = request.cookies.get(COOKIE)
    if chosen is not None and chosen in LANGUAGES:
        return chosen
    # The best match of Werkzeug prefers `en` to `de-AT`, which is no language of the pages by that name.
    preferred = (tag.split("-")[0].lower() for tag, quality in request.accept_languages if quality > 0)
    return next((language for language in preferred if language in LANGUAGES), ENGLISH)


def use_language() -> None:
    """Choose the language of the texts of this request."""
    state = find_request()
    if state is not None:
        state.language = choose_language()


def vary_by_language(response: Response) -> Response:
    """Mark a response as one that depends on the language."""
    response.vary.update(VARY)
    response.content_language.add(current_language())
    return response


def remember_language(response: BaseResponse, language: str) -> None:
    """Set the cookie of the user's choice. It says nothing about them, and the app reads it."""
    response.set_cookie(COOKIE, language, max_age=_YEAR, path="/", samesite="Lax", secure=request.is_secure)


def current_language() -> str:
    """Return the language of the current request; English if it has none, or outside of requests."""
    state = find_request() if has_app_context() else None
    return ENGLISH if state is None else state.language


def current_locale() -> str:
    """Return the locale of dates and numbers. English ones are written as in Britain."""
    language = current_language()
    return "en_GB" if language == ENGLISH else language


def gettext(message: str, **values: Any) -> str:
    """
    Return a text in the language of the request.

    >>> gettext("%(payer)s pays %(payee)s", payer="ann", payee="ben")
    'ann pays ben'
    """
    return _fill(current_translations().gettext(message), values)


def pgettext(context: str, message: str, **values: Any) -> str:
    """Return a text whose translation depends on where it is used, which the context names."""
    return _fill(current_translations().pgettext(context, message), values)


def ngettext(singular: str, plural: str, count: int, /, **values: Any) -> str:
    """
    Return a text with a number. `%(count)s` in it is the number, grouped as in the language.

    >>> ngettext("%(count)s point", "%(count)s points", 1), ngettext("%(count)s point", "%(count)s points", 1250)
    ('1 point', '1,250 points')
    """
    return _fill(current_translations().ngettext(singular, plural, count), {"count": format_count(count), **values})


def format_count(number: int) -> str:
    """
    Return a whole number, grouped as in the language.

    >>> format_count(1250)
    '1,250'
    """
    if current_language() == ENGLISH:
        return f"{number:,}"
    return str(format_decimal(number, locale=current_locale()))


def translate(text: str) -> str:
    """
    Return a phrase of the rules in the language of the request. Other texts are returned unchanged.

    >>> translate(Phrase("pair of %(ranks)s", ranks="queens")), translate("ann")
    ('pair of queens', 'ann')
    """
    if current_language() == ENGLISH or not isinstance(text, Phrase):
        return str(text)
    values = {name: translate(value) if isinstance(value, str) else value for name, value in text.values.items()}
    if text.plural is not None:
        return ngettext(text.message, text.plural, text.number, **values)
    return pgettext(text.context, text.message, **values) if text.context else gettext(text.message, **values)


def current_translations() -> NullTranslations:
    """Return the messages of the current request."""
    return read_translations(current_language())


@cache
def read_translations(language: str) -> NullTranslations:
    """Return the messages of a language, compiled once in a process. English needs none."""
    if language == ENGLISH:
        return NullTranslations()
    with (CATALOGUES / language / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)


def _fill(message: str, values: Mapping[str, Any]) -> str:
    if isinstance(message, Markup) or any(isinstance(value, Markup) for value in values.values()):
        return Markup(message) % values
    return message % values if values else message
