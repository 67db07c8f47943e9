"""Statistics over HTTP, compared with the hands, of open and of ended rounds."""

from collections import Counter, defaultdict
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from service.replays.stretches import FIRST, LAST, Stretch
from service.verification.queries.figures import list_differing
from tests.oracle import PRESETS, random_document
from tests.scoring.test_against_oracle import spoil
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import (
    COMPLETE,
    FOUL,
    HIGH,
    LOW,
    MID,
    NOBODYS,
    QUEENS,
    SEVENS,
    THREE,
    Document,
    add_table,
    correct_round,
    document_of,
    hand,
    hands_of,
    open_round,
    play,
    post_document,
    settlement_of,
    undo,
    without,
)

DOCUMENTED = Path(__file__).parents[3] / "docs" / "operations.md"
CLOSED = {"after_hand": 1, "reason": "midnight"}
SUMS = ("rounds", "hands", "points", "fouls", "fantasyland_entered", "fantasyland_stayed", "scoops")
SUMS += ("not_received", "not_paid")


def read(api: Api, query: str = "") -> dict[str, Document]:
    response = api.get(f"/v1/statistics{query}")
    assert response.status == 200, response
    return {each["player"]: each for each in response["players"]}


def read_one(api: Api, player: str, query: str = "") -> Document:
    response = api.get(f"/v1/players/{player}/statistics{query}")
    assert response.status == 200, response
    [figures] = response["players"]
    assert isinstance(figures, dict)
    return figures


def stored_as_computed(house: House, api: Api) -> int:
    """Compare what is stored of ended rounds with what follows from their records, and return the number of rows."""
    with database_of(house).reading(club_of(house, api)) as transaction:
        assert list_differing(transaction, Stretch(FIRST, LAST)) == ([], [])
        stored: int = transaction.execute(text("SELECT count(*) FROM round_statistics")).scalar_one()
    return stored


def posted(api: Api, **document: Any) -> Document:
    response = post_document(api, document_of(**document))
    assert response.status == 201, response
    round_: Document = response["round"]
    return round_


@pytest.mark.smoke
@pytest.mark.parametrize("is_ended", [False, True])
def test_every_figure_of_a_player(house: House, api: Api, is_ended: bool) -> None:
    table = add_table(api)
    round_id = open_round(api, table, {1: "ann 3", 2: "bob 50", 3: "cyd 50"})["id"]
    # ann enters Fantasyland with a pair of queens, bob is foul, cyd is beaten in every row by ann only.
    play(api, round_id, hand(1, 3, {1: QUEENS, 2: SEVENS, 3: "KhKc3s / 9s9d8s8c4h / AsAdQhQc2d"}))
    if is_ended:
        assert api.post(f"/v1/rounds/{round_id}/close", {"reason": "midnight"}).status == 200
    assert stored_as_computed(house, api) == (3 if is_ended else 0)
    ann = read(api)["ann"]
    [played] = hands_of(api, round_id)
    points = {each["seat"]: each["points"] for each in played["players"]}
    assert (ann["rounds"], ann["hands"], ann["points"]) == (1, 1, points[1])
    assert ann["points_per_hand"] == {"mean": points[1], "low": None, "high": None}
    assert (ann["fantasyland_entered"], ann["fantasyland_stayed"], ann["fouls"]) == (1, 0, 0)
    assert ann["royalties"] == {"top": 7, "middle": 0, "bottom": 4}
    cut = sum(each["due"] - each["paid"] for each in played["transfers"] if each["payee"] == 1)
    assert ann["not_received"] == cut > 0
    assert sum(each["not_paid"] for each in read(api).values()) == sum(
        each["not_received"] for each in read(api).values()
    )
    assert read_one(api, "ann") == ann


def test_fouls_and_scoops(api: Api) -> None:
    posted(api, hands=[hand(1, 1, {1: HIGH, 2: MID, 3: LOW})], closed=CLOSED)
    players = read(api)
    assert {player: each["scoops"] for player, each in players.items()} == {"ann": 2, "bob": 1, "cyd": 0}
    assert {player: each["fouls"] for player, each in players.items()} == {"ann": 0, "bob": 0, "cyd": 0}
    fouled = {1: FOUL, 2: "QsJc6d / 7s7d5c3h2d / QcQh4d4c3s"}
    posted(api, hands=[hand(1, 1, fouled)], sitting={1: "ann 50", 2: "eve 50"}, closed=CLOSED)
    players = read(api)
    assert {player: each["fouls"] for player, each in players.items()} == {"ann": 1, "bob": 0, "cyd": 0, "eve": 0}
    assert (players["eve"]["scoops"], players["ann"]["scoops"]) == (0, 2)


def test_the_mean_has_an_interval_of_95_percent(api: Api) -> None:
    for number, boards in enumerate([(HIGH, MID), (MID, HIGH), (HIGH, LOW), (HIGH, MID)]):
        sitting = {1: "ann 50", 2: "bob 50"}
        posted(
            api, sitting=sitting, hands=[hand(1, 1, dict(enumerate(boards, 1)))], closed=CLOSED, reference=f"{number}"
        )
    points = [6, -6, 6, 6]
    half = 1.959964 * stdev(points) / sqrt(4)
    expected = {"mean": 3.0, "low": round(fmean(points) - half, 4), "high": round(fmean(points) + half, 4)}
    assert read_one(api, "ann")["points_per_hand"] == expected


def test_statistics_follow_undos_and_corrections(house: House, api: Api) -> None:
    round_id = open_round(api, add_table(api))["id"]
    play(api, round_id, hand(1, 1, THREE), hand(2, 2, THREE))
    assert (read_one(api, "ann")["hands"], read_one(api, "ann")["points"]) == (2, 24)
    undo(api, round_id, 2)
    assert (read_one(api, "ann")["hands"], read_one(api, "ann")["points"]) == (1, 12)
    patch = [{"op": "replace", "path": "/hands/0", "value": hand(1, 1, {1: LOW, 2: MID, 3: HIGH})}]
    corrected = correct_round(api, round_id, {"reason": "seats exchanged", "patch": patch})
    assert corrected.status == 201, corrected
    assert read_one(api, "ann")["points"] == -12
    patch = [{"op": "replace", "path": "/seats/0/player", "value": "dan"}]
    assert correct_round(api, round_id, {"reason": "it was dan", "patch": patch}).status == 201
    assert {player: each["points"] for player, each in read(api).items()} == {"bob": 0, "cyd": 12, "dan": -12}
    undo(api, round_id, 1)
    assert read(api) == {}
    assert read_one(api, "dan")["hands"] == 0
    assert stored_as_computed(house, api) == 0


def test_what_is_stored_of_an_ended_round_follows_corrections(house: House, api: Api) -> None:
    round_id = posted(api, hands=COMPLETE)["id"]
    assert stored_as_computed(house, api) == 3
    assert read_one(api, "ann")["points"] == 36
    patch = [{"op": "replace", "path": "/seats/0/player", "value": "dan"}]
    assert correct_round(api, round_id, {"reason": "it was dan", "patch": patch}).status == 201
    assert stored_as_computed(house, api) == 3
    assert {player: each["points"] for player, each in read(api).items()} == {"bob": 0, "cyd": -36, "dan": 36}
    undo(api, round_id, 3)
    assert stored_as_computed(house, api) == 0, "the round is open again"
    assert read_one(api, "dan")["points"] == 24
    assert api.post(f"/v1/rounds/{round_id}/close", {"reason": "midnight"}).status == 200
    assert stored_as_computed(house, api) == 3
    assert read_one(api, "dan")["points"] == 24


def test_damaged_results_are_repaired_as_documented(house: House, api: Api) -> None:
    round_id = posted(api, hands=COMPLETE)["id"]
    before = read(api)
    club = str(club_of(house, api))
    _, _, documented = DOCUMENTED.read_text().partition("BEGIN;\n")
    repair, _, _ = documented.partition("COMMIT;")
    repair = repair.replace("01a1fa84-64a0-7085-97f3-000000000001", club)
    repair = repair.replace("01a1fa84-64a0-7085-97f3-00000000000c", round_id)
    with psycopg.connect(house.owner_url) as owner:
        owner.execute("SELECT set_config('ofc.club', %s, true)", [club])
        owner.execute("UPDATE round_statistics SET points = 0, fouls = 7 WHERE round_id = %s", [round_id])
    assert read(api) != before
    with psycopg.connect(house.owner_url) as owner:
        owner.execute(repair)
    assert read(api) == before
    assert stored_as_computed(house, api) == 3


def test_statistics_are_filtered_by_table_ruleset_and_period(house: House, api: Api) -> None:
    rounds = [
        posted(
            api,
            table=table,
            ruleset=ruleset,
            hands=[hand(1, 1, THREE)],
            opened_at=opened_at,
            reference=opened_at,
            **closed,
        )
        for table, ruleset, opened_at, closed in (
            ("kitchen", "pineapple", "2026-10-20T20:00:00Z", {"closed": CLOSED}),
            ("kitchen", "pineapple", "2026-10-21T03:00:00Z", {}),
            ("attic", "turbo", "2026-10-21T20:00:00Z", {}),
        )
    ]
    assert stored_as_computed(house, api) == 3, "two rounds are open"
    for query, hands in (
        ("", 3),
        (f"?table={rounds[0]['table']}", 2),
        (f"?table={NOBODYS}", 0),
        ("?ruleset=turbo", 1),
        ("?ruleset=turbo@1", 1),
        ("?ruleset=turbo@2", 0),
        ("?ruleset=classic", 0),
        ("?from=2026-10-21T03:00:00Z", 2),
        ("?to=2026-10-21T03:00:00Z", 1),
        ("?evening=2026-10-20", 2),
        (f"?evening=2026-10-20&table={rounds[2]['table']}", 0),
    ):
        assert read(api, query).get("ann", {"hands": 0})["hands"] == hands, query
        assert read_one(api, "ann", query)["hands"] == hands, query


def test_a_player_who_never_played_is_not_found(api: Api, other_api: Api) -> None:
    posted(api, hands=COMPLETE)
    assert read(other_api) == {}
    for client, player in ((api, "nobody"), (other_api, "ann")):
        refused = client.get(f"/v1/players/{player}/statistics")
        assert (refused.status, refused["code"]) == (404, "not-found")
    none = read_one(api, "ann", "?ruleset=turbo")
    assert (none["hands"], none["points_per_hand"]) == (0, None)


def test_ids_of_players_with_slashes_have_statistics(api: Api) -> None:
    sitting = {1: "a/b 100", 2: "statistics 100", 3: "c/statistics 100"}
    posted(api, sitting=sitting, hands=[hand(1, 1, THREE)], closed=CLOSED)
    assert read_one(api, "a%2Fb")["points"] == 12
    assert read_one(api, "statistics")["points"] == 0
    assert read_one(api, "c%2Fstatistics")["points"] == -12


@pytest.mark.parametrize("path", ["/v1/statistics", "/v1/players/ann/statistics"])
@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ("table=kitchen", "table", "not-an-id"),
        ("ruleset=TURBO", "ruleset", "text-pattern"),
        ("from=yesterday", "from", "not-a-time"),
        ("evening=2026-11-20&from=2026-11-20T00:00:00Z", "evening", "period-ambiguous"),
        ("from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z", "from", "out-of-range"),
        ("limit=5", "limit", "field-unknown"),
    ],
)
def test_an_invalid_query_is_rejected(api: Api, path: str, query: str, pointer: str, code: str) -> None:
    response = api.get(f"{path}?{query}")
    assert (response.status, response.mistakes) == (422, {f"#/query/{pointer}": code})


# --- any rounds ---


def expected(api: Api, rounds: list[str]) -> dict[str, Counter[str]]:
    """Sum up the hands of rounds in plain Python."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for round_id in rounds:
        names = {seat["seat"]: seat["player"] for seat in api.get(f"/v1/rounds/{round_id}")["seats"]}
        played = hands_of(api, round_id)
        for each in {names[player["seat"]] for one in played for player in one["players"]}:
            sums[each]["rounds"] += 1
        for one in played:
            for player in one["players"]:
                of = sums[names[player["seat"]]]
                of["hands"] += 1
                of["points"] += player["points"]
                of["fouls"] += player["foul"]
                for row, shown in player["rows"].items():
                    of[row] += shown["royalty"]
            for exchange in one["exchanges"]:
                won = list(exchange["rows"].values())
                for seat, scooped in zip(exchange["seats"], ([1, 1, 1], [-1, -1, -1]), strict=True):
                    of = sums[names[seat]]
                    of["scoops"] += won == scooped
        for paid in settlement_of(api, round_id)["transfers"]:
            sums[names[paid["payee"]]]["not_received"] += paid["due"] - paid["paid"]
            sums[names[paid["payer"]]]["not_paid"] += paid["due"] - paid["paid"]
    return sums


def earned(api: Api, rounds: list[str]) -> dict[str, list[int]]:
    """Count the boards that earned Fantasyland, in ordinary hands and in Fantasyland."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for round_id in rounds:
        names = {seat["seat"]: seat["player"] for seat in api.get(f"/v1/rounds/{round_id}")["seats"]}
        document = api.get(f"/v1/rounds/{round_id}/document")
        for shown, one in zip(hands_of(api, round_id), document["hands"], strict=True):
            dealt = {player["seat"]: player.get("fantasyland") or 0 for player in one["players"]}
            for player in shown["players"]:
                counts[names[player["seat"]]][dealt[player["seat"]] > 0] += player["fantasyland"] > 0
    return counts


@pytest.mark.no_cover
def test_statistics_are_the_sums_of_the_hands(house: House, api: Api) -> None:
    """Random rounds under many presets, corrected at random."""
    rng = Random("statistics")
    rounds = []
    for place, name in enumerate(sorted(PRESETS)):
        response: ApiResponse = post_document(api, random_document(rng, PRESETS[name]))
        assert response.status == 201, response
        rounds.append(response["round"]["id"])
        if place % 3 == 0:
            document = api.get(f"/v1/rounds/{rng.choice(rounds)}/document").document
            amended = without(spoil(rng, document), "irregular") if document["hands"] else document
            request = {"reason": "misread", "document": amended, "irregular": "stands"}
            correct_round(api, rounds[rng.randrange(len(rounds))], request)
    sums, entered = expected(api, rounds), earned(api, rounds)
    players = read(api)
    assert set(players) == {player for player, counted in sums.items() if counted["hands"]}
    for player, each in players.items():
        summed = {name: sums[player][name] for name in SUMS}
        summed["fantasyland_entered"], summed["fantasyland_stayed"] = entered[player]
        assert {name: each[name] for name in SUMS} == summed
        assert each["royalties"] == {row: sums[player][row] for row in ("top", "middle", "bottom")}
        assert read_one(api, player) == each
    assert stored_as_computed(house, api) > 0
