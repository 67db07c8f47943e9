"""The fold of what belongs to texts and records: authors by the digests of their names, and references of hands."""

from dataclasses import replace
from hashlib import sha256

from evidence.events import RecordDigest
from evidence.fold import fold_round
from tests.evidence.example_events import KEY, OPENED, ROUND, WORDS, hand, hand_id
from tests.evidence.round_events import DOCUMENT, PLAYED, corrected, disputed, fold, recorded, stored


def test_a_key_is_the_author_of_the_events_with_its_name() -> None:
    opened = replace(stored(3, disputed(by=None, key_name=WORDS)), actor=KEY)
    round_ = fold_round(ROUND, [*(stored(index, event) for index, event in enumerate(PLAYED)), opened])
    assert round_.authors == {WORDS: KEY}


def test_a_corrected_hand_has_the_reference_that_it_had() -> None:
    round_ = fold(OPENED, recorded(1, reference="friday/1"), recorded(2, reference="friday/2"), corrected())
    assert [hand.reference for hand in round_.newest.hands] == ["friday/1", "friday/2"]
    assert round_.newest.hands[1].id == hand_id(3)


def test_a_hand_has_the_reference_of_its_deal_if_a_correction_removes_a_hand_before_it() -> None:
    second, moved = hand(2, exchanged=True), hand(1, exchanged=True)
    correction = corrected(
        document=replace(DOCUMENT, hands=(moved,)),
        hands=(hand_id(3),),
        recorded=(RecordDigest(hand_id(3), sha256(moved).digest()),),
        irregular=(),
    )
    played = recorded(1, reference="friday/1"), recorded(2, hand=second, reference="friday/2")
    assert [each.reference for each in fold(OPENED, *played, correction).newest.hands] == ["friday/2"]
