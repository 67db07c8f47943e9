"""Files as people write them: JSON, with cards as they like to spell them."""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from client.errors import UnreadableError

STDIN: Final = "-"
_CARD: Final = re.compile(r"(10|[2-9TJQKA])([CDHS♣♦♥♠♧♢♡♤])\ufe0f?", re.IGNORECASE)
_SUITS: Final = dict(zip("♣♦♥♠♧♢♡♤", "cdhscdhs", strict=True))
_ROWS: Final = {"front": "top", "back": "bottom"}
_CARD_LISTS: Final = frozenset({"top", "middle", "bottom", "dealt", "discards", "auto"})


def read_document(name: str) -> dict[str, Any]:
    """
    Read a JSON document from a file, or from standard input for `-`, with cards and rows spelled as the service does.

    Raises:
        UnreadableError: there is no such file, it is no JSON object, or a card cannot be read.
    """
    text = _read_text(name)
    try:
        document = json.loads(text, object_pairs_hook=lambda pairs: _object(name, pairs))
    except json.JSONDecodeError as error:
        raise UnreadableError(f"{name}: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise UnreadableError(f"{name}: objects and lists nest far deeper than in any document here") from None
    if not isinstance(document, dict):
        raise UnreadableError(f"{name}: {_kind(document)} was found; a JSON object is right")
    spelled: dict[str, Any] = _spell(document, name, "#")
    return spelled


def spell_card(text: str) -> str:
    """
    Spell a card as the service does.

    >>> [spell_card(text) for text in ("10s", "AS", "A♠", "tD", "2c")]
    ['Ts', 'As', 'As', 'Td', '2c']

    Raises:
        ValueError: it is no card.
    """
    card = _CARD.fullmatch(text.strip())
    if card is None:
        raise ValueError(f"{text!r} is no card; a rank and a suit are, like As, 10s or A♠")
    rank, suit = card[1].upper(), card[2]
    return ("T" if rank == "10" else rank) + _SUITS.get(suit, suit.lower())


def _read_text(name: str) -> str:
    try:
        content = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise UnreadableError(f"{name}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{name}: byte {error.start} is not UTF-8; a JSON file in UTF-8 is right") from None
    except ValueError as error:
        raise UnreadableError(f"{name!r} is no file name: {error}") from None
    if not text.strip():
        raise UnreadableError(f"{name}: it is empty; a JSON document is right")
    return text


def _object(name: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise UnreadableError(f"{name}: the key {twice!r} stands twice in one object")
    return read


def _spell(part: Any, name: str, place: str) -> Any:
    if isinstance(part, Mapping):
        read = {}
        for key, inner in part.items():
            wire = _ROWS.get(key, key)
            if wire in read or (wire != key and wire in part):
                raise UnreadableError(f"{name}: {place} has both {key} and {wire}, which are the same row")
            is_cards = wire in _CARD_LISTS and isinstance(inner, list | str)
            read[wire] = (
                _spell_cards(inner, name, f"{place}/{key}") if is_cards else _spell(inner, name, f"{place}/{key}")
            )
        return read
    if isinstance(part, list):
        return [_spell(inner, name, f"{place}/{index}") for index, inner in enumerate(part)]
    return part


def _spell_cards(cards: list[Any] | str, name: str, place: str) -> list[Any]:
    if isinstance(cards, str):
        cards = _CARD_IN_TEXT.findall(cards) if _ONLY_CARDS.fullmatch(cards) else [cards]
    spelled = []
    for index, card in enumerate(cards):
        try:
            spelled.append(spell_card(card) if isinstance(card, str) else card)
        except ValueError as error:
            raise UnreadableError(f"{name}: {place}/{index}: {error}") from None
    return spelled


_CARD_IN_TEXT: Final = re.compile(r"(?:10|[2-9TJQKA])[CDHS♣♦♥♠♧♢♡♤]\ufe0f?", re.IGNORECASE)
_ONLY_CARDS: Final = re.compile(rf"(?:\s*{_CARD_IN_TEXT.pattern}\s*)*", re.IGNORECASE)


def _kind(value: object) -> str:
    return {list: "a list", str: "a text", type(None): "null"}.get(type(value), "a number or a truth value")
