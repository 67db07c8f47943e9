"""Plots have a line or a bar for few players; the others are a band or a sum, and the CSV file has all."""

import csv
import io

from schemas.statistics.plots import MOST_BARS, MOST_SERIES
from tests.service.plots.test_figures import CLOSED, read, values
from tests.support.api_client import Api
from tests.support.sample_rounds import COMPLETE, document_of, post_document


def play_with_guests(api: Api, rounds: int) -> None:
    """Play rounds of one hand, in which ann wins 6 from each of two guests, and the first of them from the second."""
    for number in range(rounds):
        sitting = {1: "ann 100", 2: f"guest{2 * number:02} 100", 3: f"guest{2 * number + 1:02} 100"}
        document = document_of(sitting=sitting, hands=[COMPLETE[0]], closed=CLOSED, reference=f"{number}")
        assert post_document(api, document).status == 201


def test_the_players_with_the_most_hands_have_a_line_and_the_others_a_band(api: Api) -> None:
    play_with_guests(api, 12)
    guests = [f"guest{number:02}" for number in range(24)]
    nets, stacks, pairs = (read(api, plot) for plot in ("net", "stacks", "head-to-head"))
    for plot in (nets, stacks, pairs):
        assert list(values(plot)) == ["ann", *guests[: MOST_SERIES - 1]]
        assert plot["omitted_players"] == 25 - MOST_SERIES
        as_csv = api.request("GET", f"/v1/plots/{plot['name']}", headers={"Accept": "text/csv"})
        columns = set(next(csv.reader(io.StringIO(as_csv.text, newline=""))))
        assert {"ann", *guests} <= columns
    # The first of the others plays in the fourth round. One guest of a round wins nothing, the other loses 12.
    assert nets["others"]["lows"] == [None, None, None, *[-12] * 9]
    assert nets["others"]["highs"] == [None, None, None, -12, *[0] * 8]
    assert nets["others"]["figures"] == [None, None, None, *range(-12, -12 * 10, -12)]
    # Ann wins 6 from each of 17; the guest before them wins 6 from the first; the guests before play none of them.
    assert pairs["others"] == {"figures": [17 * 6, *[None] * 6, 6], "lows": None, "highs": None}
    chosen = read(api, "net", "highlight=guest20")
    assert list(values(chosen)) == ["ann", *guests[: MOST_SERIES - 2], "guest20"]


def test_the_last_bar_is_the_sum_of_the_others(api: Api) -> None:
    play_with_guests(api, 18)
    for name in ("sources", "caps"):
        plot = read(api, name)
        *places, others = [place["player"] for place in plot["places"]]
        assert (len(places), others, plot["omitted_players"]) == (MOST_BARS, None, 37 - MOST_BARS)
        as_csv = api.request("GET", f"/v1/plots/{name}", headers={"Accept": "text/csv"})
        header, *rows = list(csv.reader(io.StringIO(as_csv.text, newline="")))
        assert len(rows) == 37
        for series in plot["series"]:
            column = header.index(series["name"])
            assert sum(series["figures"]) == sum(int(row[column]) for row in rows)


def test_drawings_have_display_names(api: Api) -> None:
    play_with_guests(api, 2)
    for player, name in (("ann", "Ann Lee"), ("guest00", "Max"), ("guest01", "Max")):
        assert api.put(f"/v1/players/{player}", {"display_name": name}).status in (200, 201)
    for plot in ("net", "stacks", "sources", "head-to-head", "caps"):
        drawn = api.request("GET", f"/v1/plots/{plot}", headers={"Accept": "image/svg+xml"}).text
        assert all(name in drawn for name in ("Ann Lee", "Max (guest00)", "Max (guest01)", "guest03")), plot
    assert set(values(read(api, "net"))) == {"ann", "guest00", "guest01", "guest02", "guest03"}
