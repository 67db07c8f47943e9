"""Problems as sentences for people, by their codes. The pages in `web/` read the same catalogue."""

import json
import re
from collections.abc import Mapping
from functools import cache
from gettext import NullTranslations
from importlib.resources import files
from itertools import pairwise
from typing import Any, Final

from schemas.problems import Refusal
from scoring.cards import RANKS, SUITS
from scoring.description import name_rank
from scoring.errors import Mistake

_PART: Final = re.compile(r"\[([^\]]*)\]")
_MARK: Final = re.compile(r"\{(\w+)\}")
_SEAT: Final = re.compile(r"\bseat (\d+)")
_CARD: Final = re.compile(rf"(?<!\w)[{RANKS}][{SUITS}](?!\w)")
_AMENDED: Final = re.compile(r"\bat #(\S*) of the [\w' ]*document: ")
"""Start of a detail about the document that a correction changes: the place in it."""
_ROWS: Final = ("top", "middle", "bottom", "discards")
SUIT_NAMES: Final = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
_ENGLISH: Final = NullTranslations()
_UNKNOWN: Final = "This is not possible[: {detail}]."
"""For a code without a sentence, which a test would find first."""
_PREDICATE: Final = re.compile(r"(?:is|has|are|cannot)\b")


@cache
def catalogue() -> Mapping[str, Mapping[str, str]]:
    """Return the sentences of problem kinds and of mistakes by their codes, and the names of fields."""
    document: Mapping[str, Mapping[str, str]] = json.loads(
        (files("schemas") / "sentences.json").read_text(encoding="utf-8")
    )
    return document


def sentences_of(
    refusal: Refusal, names: Mapping[int, str] | None = None, words: NullTranslations = _ENGLISH
) -> list[str]:
    """
    Return every mistake of a refusal as a sentence for people, with the players of a round by their seats.

    >>> wrong = Mistake("button-wrong", ("button",), "the button is in seat 2; expected seat 3: as the dealer moves")
    >>> sentences_of(Refusal("hand-invalid", "1 mistake", (wrong,)), {2: "ben", 3: "cyd"})
    ['The button is with the wrong player: ben has it, and it is with cyd in this hand.']
    >>> sentences_of(Refusal("round-open", "the table has the open round 019…"))
    ['The table has an open round. Finish it or close it first.']
    """
    if refusal.mistakes:
        return list(dict.fromkeys(describe_mistake(mistake, names or {}, words) for mistake in refusal.mistakes))
    return [describe_kind(refusal.code, refusal.detail, words)]


def describe_kind(code: str, detail: str | None = None, words: NullTranslations = _ENGLISH) -> str:
    """
    Return what a kind of problem is, as a sentence for people.

    >>> describe_kind("round-closed")
    'The round is closed.'
    """
    sentence = words.gettext(catalogue()["kinds"].get(code, _UNKNOWN))
    return _capitalize(_fill(sentence, {"detail": detail and _clean(detail, {})}))


def describe_mistake(mistake: Mistake, names: Mapping[int, str], words: NullTranslations = _ENGLISH) -> str:
    """
    Return a mistake as a sentence for people, with the players of a round by their seats.

    >>> place = "at #/hands/1/players/0/fantasyland of the changed document: "
    >>> detail = f"{place}seat 1 is in Fantasyland and has not earned it in the hand before; expected 0"
    >>> describe_mistake(Mistake("fantasyland-not-earned", ("changes", 0), detail), {1: "ann"})
    'Hand 2, ann: this player did not earn Fantasyland in the hand before.'
    """
    detail, known = mistake.detail, catalogue()
    amended = _AMENDED.search(detail)
    steps = amended[1].split("/") if amended else [str(step) for step in mistake.path]
    hand = next((int(after) + 1 for step, after in pairwise(steps) if step == "hands" and after.isdigit()), None)
    seats = [names.get(int(seat), words.gettext("seat %(seat)s") % {"seat": seat}) for seat in _SEAT.findall(detail)]
    card = _CARD.search(detail)
    named = [step for step in steps if step.replace("_", "").isalpha() and step != "query"]
    # The fields of rulesets have labels like `points.row`.
    unnamed = words.gettext("the %(field)s") % {"field": " ".join(named).replace("_", " ")}
    label = known["fields"].get(named[-1]) if named else None
    field = words.gettext(label) if label else ".".join(named) if len(named) > 1 else unnamed if named else None
    values: dict[str, Any] = {
        "player": seats[0] if seats else None,
        "other": seats[1] if len(seats) > 1 else None,
        "row": next((words.pgettext("row", step) for step in steps if step in _ROWS), None),
        "card": card and _name_card(card[0], words),
        "expected": _first(r"expected (\d+)", detail),
        "range": _first(r"expected (\d+ (?:to|or) \w+)", detail),
        "next": _first(r"expected hand (\d+)", detail),
        "field": field,
        "detail": _clean(detail, names),
        "what": _say_what(_clean(detail, names), field),
    }
    sentence = _fill(words.gettext(known["mistakes"].get(mistake.code, _UNKNOWN)), values)
    is_of_player = bool(seats) and sentence.startswith(f"{seats[0]}: ")
    if hand is not None:
        return f"{words.gettext('Hand %(number)s') % {'number': hand}}{', ' if is_of_player else ': '}{sentence}"
    # A name stays as its player writes it.
    return sentence if is_of_player else _capitalize(sentence)


def _name_card(card: str, words: NullTranslations) -> str:
    rank = words.pgettext("rank", name_rank(RANKS.index(card[0]) + 2))
    suit = words.pgettext("card", SUIT_NAMES[card[1]])
    return words.pgettext("card", "%(rank)s of %(suit)s") % {"rank": rank, "suit": suit}


def _first(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text)
    return match and match[1]


def _fill(sentence: str, values: Mapping[str, str | None]) -> str:
    """Fill the marks of a sentence. A part in brackets is left out if something in it is not known."""

    def fill_part(part: re.Match[str]) -> str:
        marks = _MARK.findall(part[1])
        is_known = all(values.get(mark) is not None for mark in marks)
        return _MARK.sub(lambda mark: str(values[mark[1]]), part[1]) if is_known else ""

    return _PART.sub(fill_part, sentence)


def _capitalize(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _say_what(detail: str, field: str | None) -> str:
    """Return a detail whose subject may be its place in the request as one with a subject."""
    return f"{field or 'it'} {detail}" if _PREDICATE.match(detail) else detail


def _clean(detail: str, names: Mapping[int, str]) -> str:
    """Return a detail without the place in the request that it begins with."""
    text = re.sub(r"^`[^`]*`:? ", "", _AMENDED.sub("", detail)).replace("`", "")
    return _SEAT.sub(lambda seat: names.get(int(seat[1]), seat[0]), text)
