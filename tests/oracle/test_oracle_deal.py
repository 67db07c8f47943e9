"""The oracle's check of a deal against docs/rules.md 6, The deal."""

from typing import Any

import pytest

from tests.oracle import PRESETS, Refused
from tests.oracle.deal import check_hand, lay_by_clock
from tests.oracle.rows import SIZES
from tests.oracle.written import board, cards

PLAYED: dict[str, Any] = {"top": "Kc Qd 2c", "middle": "9c 9d 8c 4d 3c", "bottom": "Ac Ad Jc Td 5c"}


def street(
    dealt: str, bottom: str = "", middle: str = "", top: str = "", gone: str = "", auto: str = ""
) -> dict[str, Any]:
    rows = {"top": cards(top), "middle": cards(middle), "bottom": cards(bottom)}
    return {"dealt": cards(dealt), **rows, "discards": cards(gone), "auto": cards(auto)}


def streets() -> list[dict[str, Any]]:
    return [
        street("Ac Ad 9c Qd Kc", bottom="Ac Ad", middle="9c", top="Qd Kc"),
        street("9d Jc 2h", bottom="Jc", middle="9d", gone="2h"),
        street("Td 5c 2d", bottom="Td 5c", gone="2d", auto="5c Td 2d"),
        street("8c 3h 2c", middle="8c", top="2c", gone="3h", auto="8c"),
        street("4d 3c 3d", middle="4d 3c", gone="3d", auto="4d 3c"),
    ]


def accepts(player: dict[str, Any], name: str = "pineapple") -> bool:
    other = board("Ah 9h 2s", "5h 5s 7h Th Ks", "6h 6s 8h 8s Jh", seat=2)
    try:
        check_hand([player, other], PRESETS[name])
    except Refused:
        return False
    return True


def test_streets_that_add_up_are_accepted() -> None:
    assert accepts(board(**PLAYED, streets=streets()))
    assert accepts(board(**PLAYED, streets=streets(), discards=cards("2h 2d 3h 3d")))
    assert accepts(board(**PLAYED, streets=streets(), discards=None))
    by_hand_first = street("Td 2d 5c", bottom="Td 5c", gone="2d", auto="Td 2d")
    assert accepts(board(**PLAYED, streets=[*streets()[:2], by_hand_first, *streets()[3:]]))


@pytest.mark.parametrize(
    "changes",
    [
        {4: street("4d 3c", middle="4d 3c")},
        {1: street("9d Jc 2h", bottom="Jc 9d", gone="2h")},
        {1: street("9d Jc 2h", bottom="Jc", middle="9d", gone="4h")},
        {1: street("9d Jc 2h", bottom="Jc", gone="2h 9d")},
        {2: street("Td 2d 5c", bottom="Td 5c", gone="2d", auto="2d 5c")},
        {2: street("2d Td 5c", bottom="Td 5c", gone="2d", auto="2d Td 5c")},
        {2: street("Td 2d 5c", bottom="Td 5c", gone="2d", auto="Td 6d")},
        {3: street("8c 3h 2c", middle="8c", top="2c", gone="3h", auto="2c")},
        {0: street("Ac Ad 9c Qd Kc", bottom="Ac Ad", middle="9c", top="Qd Kc", auto="9c")},
    ],
)
def test_streets_that_do_not_add_up_are_refused(changes: dict[int, dict[str, Any]]) -> None:
    changed = [changes.get(number, right) for number, right in enumerate(streets())]
    assert changed != streets()
    assert not accepts(board(**PLAYED, streets=changed))


def test_too_few_streets_are_refused() -> None:
    assert not accepts(board(**PLAYED, streets=streets()[:4]))
    assert not accepts(board(**PLAYED, streets=[]))


def test_recorded_discards_are_the_cards_dealt_less_thirteen() -> None:
    assert accepts(board(**PLAYED))
    assert accepts(board(**PLAYED, discards=None))
    assert not accepts(board(**PLAYED, discards=[]))
    assert accepts(board(**PLAYED, discards=[]), "turbo")
    assert accepts(board(**PLAYED, discards=cards("2h 2d 3h 3d")))
    assert not accepts(board(**PLAYED, streets=streets(), discards=cards("2h 2d 3h 4h")))
    assert accepts(board(**PLAYED, fantasyland=14, discards=["2h"]))
    assert not accepts(board(**PLAYED, fantasyland=14, discards=[]))


def test_every_card_of_a_hand_comes_from_one_deck() -> None:
    assert not accepts(board(**PLAYED | {"top": "Kc Qd Qd"}))
    assert not accepts(board(**PLAYED | {"top": "Kc Qd Ah"}))
    assert not accepts(board(**PLAYED | {"top": "Kc Qd 1h"}))
    assert not accepts(board(**PLAYED | {"top": "Kc Qd"}))
    assert not accepts(board(**PLAYED, discards=cards("2h 2d 3h Ah")))
    assert not accepts(board(**PLAYED, discards=cards("2h 2d 3h Ac")))


def test_the_clock_lays_the_lowest_row_with_room() -> None:
    room = {"top": 1, "middle": 2, "bottom": 1}
    assert lay_by_clock(cards("2c 3c 4c 5c"), room) == {"top": ["5c"], "middle": ["3c", "4c"], "bottom": ["2c"]}


def test_in_fantasyland_the_clock_sets_thirteen_cards_and_discards_the_others() -> None:
    dealt = "Ac Ad Jc Td 5c 9c 9d 8c 4d 3c Kc Qd 2c 2d"
    rows = {row: PLAYED[row] for row in SIZES}
    assert accepts(board(**PLAYED, fantasyland=14, streets=[street(dealt, **rows, gone="2d", auto=dealt)]))
    late = "2d " + dealt.removesuffix(" 2d")
    assert not accepts(board(**PLAYED, fantasyland=14, streets=[street(late, **rows, gone="2d", auto=late)]))
    by_hand = "Ac Ad Jc Td 5c 9c 9d 8c 4d 3c"
    rest = "Kc Qd 2c 2d"
    assert accepts(board(**PLAYED, fantasyland=14, streets=[street(f"{by_hand} {rest}", **rows, gone="2d", auto=rest)]))
