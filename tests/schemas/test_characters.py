"""The refused characters are those of the Unicode categories, and the contract has the same list."""

import re
import sys
import unicodedata

import pytest

from schemas.fields import Characters

JOINERS = {"\u200c", "\u200d"}
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


@pytest.mark.parametrize("characters", [Characters.ID, Characters.TEXT])
def test_exactly_the_characters_of_the_unicode_categories_are_refused(characters: Characters) -> None:
    pattern = re.compile(characters.pattern)
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        category = unicodedata.category(character)
        is_refused = category in UNSEEN and not (characters is Characters.TEXT and character in JOINERS)
        if category == "Cn" or (category == "Cf" and number > 0xFFFF):
            continue
        assert (characters.find_refused(character) is not None) is is_refused, hex(number)
        if number <= 0xFFFF and category != "Cs":
            assert (pattern.fullmatch(character) is None) is is_refused, hex(number)


def test_the_error_names_the_character() -> None:
    assert Characters.ID.find_refused("ann\u202e") == "U+202E"
    assert Characters.ID.find_refused("ann\U000e0041") == "U+E0041"
    assert Characters.TEXT.find_refused("a\u200db") is None
    assert Characters.ID.find_refused("a\u200db") == "U+200D"
    assert Characters.ID.find_refused("\u0645\u06cc\u200c\u062e\u0648") is None
    assert Characters.ID.find_refused("\u0645\u200c\u200c\u062e") == "U+200C"
