"""How two records differ: values in, findings out."""

from uuid import UUID

import pytest

from scoring.history import History
from scoring.presets import PRESETS
from scoring.round_state import RoundSeat
from service.replays.comparing import compare_records
from service.replays.findings import Finding, FindingKind
from service.replays.results import results_of
from service.replays.stretches import LAST, Stretch
from tests.support.database.insert_records import EXAMPLE

CLUB, ROUND = UUID(int=1), UUID(int=2)
KEY = {"club_id": CLUB, "round_id": ROUND, "revision": 1, "number": 1}
SCORE = {"round_id": ROUND, "revision": 1, "number": 1, "points": [6, -6], "scorer_version": 1}


@pytest.mark.parametrize(
    ("stored", "expected", "finding"),
    [
        ([SCORE], {"points": [6, -6]}, None),
        ([SCORE], {"points": [5, -5]}, (FindingKind.FIGURE_DIFFERS, "points", [6, -6], [5, -5])),
        ([SCORE], {"scorer_version": 2}, (FindingKind.RECORD_DIFFERS, "scorer_version", 1, 2)),
        ([], {"points": [6, -6]}, (FindingKind.RECORD_MISSING, None, None, None)),
        ([SCORE], None, (FindingKind.RECORD_SURPLUS, None, None, None)),
        ([SCORE, SCORE], {"points": [6, -6]}, (FindingKind.RECORD_SURPLUS, None, None, None)),
        ([SCORE], {"points": lambda row: row["points"][:1]}, (FindingKind.FIGURE_DIFFERS, "points", [6, -6], [6])),
    ],
)  # fmt: skip
def test_records_are_equal_different_missing_or_surplus(
    stored: list[dict[str, object]],
    expected: dict[str, object] | None,
    finding: tuple[FindingKind, str | None, object, object] | None,
) -> None:
    by_key = {} if expected is None else {(ROUND, 1, 1): expected}
    findings = list(compare_records(CLUB, "hand_scores", stored, by_key))
    if finding is None:
        assert findings == []
        return
    kind, column, actual, right = finding
    assert findings == [Finding(kind, "hand_scores", KEY, column, actual, right)]
    assert (findings[0].round_id, findings[0].hand) == (ROUND, 1)


def test_results_end_before_an_invalid_hand() -> None:
    seats = tuple(RoundSeat(seat, f"player {seat}", 100) for seat in sorted(EXAMPLE.by_seat))
    history = History(PRESETS["pineapple"], seats, (EXAMPLE,))
    plain = results_of(history)
    assert plain.played is not None
    assert plain.played.round.stacks == dict(zip(EXAMPLE.by_seat, plain.scores[1]["stacks"], strict=True))
    twice = History(history.ruleset, seats, (EXAMPLE, EXAMPLE))
    assert results_of(twice).error is not None, "the second hand has the number of the first"
    assert results_of(twice).scores == plain.scores, "the results of the hands before it are there"


def test_a_stretch_between_ids_has_both() -> None:
    stretch = Stretch.between(UUID(int=5), UUID(int=9))
    assert (stretch.after, stretch.first, stretch.upto, stretch.is_last) == (
        UUID(int=4),
        UUID(int=5),
        UUID(int=9),
        False,
    )
    assert Stretch().upto == LAST
    assert Stretch().is_last
