"""Money, times and cards as pages show them."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime
from babel.numbers import format_decimal, get_currency_symbol
from markupsafe import Markup

from schemas.ledger.units import table_of
from schemas.money import Unit, find_currency
from scoring.cards import Card
from scoring.description import name_rank
from service.http.language import ENGLISH, current_language, current_locale, format_count, ngettext, pgettext

_SUITS: Final = {"s": ("♠", "spades"), "h": ("♥", "hearts"), "d": ("♦", "diamonds"), "c": ("♣", "clubs")}


def format_money(minor: int, unit: Unit) -> str:
    """
    Format an amount in minor units: with the symbol of its currency, the code of a unit of the club, or as points.

    >>> format_money(480, Unit("EUR", 2)), format_money(-1250, Unit("EUR", 2)), format_money(70, Unit("JPY", 0))
    ('€4.80', '−€12.50', 'JP¥70')
    >>> [format_money(-125000, Unit(*unit)).replace("\u00a0", " ") for unit in (("mBTC", 5), ("CHF", 2))]
    ['−1.25000 mBTC', 'CHF −1,250.00']
    >>> format_money(1250, Unit("0193f0c0-0000-7000-8000-000000000002", 0))
    '1,250'
    """
    return _format_signed_money(minor, unit, "−" if minor < 0 else "")


def _format_signed_money(minor: int, unit: Unit, sign: str) -> str:
    """Format an amount with a sign, which is before a symbol and after a code: "−€5.00", "CHF −5.00"."""
    before, after = _signs_of(unit, current_locale())
    number = _format_number(minor, unit)
    return f"{before}{sign}{number}{after}" if before.endswith("\u00a0") else f"{sign}{before}{number}{after}"


def _format_number(minor: int, unit: Unit) -> str:
    number = Decimal(abs(minor)).scaleb(-unit.digits)
    if current_language() == ENGLISH:
        return f"{number:,.{unit.digits}f}"
    return str(format_decimal(number, f"#,##0.{'0' * unit.digits}".rstrip("."), locale=current_locale()))


@cache
def _signs_of(unit: Unit, locale: str) -> tuple[str, str]:
    """Return what is written before and after an amount, with spaces beside letters. Symbols are before in English."""
    if table_of(unit.code) is not None:
        return "", ""
    if find_currency(unit.code) is None:
        return "", f"\u00a0{unit.code}"
    symbol = get_currency_symbol(unit.code, locale)
    if not locale.startswith(ENGLISH):
        return "", f"\u00a0{symbol}"
    return f"{symbol}\u00a0" if symbol[-1].isalpha() else symbol, ""


def format_money_won(minor: int, unit: Unit) -> str:
    """
    Format an amount that was won, or lost if it is below zero, with its sign.

    >>> euro = Unit("EUR", 2)
    >>> format_money_won(480, euro), format_money_won(-480, euro), format_money_won(0, euro)
    ('+€4.80', '−€4.80', '€0.00')
    """
    return _format_signed_money(minor, unit, _sign_of(minor))


def format_figure(minor: int, unit: Unit, *, is_won: bool = False) -> str:
    """
    Format an amount for a column whose heading has the unit; `is_won` adds the sign of what was won.

    >>> euro = Unit("EUR", 2)
    >>> format_figure(-125000, euro), format_figure(480, euro), format_figure(480, euro, is_won=True)
    ('−1,250.00', '4.80', '+4.80')
    """
    return f"{_sign_of(minor) if is_won or minor < 0 else ''}{_format_number(minor, unit)}"


def _sign_of(amount: int) -> str:
    return "+" if amount > 0 else "−" if amount < 0 else ""


def format_won(amount: int, unit: Unit) -> str:
    """
    Format what was won, or lost if it is below zero: money, or the points of a table.

    >>> format_won(480, Unit("EUR", 2)), format_won(-1250, Unit("0193f0c0-0000-7000-8000-000000000002", 0))
    ('+€4.80', '−1,250 points')
    """
    if table_of(unit.code) is None:
        return format_money_won(amount, unit)
    return ngettext("%(count)s point", "%(count)s points", abs(amount), count=format_signed(amount))


def format_unit(unit: Unit) -> str:
    """
    Return what is written beside the numbers of a unit in a column.

    >>> format_unit(Unit("EUR", 2)), format_unit(Unit("0193f0c0-0000-7000-8000-000000000002", 0))
    ('EUR', 'points')
    """
    return unit.code if table_of(unit.code) is None else "points"


def gain_or_loss(amount: int) -> str:
    """
    Return the style class of an amount that was won or lost.

    >>> gain_or_loss(5), gain_or_loss(-5), gain_or_loss(0)
    ('gain', 'loss', '')
    """
    return "gain" if amount > 0 else "loss" if amount < 0 else ""


def format_amount(amount: int, unit: Unit | None) -> str:
    """
    Format an amount of a unit or, without one or of a table, of points.

    >>> format_amount(480, Unit("EUR", 2)), format_amount(1250, None)
    ('€4.80', '1,250 points')
    >>> format_amount(1, Unit("0193f0c0-0000-7000-8000-000000000002", 0))
    '1 point'
    """
    if unit is not None and table_of(unit.code) is None:
        return format_money(amount, unit)
    return ngettext("%(count)s point", "%(count)s points", amount)


def isolate(name: str) -> str:
    """Return a name between characters that isolate its direction of writing from that of the text around it."""
    return f"\u2068{name}\u2069"


def format_signed(points: int) -> str:
    """
    Format points won with their sign.

    >>> format_signed(1250), format_signed(-3), format_signed(0)
    ('+1,250', '−3', '0')
    """
    return f"{_sign_of(points)}{format_count(abs(points))}"


def format_day(at: datetime, zone: ZoneInfo) -> str:
    """
    Format the day of a time, in words.

    >>> format_day(datetime.fromisoformat("2026-11-20T23:15:00Z"), ZoneInfo("Europe/Berlin"))
    'Saturday 21 November 2026'
    """
    return format_evening(at.astimezone(zone).date())


def format_evening(day: date) -> str:
    """
    Format the day of an evening, in words.

    >>> format_evening(date(2026, 11, 20))
    'Friday 20 November 2026'
    """
    pattern = "EEEE d MMMM y" if current_language() == ENGLISH else "full"
    return format_date(day, pattern, locale=current_locale())


def format_clock(at: datetime, zone: ZoneInfo) -> str:
    """
    Format a time of day.

    >>> format_clock(datetime.fromisoformat("2026-11-20T20:14:00Z"), ZoneInfo("Europe/Berlin"))
    '21:14'
    """
    return format_datetime(at.astimezone(zone), "HH:mm", locale=current_locale())


def format_time(at: datetime, zone: ZoneInfo) -> str:
    """
    Format a time with its day and the abbreviation of its zone.

    >>> format_time(datetime.fromisoformat("2026-11-20T23:15:00Z"), ZoneInfo("Europe/Berlin"))
    '21 November 2026, 00:15 CET'
    """
    local = at.astimezone(zone)
    day = format_date(local, "d MMMM y" if current_language() == ENGLISH else "long", locale=current_locale())
    return f"{day}, {format_clock(at, zone)} {local.tzname()}"


def format_short_time(at: datetime, zone: ZoneInfo) -> str:
    """
    Format a time for a column of a list.

    >>> format_short_time(datetime.fromisoformat("2026-11-20T23:15:00Z"), ZoneInfo("Europe/Berlin"))
    '21 Nov 2026, 00:15'
    """
    return str(format_datetime(at.astimezone(zone), "d MMM y, HH:mm", locale=current_locale()))


def format_duration(duration: timedelta) -> str:
    """
    Format a duration with its two largest units.

    >>> format_duration(timedelta(days=1, hours=2, minutes=3)), format_duration(timedelta(minutes=90))
    ('1 day 2 h', '1 h 30 min')
    >>> format_duration(timedelta(seconds=59)), format_duration(timedelta(days=2))
    ('0 min', '2 days')
    """
    minutes = max(int(duration.total_seconds()) // 60, 0)
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [
        *([f"{days} {'day' if days == 1 else 'days'}"] if days else []),
        *([f"{hours} h"] if hours else []),
        *([f"{minutes} min"] if minutes and not days else []),
    ]
    return " ".join(parts) or "0 min"


def format_cards(cards: Iterable[Card]) -> Markup:
    """
    Format cards for HTML: each with the colour of its suit, and a name for screen readers.

    >>> format_cards([Card.parse("Td")]).striptags()
    '10♦'
    """
    return Markup(" ").join(_format_card(card, current_language()) for card in cards)


def show_card(card: Card | str) -> tuple[str, str, str, str]:
    """
    Return the symbol and the name of a card's suit, and its rank as it is shown and as it is read.

    >>> show_card("Td")
    ('♦', 'diamonds', '10', 'ten')
    """
    card = Card.parse(card) if isinstance(card, str) else card
    symbol, suit = _SUITS[card.suit]
    return symbol, suit, str(card)[0].replace("T", "10"), name_rank(card.rank)


@cache
def _format_card(card: Card, _language: str) -> Markup:
    symbol, suit, rank, name = show_card(card)
    names = {"rank": pgettext("rank", name), "suit": pgettext("card", suit)}
    return Markup(
        '<span class="card" data-suit="{}" role="img" aria-label="{}">'
        '<span class="rank">{}</span><span class="suit">{}</span></span>'
    ).format(card.suit, pgettext("card", "%(rank)s of %(suit)s", **names), rank, symbol)
