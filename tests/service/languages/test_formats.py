"""Amounts, days and hands as the pages of each language write them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from flask import Flask

from schemas.money import Unit
from scoring.cards import Card
from scoring.description import describe
from scoring.strength import Category, Strength
from service.http.formats import (
    format_amount,
    format_cards,
    format_evening,
    format_money_won,
    format_signed,
    format_time,
)
from service.http.language import translate
from service.http.request_state import RequestState, begin_request

EURO, POINTS = Unit("EUR", 2), Unit("0193f0c0-0000-7000-8000-000000000002", 0)
MIDNIGHT = datetime.fromisoformat("2026-11-20T23:15:00Z")


@contextmanager
def in_language(language: str) -> Iterator[None]:
    with Flask(__name__).test_request_context():
        begin_request(RequestState(None, "page", language=language))
        yield


@pytest.mark.parametrize(
    ("language", "money", "points", "day", "time"),
    [
        ("en", "−€1,250.00", "−1,250", "Friday 20 November 2026", "21 November 2026, 00:15 CET"),
        ("de", "−1.250,00 €", "−1.250", "Freitag, 20. November 2026", "21. November 2026, 00:15 CET"),
        ("fr", "−1 250,00 €", "−1 250", "vendredi 20 novembre 2026", "21 novembre 2026, 00:15 CET"),
        ("ru", "−1 250,00 €", "−1 250", "пятница, 20 ноября 2026 г.", "21 ноября 2026 г., 00:15 CET"),  # noqa: RUF001  # Russian
    ],
)
def test_amounts_and_days_are_written_as_in_the_language(
    language: str, money: str, points: str, day: str, time: str
) -> None:
    with in_language(language):
        shown = format_money_won(-125_000, EURO), format_signed(-1250), format_evening(date(2026, 11, 20))
        at = format_time(MIDNIGHT, ZoneInfo("Europe/Berlin"))
    assert [" ".join(text.split()) for text in (*shown, at)] == [money, points, day, time]


def test_points_have_the_plural_form_of_their_number() -> None:
    with in_language("ru"):
        shown = [format_amount(number, POINTS) for number in (1, 3, 5, 11, 21)]
    assert shown == ["1 очко", "3 очка", "5 очков", "11 очков", "21 очко"]


@pytest.mark.parametrize(("language", "words"), [("en", "pair of queens"), ("de", "Damenpaar"), ("ru", "пара дам")])
def test_a_hand_is_a_phrase_of_the_language(language: str, words: str) -> None:
    with in_language(language):
        assert translate(describe(Strength(Category.PAIR, (12, 12)))) == words


def test_the_name_of_a_card_is_in_the_language() -> None:
    with in_language("en"):
        assert 'aria-label="queen of spades"' in format_cards([Card.parse("Qs")])
    with in_language("ru"):
        assert 'aria-label="дама пик"' in format_cards([Card.parse("Qs")])
