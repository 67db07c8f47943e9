"""The minor units of currencies."""

from typing import Final

_DIGITS: Final = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND"), 0),
    **dict.fromkeys(("VUV", "XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
    **dict.fromkeys(("CLF", "UYW"), 4),
}
"""ISO 4217: all others have two digits."""


def count_digits(currency: str) -> int:
    """
    Return the number of digits of a currency's minor unit after the decimal point.

    >>> count_digits("EUR"), count_digits("JPY"), count_digits("KWD")
    (2, 0, 3)
    """
    return _DIGITS.get(currency, 2)


def show_decimal(minor: int, currency: str) -> str:
    """
    Format an amount in minor units as a decimal number, without the currency.

    >>> show_decimal(-1250, "EUR"), show_decimal(70, "JPY"), show_decimal(5, "KWD")
    ('-12.50', '70', '0.005')
    """
    digits = count_digits(currency)
    text = str(abs(minor)).rjust(digits + 1, "0")
    number = f"{text[:-digits]}.{text[-digits:]}" if digits else text
    return f"-{number}" if minor < 0 else number
