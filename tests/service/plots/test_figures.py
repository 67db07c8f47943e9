"""The figures of plots over HTTP are those of hands, settlements and statistics."""

import csv
import io
from collections import Counter, defaultdict
from random import Random
from typing import Any

import pytest

from schemas.statistics.intervals import rate_interval
from schemas.statistics.plots import PlotName
from service.plots import actions
from tests.oracle import PRESETS, random_document
from tests.support.api_client import Api
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    NOBODYS,
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
)

CLOSED = {"after_hand": 1, "reason": "midnight"}


def read(api: Api, plot: str, query: str = "") -> Document:
    response = api.get(f"/v1/plots/{plot}?{query}")
    assert response.status == 200, response
    document: Document = response.document
    for series in document["series"]:
        assert len(series["figures"]) == len(document["places"])
    return document


def values(plot: Document) -> dict[str, list[Any]]:
    return {series["name"]: series["figures"] for series in plot["series"]}


def by_player(plot: Document) -> dict[str, dict[str, Any]]:
    """The values of each player whose places are players."""
    return {
        place["player"]: {series["name"]: series["figures"][index] for series in plot["series"]}
        for index, place in enumerate(plot["places"])
    }


def play_random_rounds(api: Api) -> list[str]:
    """Random rounds under every preset, with caps, fouls, departures and payouts at the end; returns their ids."""
    rng = Random("plots")
    rounds = []
    for name in sorted(PRESETS):
        response = post_document(api, random_document(rng, PRESETS[name]))
        assert response.status == 201, response
        rounds.append(str(response["round"]["id"]))
    return rounds


@pytest.mark.smoke
@pytest.mark.no_cover
def test_the_figures_are_those_of_the_records(api: Api) -> None:
    rounds = play_random_rounds(api)
    statistics = {each["player"]: each for each in api.get("/v1/statistics")["players"]}
    nets = {each["player"]: each["net"] for each in api.get("/v1/statement")["players"]}
    assert len(statistics) > 3

    net = read(api, "net")
    assert {player: figures[-1] for player, figures in values(net).items()} == nets
    assert {place["round"] for place in net["places"]} == set(rounds)

    sources = by_player(read(api, "sources"))
    assert {player: sum(figures.values()) for player, figures in sources.items()} == {
        player: each["points"] for player, each in statistics.items()
    }
    assert any(figures["fantasyland"] for figures in sources.values())
    assert sources == expected_sources(api, rounds)

    pairs = by_player(read(api, "head-to-head"))
    for player, row in pairs.items():
        assert sum(points or 0 for points in row.values()) == statistics[player]["points"]
        assert all(
            points == (None if pairs[other][player] is None else -pairs[other][player]) for other, points in row.items()
        )

    caps = by_player(read(api, "caps"))
    for player, figures in caps.items():
        assert figures["received"] - figures["paid"] == nets[player]
        assert (figures["not_received"], figures["not_paid"]) == (
            statistics[player]["not_received"],
            statistics[player]["not_paid"],
        )
    assert sum(figures["received"] + figures["not_received"] for figures in caps.values()) == sum(
        transfer["due"] for round_id in rounds for transfer in settlement_of(api, round_id)["transfers"]
    )
    assert sum(figures["not_paid"] for figures in caps.values()) > 0

    fouls = read(api, "fouls")
    assert sum(place["fouls"] for place in fouls["places"]) == sum(each["fouls"] for each in statistics.values()) > 0
    assert sum(place["hands"] for place in fouls["places"]) == sum(each["hands"] for each in statistics.values())

    boards = sum(each["hands"] for each in statistics.values())
    assert sum(values(read(api, "distribution"))["hands"]) == boards
    for player, each in list(statistics.items())[:3]:
        assert sum(values(read(api, "distribution", f"player={player}"))["hands"]) == each["hands"]
        assert by_player(read(api, "sources", f"player={player}")) == {player: sources[player]}
        assert by_player(read(api, "caps", f"player={player}")) == {player: caps[player]}
        assert values(read(api, "net", f"player={player}"))[player][-1] == nets[player]
        assert sum(p["fouls"] for p in read(api, "fouls", f"player={player}")["places"]) == each["fouls"]
        [row] = by_player(read(api, "head-to-head", f"player={player}")).values()
        assert row == {other: points for other, points in pairs[player].items() if other in row}
        assert sum(row.values()) == each["points"]

    for round_id in rounds:
        plot, settlement = read(api, "stacks", f"round={round_id}"), settlement_of(api, round_id)
        seats = {seat["player"]: seat for seat in api.get(f"/v1/rounds/{round_id}")["seats"]}
        assert [place["hand"] for place in plot["places"]] == list(range(1 + len(hands_of(api, round_id))))
        for player, stacks in values(plot).items():
            assert stacks[-1] == settlement["stacks"][str(seats[player]["seat"])]


def read_all(api: Api) -> list[Document]:
    """Read all plots of the club, and those of a player, of a table and of a period."""
    [table, *_] = api.get("/v1/tables")["tables"]
    [newest, *_] = api.get("/v1/rounds")["rounds"]
    player, opened = newest["seats"][0]["player"], newest["opened_at"]
    filters = [
        "",
        f"player={player}",
        f"table={table['id']}",
        f"from={opened}",
        f"to={opened}",
        f"round={newest['id']}",
    ]
    filters += [f"player={player}&table={newest['table']}", "player=nobody"]
    return [read(api, plot, query) for plot in PlotName for query in filters]


@pytest.mark.no_cover
def test_the_figures_follow_hands_endings_and_corrections(api: Api) -> None:
    """Random rounds under many presets, and one that is played, closed, and corrected twice, back to what it was."""
    rng = Random("counted")
    for name in sorted(PRESETS):
        assert post_document(api, random_document(rng, PRESETS[name])).status == 201
    round_id = open_round(api, add_table(api))["id"]
    before = read_all(api)
    play(api, round_id, hand(1, 1, THREE), hand(2, 2, THREE))
    played = read_all(api)
    assert played != before
    assert api.post(f"/v1/rounds/{round_id}/close", {"reason": "midnight"}).status == 200
    assert read_all(api) == played
    exchanged = {"op": "replace", "path": "/hands/0", "value": hand(1, 1, {1: LOW, 2: MID, 3: HIGH})}
    assert correct_round(api, round_id, {"reason": "seats exchanged", "patch": [exchanged]}).status == 201
    assert read_all(api) != played
    corrected = {"op": "replace", "path": "/hands/0", "value": hand(1, 1, THREE)}
    assert correct_round(api, round_id, {"reason": "they were not", "patch": [corrected]}).status == 201
    assert read_all(api) == played


def expected_sources(api: Api, rounds: list[str]) -> dict[str, dict[str, int]]:
    """Sum up the exchanges of the hands in plain Python."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for round_id in rounds:
        names = {seat["seat"]: seat["player"] for seat in api.get(f"/v1/rounds/{round_id}")["seats"]}
        document = api.get(f"/v1/rounds/{round_id}/document")
        for shown, one in zip(hands_of(api, round_id), document["hands"], strict=True):
            in_fantasyland = {player["seat"] for player in one["players"] if player.get("fantasyland")}
            for exchange in shown["exchanges"]:
                for seat, sign in zip(exchange["seats"], (1, -1), strict=True):
                    of = sums[names[seat]]
                    if seat in in_fantasyland:
                        of["fantasyland"] += sign * exchange["points"]
                        continue
                    of["rows"] += sign * exchange["row_points"]
                    of["bonuses"] += sign * exchange["bonus"]
                    of["fouls"] += sign * exchange["foul"]
                    of["royalties"] += sign * exchange["royalties"]
    return {player: {name: of[name] for name in actions.SOURCES} for player, of in sums.items()}


def test_caps_count_a_payout_in_a_circle_that_changes_no_stack(api: Api) -> None:
    boards = {
        1: "AhKd9c / 7s7d5s4h2h / 8c8d4c4sQc",
        2: "KhQd9h / JsJd8h5c3h / 6c6d3c3sAc",
        3: "QhJc8s / 9s9d6h5d2s / TcTd2c2dAs",
    }
    round_id = open_round(api, add_table(api, "progressive-round"), {1: "ann 100", 2: "bob 100", 3: "cyd 100"})["id"]
    play(api, round_id, hand(1, 1, boards))
    assert by_player(read(api, "caps")) == {}
    assert api.post(f"/v1/rounds/{round_id}/close", {"reason": "midnight"}).status == 200
    paid = {"received": 1, "not_received": 0, "paid": 1, "not_paid": 0}
    assert by_player(read(api, "caps")) == {"ann": paid, "bob": paid, "cyd": paid}


def test_stacks_of_an_evening_follow_the_rounds_of_the_table(api: Api) -> None:
    table = add_table(api)
    for opened_at, sitting in (
        ("2026-11-20T20:00:00Z", {1: "ann 100", 2: "bob 100", 3: "cyd 100"}),
        ("2026-11-20T21:00:00Z", {1: "ann 112", 2: "eve 50"}),
        ("2026-11-22T21:00:00Z", {1: "ann 500", 2: "eve 500"}),
    ):
        seats = {1: HIGH, 2: MID, 3: LOW} if len(sitting) == 3 else {1: HIGH, 2: MID}
        document = document_of(sitting=sitting, hands=[hand(1, 1, seats)], closed=CLOSED, opened_at=opened_at)
        assert post_document(api, document).status == 201
    plot = read(api, "stacks", f"table={table}&evening=2026-11-20")
    assert values(plot) == {
        "ann": [100, 112, 112, 118],
        "bob": [100, 100, None, None],
        "cyd": [100, 88, None, None],
        "eve": [None, None, 50, 44],
    }
    assert [place["hand"] for place in plot["places"]] == [0, 1, 0, 1]
    assert (plot["from"], plot["to"]) == ("2026-11-20T06:00:00Z", "2026-11-21T06:00:00Z")
    assert values(read(api, "stacks", f"table={table}&player=eve&to=2026-11-21T00:00:00Z")) == {"eve": [50, 44]}


def test_stacks_are_those_of_the_newest_evening_that_the_filter_matches(api: Api) -> None:
    played = (
        ("kitchen", "2026-11-20T20:00:00Z", "ann"),
        ("kitchen", "2026-11-22T20:00:00Z", "bob"),
        ("kitchen", "2026-11-22T21:00:00Z", "bob"),
        ("garden", "2026-11-22T22:00:00Z", "eve"),
    )
    for table, opened_at, first in played:
        sitting = {1: f"{first} 100", 2: "dan 100", 3: "cyd 100"}
        document = document_of(
            table=table, sitting=sitting, hands=[COMPLETE[0]], closed=CLOSED, opened_at=opened_at, reference=opened_at
        )
        response = post_document(api, document)
        assert response.status == 201
        if table == "kitchen":
            kitchen = response["round"]["table"]
    for query, players, evening in (
        ("", {"eve", "dan", "cyd"}, "2026-11-22T06:00:00Z"),
        (f"table={kitchen}", {"bob", "dan", "cyd"}, "2026-11-22T06:00:00Z"),
        ("player=ann", {"ann"}, "2026-11-20T06:00:00Z"),
        ("to=2026-11-22T00:00:00Z", {"ann", "dan", "cyd"}, "2026-11-20T06:00:00Z"),
        ("from=2026-11-22T20:30:00Z&to=2026-11-22T21:30:00Z", {"bob", "dan", "cyd"}, "2026-11-22T20:30:00Z"),
    ):
        plot = read(api, "stacks", query)
        assert (values(plot).keys(), plot["from"]) == (players, evening)
    assert len(read(api, "stacks", f"table={kitchen}")["places"]) == 4


def test_plots_follow_undos_and_corrections(api: Api) -> None:
    round_id = open_round(api, add_table(api))["id"]
    play(api, round_id, *COMPLETE[:2])
    assert values(read(api, "stacks", f"round={round_id}"))["ann"] == [100, 112, 124]
    undo(api, round_id, 2)
    assert values(read(api, "stacks", f"round={round_id}"))["ann"] == [100, 112]
    patch = [{"op": "replace", "path": "/hands/0", "value": hand(1, 1, {1: LOW, 2: MID, 3: HIGH})}]
    assert correct_round(api, round_id, {"reason": "seats exchanged", "patch": patch}).status == 201
    assert values(read(api, "stacks", f"round={round_id}"))["ann"] == [100, 88]
    assert values(read(api, "net", f"round={round_id}")) == {"ann": [-12], "bob": [0], "cyd": [12]}
    assert by_player(read(api, "sources", f"round={round_id}"))["ann"] == {
        "rows": -6, "bonuses": -6, "royalties": 0, "fouls": 0, "fantasyland": 0,
    }  # as a table  # fmt: skip


def test_fouls_are_counted_by_evening_with_their_intervals(api: Api) -> None:
    for opened_at in ("2026-11-20T23:00:00Z", "2026-11-21T02:00:00Z", "2026-11-21T20:00:00Z"):
        document = document_of(hands=[COMPLETE[0]], closed=CLOSED, opened_at=opened_at, reference=opened_at)
        assert post_document(api, document).status == 201
    plot = read(api, "fouls")
    assert [(place["first"], place["last"], place["hands"]) for place in plot["places"]] == [
        ("2026-11-20", "2026-11-20", 6),
        ("2026-11-21", "2026-11-21", 3),
    ]
    [rates] = plot["series"]
    assert (rates["figures"], rates["lows"]) == ([0, 0], [0, 0])
    assert rates["highs"] == [round(rate_interval(0, 6)[1], 4), round(rate_interval(0, 3)[1], 4)]


@pytest.mark.parametrize(
    ("opened_at", "periods"),
    [
        (["2026-01-05", "2026-03-03", "2026-03-08"], [("2026-01-05", "2026-01-05"), ("2026-03-02", "2026-03-08")]),
        (["2025-01-05", "2026-03-03", "2026-03-08"], [("2025-01-01", "2025-01-05"), ("2026-03-01", "2026-03-08")]),
        (["2015-01-05", "2026-03-03", "2026-03-08"], [("2015-01-01", "2015-01-05"), ("2026-01-01", "2026-03-08")]),
    ],
)
def test_long_periods_are_divided_into_weeks_months_or_years(
    api: Api, opened_at: list[str], periods: list[tuple[str, str]]
) -> None:
    for day in opened_at:
        document = document_of(hands=[COMPLETE[0]], closed=CLOSED, opened_at=f"{day}T20:00:00Z", reference=day)
        assert post_document(api, document).status == 201
    assert [(place["first"], place["last"]) for place in read(api, "fouls")["places"]] == periods


def test_the_places_of_many_rounds_are_periods(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for opened_at in ("2026-11-20T23:00:00Z", "2026-11-21T02:00:00Z", "2026-11-22T20:00:00Z"):
        document = document_of(hands=[COMPLETE[0]], closed=CLOSED, opened_at=opened_at, reference=opened_at)
        assert post_document(api, document).status == 201
    assert values(read(api, "net")) == {"ann": [12, 24, 36], "bob": [0, 0, 0], "cyd": [-12, -24, -36]}
    monkeypatch.setattr(actions, "_MOST_ROUNDS", 2)
    for query in ("", "player=ann"):
        plot = read(api, "net", query)
        assert [(each["first"], each["last"]) for each in plot["places"]] == [
            ("2026-11-20", "2026-11-20"),
            ("2026-11-22", "2026-11-22"),
        ]
        assert values(plot)["ann"] == [24, 36]
    drawn = api.request("GET", "/v1/plots/net", headers={"Accept": "image/svg+xml"})
    assert ">Evenings</text>" in drawn.text
    as_csv = api.request("GET", "/v1/plots/net", headers={"Accept": "text/csv"})
    assert as_csv.text.splitlines()[:2] == ["first,last,ann,bob,cyd", "2026-11-20,2026-11-20,24,0,-24"]


@pytest.mark.parametrize("plot", list(PlotName))
def test_without_hands_there_is_nothing_to_show(api: Api, plot: str) -> None:
    table = add_table(api)
    for query in (f"table={table}", f"table={table}&player=nobody", f"table={table}&evening=2026-11-20"):
        assert read(api, plot, query)["places"] == []
        shown = api.request("GET", f"/v1/plots/{plot}?{query}", headers={"Accept": "image/svg+xml"})
        assert "No hands match the filter." in shown.text
        assert (shown.headers["Content-Type"], shown.status) == ("image/svg+xml; charset=utf-8", 200)


@pytest.mark.parametrize(
    ("path", "status", "mistakes"),
    [
        ("weather", 404, {}),
        (f"net?round={NOBODYS}", 404, {}),
        (f"net?table={NOBODYS}", 404, {}),
        ("net?table=kitchen", 422, {"#/query/table": "not-an-id"}),
        ("net?from=yesterday", 422, {"#/query/from": "not-a-time"}),
        ("net?evening=2026-11-20&from=2026-11-20T00:00:00Z", 422, {"#/query/evening": "period-ambiguous"}),
        ("net?colour=red", 422, {"#/query/colour": "field-unknown"}),
    ],
)
def test_an_invalid_request_is_rejected(api: Api, path: str, status: int, mistakes: dict[str, str]) -> None:
    refused = api.get(f"/v1/plots/{path}")
    assert (refused.status, refused.mistakes) == (status, mistakes)


def test_another_club_sees_nothing(api: Api, other_api: Api) -> None:
    round_id = open_round(api, add_table(api))["id"]
    play(api, round_id, *COMPLETE)
    assert other_api.get(f"/v1/plots/stacks?round={round_id}").status == 404
    assert read(other_api, "net")["places"] == []


def test_too_many_hands_are_rejected(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    round_id = open_round(api, add_table(api))["id"]
    play(api, round_id, *COMPLETE)
    monkeypatch.setattr(actions, "_MOST_HANDS", 2)
    refused = api.get(f"/v1/plots/stacks?round={round_id}")
    assert (refused.status, refused.mistakes) == (422, {"#/query": "list-length"})
    for plot in ("sources", "head-to-head"):
        assert len(read(api, plot, f"round={round_id}")["places"]) == 3
    monkeypatch.setattr(actions, "_MOST_HANDS", 3)
    assert len(read(api, "stacks", f"round={round_id}")["places"]) == 4


def test_csv_has_the_figures_of_the_plot(api: Api) -> None:
    sitting = {1: "=ann 100", 2: "bob 100", 3: "cyd 100"}
    response = post_document(api, document_of(sitting=sitting, hands=COMPLETE, opened_at="2026-11-20T20:00:00Z"))
    round_id = response["round"]["id"]
    expected = {
        "stacks": [["round", "hand", "'=ann", "bob", "cyd"], [round_id, "0", "100", "100", "100"]],
        "net": [["opened_at", "round", "'=ann", "bob", "cyd"], ["2026-11-20T20:00:00Z", round_id, "36", "0", "-36"]],
        "sources": [
            ["player", "hands", "rows", "bonuses", "royalties", "fouls", "fantasyland"],
            ["'=ann", "3", "18", "18", "0", "0", "0"],
        ],
        "head-to-head": [["player", "'=ann", "bob", "cyd"], ["'=ann", "", "18", "18"]],
        "caps": [["player", "received", "not_received", "paid", "not_paid"], ["'=ann", "36", "0", "0", "0"]],
        "fouls": [
            ["first", "last", "hands", "fouls", "rate", "rate_low", "rate_high"],
            ["2026-11-20", "2026-11-20", "9", "0", "0.0000", "0.0000", f"{rate_interval(0, 9)[1]:.4f}"],
        ],
        "distribution": [["low", "high", "hands"], ["-12", "-12", "3"]],
    }
    assert expected.keys() == set(PlotName)
    for plot, first in expected.items():
        response = api.request("GET", f"/v1/plots/{plot}?round={round_id}", headers={"Accept": "text/csv"})
        assert response.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
        rows = list(csv.reader(io.StringIO(response.text, newline=""), strict=True))
        assert rows[:2] == first
        assert len(rows) == 1 + len(read(api, plot, f"round={round_id}")["places"])
