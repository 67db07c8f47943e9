"""Money: currencies and their minor units, and points whose value in money is an exact integer."""

import re
from typing import Final

from schemas.fields import MOST_INTEGER
from scoring.errors import Mistake, RoundError
from scoring.round_state import Round

CURRENCIES: Final = frozenset(
    """
    ADP AED AFA AFN ALK ALL AMD ANG AOA AOK AON AOR ARA ARL ARM ARP ARS ATS AUD AWG AZM AZN BAD BAM BAN BBD BDT BEC
    BEF BEL BGL BGM BGN BGO BHD BIF BMD BND BOB BOL BOP BOV BRB BRC BRE BRL BRN BRR BRZ BSD BTN BUK BWP BYB BYN BYR
    BZD CAD CDF CHE CHF CHW CLE CLF CLP CNH CNX CNY COP COU CRC CSD CSK CUC CUP CVE CYP CZK DDM DEM DJF DKK DOP DZD
    ECS ECV EEK EGP ERN ESA ESB ESP ETB EUR FIM FJD FKP FRF GBP GEK GEL GHC GHS GIP GMD GNF GNS GQE GRD GTQ GWE GWP
    GYD HKD HNL HRD HRK HTG HUF IDR IEP ILP ILR ILS INR IQD IRR ISJ ISK ITL JMD JOD JPY KES KGS KHR KMF KPW KRH KRO
    KRW KWD KYD KZT LAK LBP LKR LRD LSL LTL LTT LUC LUF LUL LVL LVR LYD MAD MAF MCF MDC MDL MGA MGF MKD MKN MLF MMK
    MNT MOP MRO MRU MTL MTP MUR MVP MVR MWK MXN MXP MXV MYR MZE MZM MZN NAD NGN NIC NIO NLG NOK NPR NZD OMR PAB PEI
    PEN PES PGK PHP PKR PLN PLZ PTE PYG QAR RHD ROL RON RSD RUB RUR RWF SAR SBD SCR SDD SDG SDP SEK SGD SHP SIT SKK
    SLE SLL SOS SRD SRG SSP STD STN SUR SVC SYP SZL THB TJR TJS TMM TMT TND TOP TPE TRL TRY TTD TWD TZS UAH UAK UGS
    UGX USD USN USS UYI UYP UYU UYW UZS VEB VED VEF VES VND VNN VUV WST XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XEU
    XFO XFU XOF XPD XPF XPT XRE XSU XUA YDD YER YUD YUM YUN YUR ZAL ZAR ZMK ZMW ZRN ZRZ ZWD ZWG ZWL ZWR
    """.split()  # noqa: SIM905 - as a list it has a line for each
)
"""
The ISO 4217 codes in Unicode's CLDR, also of currencies that are no longer used, for old records.

Without XTS and XXX, the codes for tests and for "no currency".
"""

_AMOUNT: Final = re.compile("[0-9]{1,20}")

_DIGITS: Final = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND"), 0),
    **dict.fromkeys(("VUV", "XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("ADP", "BYR", "ESP", "ITL", "LUF", "MGF", "TRL"), 0),  # no longer used
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


def find_digits(currency: str | None) -> int | None:
    """
    Return the number of digits of a currency's minor unit; None without a currency.

    >>> find_digits("JPY"), find_digits(None)
    (0, None)
    """
    return None if currency is None else count_digits(currency)


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


def read_decimal(text: str, currency: str) -> int:
    """
    Return the minor units of an amount that a person wrote as a decimal number.

    >>> read_decimal("12.5", "EUR"), read_decimal("12,50", "EUR"), read_decimal("70", "JPY")
    (1250, 1250, 70)

    Raises:
        ValueError: it is no number, or has more digits than the currency.
    """
    whole, _, part = text.strip().replace(",", ".").partition(".")
    digits = count_digits(currency)
    number = whole + part.ljust(digits, "0")
    if not whole or len(part) > digits or not _AMOUNT.fullmatch(number):
        raise ValueError(f"is {text[:20]!r}; expected an amount like {show_decimal(1250, currency)}")
    return int(number)


def are_exact(round_: Round, point_value: int | None) -> bool:
    """Return whether the points of a round, and their value in money, are within the range of exact integers."""
    return sum(round_.stacks.values()) <= MOST_INTEGER // max(point_value or 0, 1)


def refuse_inexact(round_: Round, point_value: int | None, *path: str | int) -> None:
    """
    Check that the points of a round, and their value in money, are within the range of exact integers.

    The sum of all stacks bounds every figure of the round: stacks, nets and money.

    Raises:
        RoundError: there are too many points; the mistake has the path `path`.
    """
    if not are_exact(round_, point_value):
        total, worth = sum(round_.stacks.values()), max(point_value or 0, 1)
        most = MOST_INTEGER // worth
        detail = f"the round would have {total} points; expected at most {most} at a point value of {worth}"
        raise RoundError([Mistake("points-overflow", path, detail)])
