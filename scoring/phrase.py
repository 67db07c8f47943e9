"""Phrases: English texts that still have the message and the values that they are made of, for translations."""

from typing import Self


class Phrase(str):
    """
    A text in English, made of a message and its values.

    It is an ordinary text for whoever reads English. Pages in other languages translate the message and those values
    that are phrases, and fill in the values again.

    >>> hand = Phrase("pair of %(ranks)s", ranks=Phrase("queens", context="pair of"))
    >>> hand, hand.message, hand.values["ranks"].context
    ('pair of queens', 'pair of %(ranks)s', 'pair of')
    >>> Phrase("%(count)s point", plural="%(count)s points", count=3)
    '3 points'

    Attributes:
        message: the English text with placeholders.
        plural: the message for more than one, of a message with a number.
        number: this number.
        context: tells apart what is the same text in English only.
        values: what is filled in, by placeholder.
    """

    __slots__ = ("context", "message", "number", "plural", "values")
    message: str
    plural: str | None
    number: int
    context: str | None
    values: dict[str, str | int]

    def __new__(
        cls,
        message: str,
        /,
        *,
        plural: str | None = None,
        count: int = 0,
        context: str | None = None,
        **values: str | int,
    ) -> Self:
        """Build the English text."""
        english = message if plural is None or count == 1 else plural
        if plural is not None:
            values["count"] = count
        phrase = super().__new__(cls, english % values if values else english)
        phrase.message, phrase.plural, phrase.number, phrase.context = message, plural, count, context
        phrase.values = values
        return phrase
