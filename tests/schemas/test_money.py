"""Currencies, and amounts as decimal numbers with the digits of their units."""

from decimal import Decimal

import pytest
from babel.core import get_global
from hypothesis import given
from hypothesis import strategies as st

from client.render.format import show_money
from schemas.fields import MOST_INTEGER
from schemas.money import CURRENCIES, MOST_DIGITS, Unit, count_digits, read_decimal, show_decimal
from service.http.formats import format_money


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


@given(st.integers(0, MOST_INTEGER), st.integers(0, MOST_DIGITS))
def test_amounts_are_exact_in_every_form(minor: int, digits: int) -> None:
    unit = Unit("chips", digits)
    shown = show_decimal(minor, unit)
    assert Decimal(shown) == Decimal(minor).scaleb(-digits)
    assert read_decimal(shown, unit) == minor
    assert show_decimal(-minor, unit) == (f"-{shown}" if minor else shown)
    assert show_money(minor, "chips", digits) == f"{shown} chips"
    assert format_money(minor, unit).replace(",", "") == f"{shown}\u00a0chips"


@pytest.mark.parametrize("text", ["", "1.123456", "-1", "1e3", "1 000", "one", "1.2.3", "٣"])
def test_a_text_that_is_no_amount_of_a_unit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected an amount like 0\.01250"):
        read_decimal(text, Unit("mBTC", 5))
