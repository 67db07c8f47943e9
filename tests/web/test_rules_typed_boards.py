"""A board that is typed, pasted or said is read in a browser as `ofc` reads it."""

import pytest

from client.offline.typed_board import PARTS, read_board
from tests.web.browser_rules import BrowserRules

TAKEN = {"Qh": "in the top of ben", "9c": "among the discards of cyd"}
TEXTS = [
    "QsQd4c / KsKd9h8h3c / AhJh7h6h2h",
    "queens four, kings nines three, ace jack seven six deuce all hearts",
    "top queen of hearts",
    "QQ4 / KK10",
    "three nines",
    "Zs / 1",
    "QsQd4c / KsKd9h8h3c / AhJh7h6h2h / 2c 3c",
    "",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_read_as_by_ofc(browser: BrowserRules, text: str) -> None:
    read = browser.read({"text": text, "taken": TAKEN, "discards": 2})
    expected = read_board(text, TAKEN, 2)
    wrong, missing = ([phrase["text"] for phrase in read[part]] for part in ("wrong", "missing"))
    assert (read["kind"], wrong, missing) == ("typed", [*expected.wrong], [*expected.missing])
    pending = {"10": "T", "1": "T"}.get(expected.pending_rank, expected.pending_rank.upper())
    parts = dict(zip(PARTS, map(list, expected.parts), strict=False))
    if pending:
        parts[PARTS[expected.current]].append(pending)
    named = {part: [card["rank"] + (card["suit"] or "") for card in cards] for part, cards in read["parts"].items()}
    assert named == parts


def test_a_card_without_a_suit_has_those_that_are_left(browser: BrowserRules) -> None:
    read = browser.read({"text": "Qs Q 9 / Z", "taken": TAKEN, "discards": 0})
    assert read["parts"] == {
        "top": [
            {"rank": "Q", "suit": "s", "suits": []},
            {"rank": "Q", "suit": None, "suits": ["c", "d"]},
            {"rank": "9", "suit": None, "suits": ["d", "h", "s"]},
        ],
        "middle": [{"rank": "Z", "suit": None, "suits": []}],
    }


def test_a_remark_has_its_message_and_values_for_other_languages(browser: BrowserRules) -> None:
    read = browser.read({"text": "QsQd / Qh", "taken": TAKEN, "discards": 0})
    [taken], [top, *_] = read["wrong"], read["missing"]
    assert taken["message"] == "%(card)s is already %(place)s"
    assert taken["values"] == {"card": "Qh", "place": "in the top of ben"}
    assert (top["text"], top["number"]) == ("the top has 2 cards; expected 3", 2)
    assert top["message"] == "the %(row)s has %(count)s card; expected %(expected)s"
    assert top["plural"] == "the %(row)s has %(count)s cards; expected %(expected)s"
    row = {"text": "top", "message": "top", "plural": None, "number": 0, "context": "row", "values": {}}
    assert top["values"] == {"count": 2, "row": row, "expected": 3}
