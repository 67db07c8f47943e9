"""Anomalies of disputed rounds, with formulas and figures."""

from typing import Any
from uuid import UUID, uuid4

from evidence.events import FinalReason
from service.disputes.queries.figures import COMPARED
from service.rounds.queries import rounds, settlements
from tests.support.api_client import Api
from tests.support.api_disputes import MISREAD, dispute, opened
from tests.support.application import House
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    KINGS,
    LOW,
    MID,
    QUEENS,
    SEVENS,
    SIXES,
    TWO,
    Document,
    correct_round,
    document_of,
    hand,
    post_document,
)

FOUL = "AhKd9c / AsAdTcTh4s / JsJd8c5h2c"
"""The cards of the highest board with middle and bottom exchanged."""

FOULING = [hand(number, number, {1: FOUL if number < 3 else HIGH, 2: MID, 3: LOW}) for number in (1, 2, 3)]
SHORT = {1: "ann 100", 2: "bob 100", 3: "cyd 5"}
"""Cyd can pay 5 of the 12 that they owe."""
TWO_PLAYERS = {1: "ann 100", 2: "bob 100"}
ENTERS = hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS})
IN_FANTASYLAND = hand(2, 3, {1: {"board": HIGH, "fantasyland": 14}, 2: MID, 3: {"board": LOW, "fantasyland": 14}})
QUEEN_WAS_THREE = [{"op": "replace", "path": "/hands/0/players/0/top/1", "value": "3d"}]


def finished(api: Api, hands: list[Document], sitting: dict[int, str] | None = None, **more: Any) -> str:
    """Record a complete round at the kitchen table, and return its id."""
    seated = sitting or SIXES
    early = {"closed": {"after_hand": len(hands), "reason": "the room closes"}} if len(hands) < len(seated) else {}
    sent = document_of("pineapple", seated, hands, reference=str(uuid4()), **early, **more)
    response = post_document(api, sent)
    assert response.status == 201, response
    return str(response["round"]["id"])


def unusual(api: Api, round_id: str) -> dict[tuple[str, tuple[int, ...]], tuple[Any, Any]]:
    """Return the anomalies of a round: found and usual ratios by code and seats."""
    response = dispute(api, round_id)
    assert response.status == 201, response
    assert all(len(each["formula"]) > 20 for each in response["unusual"])
    return {
        (each["code"], tuple(each["seats"])): (rate(each["found"]), rate(each["usual"])) for each in response["unusual"]
    }


def finalize(house: House, api: Api, round_id: str, confirmed: tuple[int, ...] = ()) -> None:
    """Make a settlement final, confirmed by all of its players or because its window has passed."""
    with database_of(house).transaction(club_of(house, api)) as transaction:
        before = rounds.lock(transaction, UUID(round_id))
        for seat in confirmed:
            before = settlements.confirm(transaction, before, seat)
        if not confirmed:
            settlements.finalize(transaction, before, FinalReason.WINDOW)


def rate(written: Document) -> str:
    return f"{written['count']} of {written['of']}"


# --- fouls ---


def test_a_player_with_an_unusual_foul_rate_is_found(api: Api) -> None:
    for _ in range(3):
        finished(api, COMPLETE)
    assert unusual(api, finished(api, FOULING)) == {("foul-rate", (1,)): ("2 of 3", "0 of 27")}


def test_a_foul_rate_must_exceed_twice_that_of_the_table(api: Api) -> None:
    for _ in range(2):
        finished(api, FOULING)
    assert unusual(api, finished(api, FOULING)) == {("foul-rate", (1,)): ("2 of 3", "4 of 18")}
    always = [hand(number, number, {1: FOUL, 2: MID}) for number in (1, 2)]
    for _ in range(3):
        finished(api, always, TWO_PLAYERS, table="attic")
    assert unusual(api, finished(api, always, TWO_PLAYERS, table="attic")) == {}


def test_a_single_foul_is_not_an_anomaly(api: Api) -> None:
    finished(api, COMPLETE)
    once = [hand(1, 1, {1: FOUL, 2: MID, 3: LOW})]
    assert unusual(api, finished(api, once)) == {}


# --- caps ---


def test_a_pair_with_unusual_points_lost_to_caps_is_found(api: Api) -> None:
    finished(api, COMPLETE)
    assert unusual(api, finished(api, COMPLETE[:1], SHORT)) == {
        ("points-lost-to-caps", (1, 3)): ("6 of 1", "0 of 3"),
        ("points-lost-to-caps", (2, 3)): ("1 of 1", "0 of 3"),
    }


def test_usual_points_lost_to_caps_are_not_an_anomaly(api: Api) -> None:
    played = [finished(api, [hand(1, 1, TWO)], {1: "ann 2", 2: "bob 100"}) for _ in range(3)]
    assert unusual(api, played[0]) == {}


# --- irregular hands ---


def test_irregular_hands_are_found(api: Api) -> None:
    finished(api, COMPLETE)
    round_id = finished(api, [ENTERS, IN_FANTASYLAND])
    assert unusual(api, round_id) == {}
    response = correct_round(
        api,
        round_id,
        {"reason": "misread", "patch": QUEEN_WAS_THREE, "irregular": "accept"},
    )
    assert response.status == 201, response
    assert unusual(api, round_id) == {("irregular-hands", ()): ("1 of 2", "0 of 3")}


def test_corrections_after_final_are_found(api: Api, house: House) -> None:
    finished(api, COMPLETE)
    round_id = finished(api, COMPLETE)
    finalize(house, api, round_id)
    correction = {"reason": "misread", "patch": MISREAD}
    assert correct_round(api, round_id, correction).status == 201
    assert unusual(api, round_id) == {("corrected-after-final", ()): ("1 of 2", "0 of 1")}


def test_an_unconfirmed_round_is_found_where_others_are_confirmed(api: Api, house: House) -> None:
    for _ in range(3):
        finalize(house, api, finished(api, COMPLETE), confirmed=(1, 2, 3))
    assert unusual(api, finished(api, COMPLETE)) == {("unconfirmed", ()): ("3 of 3", "0 of 9")}
    assert unusual(api, finished(api, COMPLETE)) == {("unconfirmed", ()): ("3 of 3", "3 of 12")}
    assert unusual(api, finished(api, COMPLETE)) == {("unconfirmed", ()): ("3 of 3", "6 of 15")}
    assert unusual(api, finished(api, COMPLETE)) == {}


# --- what is compared ---


def test_a_round_without_others_has_no_relative_anomalies(api: Api) -> None:
    assert unusual(api, finished(api, FOULING, SHORT | {3: "cyd 500"})) == {}
    assert unusual(api, finished(api, FOULING, table="attic")) == {}


def test_rounds_of_other_tables_and_open_rounds_are_not_compared(api: Api) -> None:
    disputed = finished(api, FOULING)
    finished(api, FOULING, table="attic")
    table = api.get(f"/v1/rounds/{disputed}")["table"]
    opened_ = api.post(f"/v1/tables/{table}/rounds", {"seats": document_of()["seats"]})
    assert opened_.status == 201
    assert api.post(f"/v1/rounds/{opened_['id']}/hands", COMPLETE[0]).status == 201
    assert unusual(api, disputed) == {}


def test_the_newest_fifty_other_rounds_are_compared(api: Api) -> None:
    finished(api, FOULING)
    for _ in range(COMPARED):
        finished(api, [hand(1, 1, TWO)], TWO_PLAYERS)
    assert unusual(api, finished(api, FOULING)) == {("foul-rate", (1,)): ("2 of 3", f"0 of {2 * COMPARED}")}


def test_the_number_of_statements_does_not_depend_on_the_number_of_disputes(api: Api) -> None:
    ids = [opened(api, finished(api, FOULING, table=f"table {number % 3}")) for number in range(6)]
    with recorded_statements() as for_many:
        many = api.get("/v1/disputes")["disputes"]
    with recorded_statements() as for_one:
        one = api.get("/v1/disputes?limit=1")["disputes"]
    assert [each["id"] for each in many] == ids
    assert len(for_many) == len(for_one)
    assert one[0] == many[0]
    assert [unusual["code"] for unusual in many[0]["unusual"]] == ["foul-rate"]
