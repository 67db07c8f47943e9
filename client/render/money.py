"""Amounts of money, from minor units, exactly."""

from typing import Final

# ISO 4217: all others have two decimals.
_DECIMALS: Final = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV"), 0),
    **dict.fromkeys(("XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
}


def show_money(minor: int, currency: str) -> str:
    """
    Show an amount.

    >>> show_money(-1250, "EUR"), show_money(70, "JPY"), show_money(5, "KWD")
    ('−12.50 EUR', '70 JPY', '0.005 KWD')
    """
    decimals = _DECIMALS.get(currency, 2)
    digits = str(abs(minor)).rjust(decimals + 1, "0")
    amount = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    return f"{'−' if minor < 0 else ''}{amount} {currency}"
