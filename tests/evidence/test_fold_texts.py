"""The fold of what belongs to texts and records: authors by the digests of their names, and references of hands."""

from dataclasses import replace

from evidence.fold import fold_round
from tests.evidence.example_events import KEY, OPENED, ROUND, WORDS, hand_id
from tests.evidence.round_events import PLAYED, corrected, disputed, fold, recorded, stored


def test_a_key_is_the_author_of_the_events_with_its_name() -> None:
    opened = replace(stored(3, disputed(by=None, key_name=WORDS)), actor=KEY)
    round_ = fold_round(ROUND, [*(stored(index, event) for index, event in enumerate(PLAYED)), opened])
    assert round_.authors == {WORDS: KEY}


def test_a_corrected_hand_has_the_reference_that_it_had() -> None:
    round_ = fold(OPENED, recorded(1, reference="friday/1"), recorded(2, reference="friday/2"), corrected())
    assert [hand.reference for hand in round_.newest.hands] == ["friday/1", "friday/2"]
    assert round_.newest.hands[1].id == hand_id(3)
