"""The currencies of new records."""

from babel.core import get_global

from schemas.money import CURRENCIES, count_digits


def test_the_currencies_are_those_of_cldr() -> None:
    assert set(get_global("all_currencies")) - {"XTS", "XXX"} == CURRENCIES


COINS_NO_LONGER_USED = {
    "AFN", "ALL", "IQD", "IRR", "KPW", "LAK", "LBP", "MGA", "MMK", "MRO", "RSD", "SLL", "SOS", "STD", "SYP", "TMM",
    "YER", "ZMK", "ZWD",
}  # as a table  # fmt: skip
"""Currencies that CLDR shows without their minor unit, because there are no coins of it; ISO 4217 has digits for it."""


def test_the_digits_are_those_of_cldr_or_iso_4217() -> None:
    fractions = get_global("currency_fractions")
    expected = {currency: fractions.get(currency, fractions["DEFAULT"])[0] for currency in CURRENCIES}
    expected |= dict.fromkeys(COINS_NO_LONGER_USED, 2) | {"IQD": 3}
    assert {currency: count_digits(currency) for currency in CURRENCIES} == expected
    assert {count_digits(former) for former in ("ADP", "BYR", "ESP", "ITL", "LUF", "MGF", "TRL")} == {0}
