"""What is unusual about a round, in sentences."""

from schemas.disputes import Ratio
from service.console.views.anomalies import say_anomaly
from service.disputes.actions.anomalies import FORMULAS, compare
from service.disputes.queries.figures import NO_OTHERS, RoundFigures, TableFigures

UNUSUAL = RoundFigures(
    irregular=Ratio(1, 5),
    fouls={2: Ratio(6, 7)},
    lost={(1, 2): 1_200},
    unconfirmed=Ratio(2, 3),
    after_final=Ratio(1, 2),
)
OTHERS = TableFigures(Ratio(2, 1_400), Ratio(0, 12), Ratio(7, 2), Ratio(0, 30), Ratio(0, 9))
NAMES = {1: "ann", 2: "ben"}


def test_each_kind_has_a_sentence_with_what_is_usual() -> None:
    anomalies = compare(UNUSUAL, OTHERS)
    assert len({each.code for each in anomalies}) == len(FORMULAS)
    assert [say_anomaly(each, NAMES) for each in anomalies] == [
        "1 of 2 revisions was made after the settlement was final; usually 0 of 9.",
        "1 of 5 hands was accepted as played; usually 2 of 1,400.",
        "2 of 3 players have not confirmed the settlement; usually 0 of 30.",
        "6 of ben's 7 boards were foul; usually 0 of 12.",
        "Caps cut 1,200 points between ann and ben; usually 3.5 for two players and a round.",
    ]


def test_without_other_rounds_nothing_is_usual() -> None:
    assert [say_anomaly(each, NAMES) for each in compare(UNUSUAL, NO_OTHERS)] == [
        "1 of 2 revisions was made after the settlement was final.",
        "1 of 5 hands was accepted as played.",
    ]
