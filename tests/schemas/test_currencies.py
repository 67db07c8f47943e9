"""The currencies of new records."""

from babel.core import get_global

from schemas.currencies import CURRENCIES


def test_the_currencies_are_those_of_cldr() -> None:
    assert set(get_global("all_currencies")) - {"XTS", "XXX"} == CURRENCIES
