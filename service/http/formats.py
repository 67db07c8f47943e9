"""Money, times and cards as pages show them."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime
from babel.numbers import format_currency, get_currency_symbol
from markupsafe import Markup

from schemas.currencies import count_digits
from scoring.cards import Card
from scoring.description import name_rank

_LOCALE: Final = "en_GB"
_SUITS: Final = {"s": ("♠", "spades"), "h": ("♥", "hearts"), "d": ("♦", "diamonds"), "c": ("♣", "clubs")}


def format_money(minor: int, currency: str) -> str:
    """
    Format an amount in minor units with the symbol of its currency and the digits of ISO 4217.

    >>> format_money(480, "EUR"), format_money(-1250, "EUR"), format_money(70, "JPY")
    ('€4.80', '−€12.50', 'JP¥70')
    """
    digits = count_digits(currency)
    space = "\u00a0" if get_currency_symbol(currency, _LOCALE)[-1].isalpha() else ""
    pattern = f"¤{space}#,##0" + ("." + "0" * digits if digits else "")
    amount = Decimal(abs(minor)).scaleb(-digits)
    text = format_currency(amount, currency, pattern, locale=_LOCALE, currency_digits=False)
    return f"−{text}" if minor < 0 else text


def format_money_won(minor: int, currency: str) -> str:
    """
    Format an amount that was won, or lost if it is below zero, with its sign.

    >>> format_money_won(480, "EUR"), format_money_won(-480, "EUR"), format_money_won(0, "EUR")
    ('+€4.80', '−€4.80', '€0.00')
    """
    return f"+{format_money(minor, currency)}" if minor > 0 else format_money(minor, currency)


def format_day(at: datetime, zone: ZoneInfo) -> str:
    """
    Format the day of a time, in words.

    >>> format_day(datetime.fromisoformat("2026-11-20T23:15:00Z"), ZoneInfo("Europe/Berlin"))
    'Saturday 21 November 2026'
    """
    return format_date(at.astimezone(zone).date(), "EEEE d MMMM y", locale=_LOCALE)


def format_time(at: datetime, zone: ZoneInfo) -> str:
    """
    Format a time with its day and the abbreviation of its zone.

    >>> format_time(datetime.fromisoformat("2026-11-20T23:15:00Z"), ZoneInfo("Europe/Berlin"))
    '21 November 2026, 00:15 CET'
    """
    local = at.astimezone(zone)
    return f"{format_datetime(local, 'd MMMM y, HH:mm', locale=_LOCALE)} {local.tzname()}"


def format_cards(cards: Iterable[Card]) -> Markup:
    """
    Format cards for HTML: each with the colour of its suit, and a name for screen readers.

    >>> format_cards([Card.parse("Td")])
    Markup('<span class="card diamonds" role="img" aria-label="ten of diamonds">10♦</span>')
    """
    return Markup(" ").join(map(_format_card, cards))


@cache
def _format_card(card: Card) -> Markup:
    symbol, suit = _SUITS[card.suit]
    rank = str(card)[0].replace("T", "10")
    return Markup('<span class="card {0}" role="img" aria-label="{1} of {0}">{2}{3}</span>').format(
        suit, name_rank(card.rank), rank, symbol
    )
