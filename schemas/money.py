"""Money: units of amounts and their digits, currencies, and points whose value is an exact integer."""

import re
from dataclasses import dataclass
from typing import Any, Final

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


MOST_DIGITS: Final = 8
"""The largest number of digits of a unit. A JSON number then represents 90 million of it exactly."""


@dataclass(frozen=True, slots=True, order=True)
class Unit:
    """
    What amounts are counted in: a currency, a unit that a club defines, or the points of a table without a value.

    Attributes:
        code: the code of the currency or of the club's unit, or the ID of the table.
        digits: the number of digits after the decimal point; amounts are integers of the last one.
    """

    code: str
    digits: int


def find_currency(code: str) -> Unit | None:
    """
    Find a currency by its ISO 4217 code.

    >>> find_currency("JPY"), find_currency("chips")
    (Unit(code='JPY', digits=0), None)
    """
    return Unit(code, count_digits(code)) if code in CURRENCIES else None


def load_unit(code: str | None, digits: int | None) -> Unit | None:
    """
    Return a unit from its fields; None without one.

    >>> load_unit("mBTC", 5), load_unit(None, None)
    (Unit(code='mBTC', digits=5), None)
    """
    return None if code is None or digits is None else Unit(code, digits)


def dump_unit(unit: Unit | None) -> dict[str, Any]:
    """
    Return the fields of a unit, as JSON, events and records have them.

    >>> dump_unit(Unit("mBTC", 5)), dump_unit(None)
    ({'unit': 'mBTC', 'unit_digits': 5}, {'unit': None, 'unit_digits': None})
    """
    return {"unit": unit and unit.code, "unit_digits": unit and unit.digits}


def show_decimal(minor: int, unit: Unit) -> str:
    """
    Format an amount in minor units as a decimal number, without the unit.

    >>> show_decimal(-1250, Unit("EUR", 2)), show_decimal(70, Unit("JPY", 0)), show_decimal(5, Unit("mBTC", 5))
    ('-12.50', '70', '0.00005')
    """
    text = str(abs(minor)).rjust(unit.digits + 1, "0")
    number = f"{text[: -unit.digits]}.{text[-unit.digits :]}" if unit.digits else text
    return f"-{number}" if minor < 0 else number


def read_decimal(text: str, unit: Unit) -> int:
    """
    Return the minor units of an amount that a person wrote as a decimal number.

    >>> read_decimal("12.5", Unit("EUR", 2)), read_decimal("12,50", Unit("EUR", 2)), read_decimal("70", Unit("JPY", 0))
    (1250, 1250, 70)

    Raises:
        ValueError: it is no number, or has more digits than the unit.
    """
    whole, _, part = text.strip().replace(",", ".").partition(".")
    number = whole + part.ljust(unit.digits, "0")
    if not whole or len(part) > unit.digits or not _AMOUNT.fullmatch(number):
        raise ValueError(f"is {text[:20]!r}; expected an amount like {show_decimal(1250, unit)}")
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
