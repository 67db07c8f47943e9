"""Phrases: English texts that still have the message and the values that they are made of, for translations."""

from collections.abc import Iterable
from typing import Self


class Phrase(str):
    """
    A text in English, made of a message and its values.

    It is an ordinary text for whoever reads English. Pages in other languages translate the message and those values
    that are phrases, and fill in the values again.

    >>> hand = Phrase("pair of %(ranks)s", ranks=Phrase.in_context("pair of", "queens"))
    >>> hand, hand.message, hand.values["ranks"].context
    ('pair of queens', 'pair of %(ranks)s', 'pair of')
    >>> Phrase.with_number("%(count)s point", "%(count)s points", 3)
    '3 points'

    Attributes:
        message: the English text with placeholders.
        plural: the message for more than one, of a message with a number.
        number: this number.
        context: where it is used, for texts that are the same in English only.
        values: what is filled in, by placeholder.
    """

    __slots__ = ("context", "message", "number", "plural", "values")
    message: str
    plural: str | None
    number: int
    context: str | None
    values: dict[str, str | int]

    def __new__(cls, message: str, /, **values: str | int) -> Self:
        """Build the English text."""
        return cls._build(message, message, values)

    @classmethod
    def _build(cls, english: str, message: str, values: dict[str, str | int]) -> Self:
        phrase = super().__new__(cls, english % values if values else english)
        phrase.message, phrase.plural, phrase.number, phrase.context, phrase.values = message, None, 0, None, values
        return phrase

    @classmethod
    def in_context(cls, context: str, message: str, /, **values: str | int) -> Self:
        """Build a phrase whose translation depends on where it is used."""
        phrase = cls(message, **values)
        phrase.context = context
        return phrase

    @classmethod
    def with_number(cls, singular: str, plural: str, number: int, /, **values: str | int) -> Self:
        """Build a phrase with a number, which is `%(count)s` in it."""
        phrase = cls._build(singular if number == 1 else plural, singular, {"count": number, **values})
        phrase.plural, phrase.number = plural, number
        return phrase


def join_phrases(separator: str, parts: Iterable[str]) -> Phrase:
    """
    Return phrases one after the other.

    >>> join_phrases("-", [Phrase("queen"), Phrase("four")])
    'queen-four'
    """
    values = {f"part{place}": part for place, part in enumerate(parts)}
    return Phrase(separator.join(f"%({name})s" for name in values), **values)
