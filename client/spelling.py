"""Cards and rows as people spell them, converted to the spelling of the service."""

import re
from collections.abc import Mapping
from typing import Any, Final

from client.errors import UnreadableError

_CARD: Final = re.compile("(10|[2-9TJQKA])([CDHS♣♦♥♠♧♢♡♤])\ufe0f?", re.IGNORECASE)
_IN_TEXT: Final = re.compile("(?:10|[^\\s,])[^\\s,]?\ufe0f?")
_SUITS: Final = dict(zip("♣♦♥♠♧♢♡♤", "cdhscdhs", strict=True))
_ROWS: Final = {"front": "top", "back": "bottom"}
_CARD_LISTS: Final = frozenset({"top", "middle", "bottom", "dealt", "discards", "auto"})
_CHECKED: Final = "expected"


def respell(document: Mapping[str, Any]) -> dict[str, Any]:
    """
    Convert every card and row of a document to the spelling of the service. Invalid cards remain as they are.

    >>> respell({"players": [{"front": "QsQd4c", "back": ["10s", "A♠", "Xx"]}]})
    {'players': [{'top': ['Qs', 'Qd', '4c'], 'bottom': ['Ts', 'As', 'Xx']}]}

    Raises:
        UnreadableError: a row is given under both of its names, or the document nests too deeply.
    """
    try:
        respelled: dict[str, Any] = _respell(document, "#")
    except RecursionError:
        raise UnreadableError("the JSON is nested too deeply; expected a hand or a round document") from None
    return respelled


def spell_card(text: str) -> str:
    """
    Return a card in the spelling of the service.

    >>> [spell_card(text) for text in ("10s", "AS", "A♠", "tD", "2c", "1c")]
    ['Ts', 'As', 'As', 'Td', '2c', '1c']
    """
    card = _CARD.fullmatch(text.strip())
    if card is None:
        return text
    rank, suit = card[1].upper(), card[2]
    return ("T" if rank == "10" else rank) + _SUITS.get(suit, suit.lower())


def split_cards(text: str) -> list[str]:
    """
    Split cards that are written one after the other.

    >>> split_cards("QsQd4c"), split_cards("10♠, A♠ 9c"), split_cards("QsQ")
    (['Qs', 'Qd', '4c'], ['10♠', 'A♠', '9c'], ['Qs', 'Q'])
    """
    return _IN_TEXT.findall(text)


def _respell(part: Any, place: str) -> Any:
    if isinstance(part, Mapping):
        return _respell_object(part, place)
    if isinstance(part, list):
        return [_respell(inner, f"{place}/{index}") for index, inner in enumerate(part)]
    return part


def _respell_object(part: Mapping[str, Any], place: str) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, inner in part.items():
        name = _ROWS.get(key, key)
        if name != key and name in part:
            raise UnreadableError(f"{place} has both {key} and {name}, which are the same row; expected one of them")
        if name in _CARD_LISTS and isinstance(inner, list | str):
            read[name] = _respell_cards(inner)
        else:
            read[name] = inner if name == _CHECKED else _respell(inner, f"{place}/{key}")
    return read


def _respell_cards(cards: list[Any] | str) -> list[Any]:
    cards = split_cards(cards) if isinstance(cards, str) else cards
    return [spell_card(card) if isinstance(card, str) else card for card in cards]
