"""A round as a replay: settlement, hands in order with boards, matrix and payments, and what happened between them."""

import csv
import io
import json
import re
from xml.etree.ElementTree import Element

import pytest

from service.clubs.actions import create_key
from tests.service.disputes.test_dispute_authors import stored_club
from tests.service.rounds.test_api_accepted_hands import HELD_OPEN, NOBODY_PLAYS, stored
from tests.support.api_client import Api
from tests.support.api_corrections import correct, in_fantasyland
from tests.support.api_disputes import CLAIM, MISREAD, opened
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.database.recorded_statements import recorded_statements
from tests.support.sample_rounds import (
    FOUL,
    HIGH,
    KINGS,
    LOW,
    NOBODYS,
    QUEENS,
    SEVENS,
    THREE,
    close,
    complete_round,
    depart,
    hand,
    hands_of,
    play,
    settlement_of,
    start_round,
)

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def section(document: Element, heading: str) -> Element:
    """Return the part of a page that a heading labels."""
    [element] = [each for each in document.iter("section") if each.attrib.get("aria-labelledby") == heading]
    return element


def rows_of(part: Element) -> list[list[str]]:
    """Return the cells of the rows of a table's body."""
    [body] = part.iter("tbody")
    return [[" ".join("".join(cell.itertext()).split()) for cell in row] for row in body.iter("tr")]


def words(part: Element) -> str:
    return " ".join("".join(part.itertext()).split())


def test_a_round_begins_with_its_standings_and_settlement(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api, point_value=10, unit="EUR")
    assert api.post(f"/v1/rounds/{round_id}/confirmations", {"seat": 2}).status == 201
    page = visitor.show(f"/rounds/{round_id}")
    assert rows_of(section(page, "standings")) == [
        ["1.", "ann seat 1", "100", "136", "+36", "+€3.60", "No"],
        ["2.", "bob seat 2", "100", "100", "0", "€0.00", "Yes"],
        ["3.", "cyd seat 3", "100", "64", "−36", "−€3.60", "No"],
    ]
    settlement = words(section(page, "settlement"))
    assert "Provisional It can be corrected and disputed until" in settlement
    assert "cyd pays ann €3.60" in settlement


def test_every_hand_is_a_line_with_what_each_player_won(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    rows = rows_of(section(visitor.show(f"/rounds/{round_id}"), "hands"))
    assert [row[:4] for row in rows] == [
        ["Hand 1", "+12 112", "0 100", "−12 88"],
        ["Hand 2", "+12 124", "0 100", "−12 76"],
        ["Hand 3", "+12 136", "0 100", "−12 64"],
    ]
    assert "Button: bob" in rows[1][-1]


def test_a_round_without_hands_is_shown(visitor: Visitor, api: Api) -> None:
    page = text_of(visitor.show(f"/rounds/{start_round(api)}"))
    assert "No hand has been recorded yet." in page
    assert "Who pays whom No payments." in page
    assert "The round is still being played." in page


def test_departures_top_ups_and_the_closing_are_where_they_happened(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api, "pineapple-qq")
    play(api, round_id, hand(1, 1, THREE), hand(2, 2, THREE, top_ups=[{"seat": 3, "points": 25}]))
    assert depart(api, round_id, 2, reason="a train").status == 201
    assert close(api, round_id, "the room closes").status == 200
    page = visitor.show(f"/rounds/{round_id}")
    assert ["3.", "cyd seat 3", "100", "25"] in [row[:4] for row in rows_of(section(page, "standings"))]
    first, second = (row[-1] for row in rows_of(section(page, "hands")))
    assert "Left" not in first
    assert "Top-up cyd added 25 before the hand" in second
    assert "Left bob left: a train" in second
    assert "Closed early the room closes" in second
    shown = text_of(visitor.show(f"/rounds/{round_id}/hands/2"))
    assert "After the hand Left bob left: a train Closed early the room closes" in shown
    assert "cyd adds 25" in shown


def test_a_round_that_was_closed_before_its_first_hand_shows_the_reason(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api)
    assert close(api, round_id, "a fire alarm").status == 200
    assert "Closed early a fire alarm" in words(section(visitor.show(f"/rounds/{round_id}"), "hands"))


def test_irregular_hands_show_the_reason(visitor: Visitor, api: Api) -> None:
    round_id = stored(api, HELD_OPEN)
    [reason] = hands_of(api, round_id)[3]["irregular"]
    rows = rows_of(section(visitor.show(f"/rounds/{round_id}"), "hands"))
    assert reason["code"] == "round-complete"
    assert "Irregular The round is complete: it takes no more hands." in rows[3][-1]
    assert [("Irregular" in row[-1]) for row in rows] == [False, False, False, True]
    shown = text_of(visitor.show(f"/rounds/{round_id}/hands/4"))
    assert f"Irregular the hand is accepted as played, although {reason['detail']}" in shown
    assert "Irregular" not in text_of(visitor.show(f"/rounds/{round_id}/hands/3"))


def test_a_hand_that_some_do_not_play_is_shown(visitor: Visitor, api: Api) -> None:
    round_id = stored(api, NOBODY_PLAYS)
    rows = rows_of(section(visitor.show(f"/rounds/{round_id}"), "hands"))
    assert rows[1][1].startswith("out ")
    assert visitor.get(f"/rounds/{round_id}/hands/2").status_code == 200


def test_fouls_fantasyland_and_caps_are_marked(visitor: Visitor, api: Api) -> None:
    fouled = start_round(api, sitting={1: "ann 100", 2: "bob 100"}, name="attic")
    play(api, fouled, hand(1, 1, {1: FOUL, 2: LOW.replace("5s", "5c")}))
    [row] = rows_of(section(visitor.show(f"/rounds/{fouled}"), "hands"))
    assert (row[3], "Foul ann" in row[-1]) == ("–", True)
    assert "Foul" in words(section(visitor.show(f"/rounds/{fouled}/hands/1"), "boards"))
    short = start_round(api, sitting={1: "ann 100", 2: "bob 100", 3: "cyd 4"}, name="study")
    play(api, short, hand(1, 1, THREE))
    [row] = rows_of(section(visitor.show(f"/rounds/{short}"), "hands"))
    assert row[1:5] == ["+6 106", "−2 98", "−4 0", "8"]
    rows = rows_of(section(visitor.show(f"/rounds/{in_fantasyland(api)}"), "hands"))
    assert "Fantasyland ann, 14 cards" in rows[1][-1]
    assert "Fantasyland cyd, 14 cards" in rows[1][-1]


def test_disputes_of_the_round_are_linked(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    dispute_id = opened(api, round_id, hand=2)
    page = visitor.show(f"/rounds/{round_id}")
    [link] = [each for each in page.iter("a") if dispute_id in each.attrib.get("href", "")]
    assert (link.attrib["href"], link.text) == (f"/console/disputes/{dispute_id}", "Hand 2")
    assert CLAIM in words(section(page, "settlement"))


def test_an_older_revision_is_shown_as_replaced(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    assert correct(api, round_id, patch=MISREAD).status == 201
    page = visitor.show(f"/rounds/{round_id}?revision=1")
    assert "Revision 1 was replaced by a later one and does not count." in text_of(page)
    [link] = [each.attrib["href"] for each in page.iter("a") if each.text == "Hand 2"]
    assert link == f"/console/rounds/{round_id}/hands/2?revision=1"
    assert "A later revision has replaced this settlement." in text_of(page)
    assert "The round has 2 revisions." in text_of(visitor.show(f"/rounds/{round_id}"))


def test_adjustments_of_a_final_settlement_are_shown(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api, point_value=10, unit="EUR")
    for seat in (1, 2, 3):
        assert api.post(f"/v1/rounds/{round_id}/confirmations", {"seat": seat}).status == 201
    assert correct(api, round_id, changes=[TOP]).status == 201
    shown = words(section(visitor.show(f"/rounds/{round_id}"), "settlement"))
    adjustment = settlement_of(api, round_id)["adjustment"]
    assert "Adjustment from revision 1, which was final" in shown
    assert len(adjustment["transfers"]) > 0
    for paid in adjustment["transfers"]:
        assert f"{paid['payer']} pays {paid['payee']} €{paid['money'] / 100:.2f}" in shown


TOP = {"hand": 2, "seat": 1, "row": "top", "cards": ["6h", "3d", "2s"]}
"""A change that makes the top row of seat 1 weaker; the cards are of no other row."""


def test_the_file_of_a_round_has_every_hand_and_player(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    as_csv = list(csv.DictReader(io.StringIO(visitor.get(f"/rounds/{round_id}?format=csv").text)))
    as_json = json.loads(visitor.get(f"/rounds/{round_id}?format=json").text)
    expected = [
        (str(each["number"]), str(player["seat"]), str(player["points"]), str(each["stacks"][str(player["seat"])]))
        for each in hands_of(api, round_id)
        for player in each["players"]
    ]
    assert [(row["hand"], row["seat"], row["points"], row["stack"]) for row in as_csv] == expected
    assert [(str(row["hand"]), str(row["seat"]), str(row["won"])) for row in as_json] == [each[:3] for each in expected]


def test_a_hand_shows_boards_matrix_payments_and_standings(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api, sitting={1: "ann 3", 2: "ben 50", 3: "cyd 50"})
    play(api, round_id, hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS}))
    page = visitor.show(f"/rounds/{round_id}/hands/1")
    boards = words(section(page, "boards"))
    assert "Q♠Q♦4♣ pair of queens, four kicker +7 royalty" in boards
    assert "Earned Fantasyland, 14 cards" in boards
    assert boards.index("seat 3") < boards.index("Button")
    assert boards.count("before caps") == 2, "of ann and of ben"
    assert "3 → 8, +6 before caps" in boards
    matrix = section(page, "matrix")
    assert [[cell.partition(" of ")[0] for cell in row] for row in rows_of(matrix)] == [
        ["ann", "–", "+4", "+2", "+6"],
        ["ben", "−4", "–", "−1", "−5"],
        ["cyd", "−2", "+1", "–", "−1"],
    ]
    payments = [words(each) for each in section(page, "payments").iter("summary")]
    assert payments == ["ben pays ann 3 of 4", "cyd pays ann 2", "ben pays cyd 1"]


def test_a_row_and_a_pair_lead_to_their_reasons(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api)
    hand_id = play(api, round_id, hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS}))["id"]
    explained = api.get(f"/v1/hands/{hand_id}/explanation").document
    page = visitor.show(f"/rounds/{round_id}/hands/1")
    links = {each.attrib["href"][1:] for each in page.iter("a") if each.attrib.get("href", "").startswith("#why-")}
    places = {each.attrib["id"]: each for each in page.iter("section") if each.attrib.get("class") == "panel why"}
    assert (
        links
        == places.keys()
        == {
            *("why-1-2", "why-1-3", "why-2-3"),
            *(f"why-{seat}-{row}" for seat in (1, 2, 3) for row in ("top", "middle", "bottom")),
        }
    )
    assert [places[f"why-{min(each['seats'])}-{max(each['seats'])}"] for each in explained["exchanges"]]
    top = words(places["why-1-top"])
    assert "ann: top Q♠Q♦4♣ pair of queens, four kicker" in top
    assert "−1 against cyd: cyd's pair of kings beats ann's pair of queens" in top
    assert "+1 against bob: ann's pair of queens beats bob's ace high" in top
    assert "+1 against ann" in words(places["why-3-top"])
    for player in explained["players"]:
        for row, shown in player["rows"].items():
            royalty = "" if shown["royalty"] is None else shown["royalty"]["text"]
            assert tens(royalty) in words(places[f"why-{player['seat']}-{row}"])


def tens(text: str) -> str:
    """Return a sentence of an explanation as pages show it."""
    return re.sub("T(?=[♠♥♦♣])", "10", text)


def test_every_point_has_the_reason_of_the_explanation(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api)
    hand_id = play(api, round_id, hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS}))["id"]
    explained = api.get(f"/v1/hands/{hand_id}/explanation").document
    page = visitor.show(f"/rounds/{round_id}/hands/1")
    reasons = 0
    for exchange in explained["exchanges"]:
        first, second = sorted(exchange["seats"])
        why = words(section(page, f"why-{first}-{second}-title"))
        assert [each["text"] for each in exchange["reasons"] if tens(each["text"]) not in why] == []
        reasons += len(exchange["reasons"])
    assert reasons > 6
    payments = words(section(page, "payments"))
    assert [each["text"] for each in explained["payments"] if each["text"] not in payments] == []


def test_hands_link_to_the_hands_beside_them(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    links = [
        [
            (each.attrib["rel"], each.attrib["href"].rpartition("/")[2])
            for each in visitor.show(f"/rounds/{round_id}/hands/{number}").iter("a")
            if each.attrib.get("rel") in ("prev", "next")
        ]
        for number in (1, 2, 3)
    ]
    assert links == [[("next", "2")] * 2, [("prev", "1"), ("next", "3")] * 2, [("prev", "2")] * 2]


def test_discards_are_shown_where_they_are_known(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, hand(1, 1, {**THREE, 1: {"board": HIGH, "discards": ["Ac", "Jh", "9h", "6h"]}}))
    boards = words(section(visitor.show(f"/rounds/{round_id}/hands/1"), "boards"))
    assert boards.count("Discards") == 1
    assert "Discards A♣J♥9♥6♥" in boards


def test_the_explanation_to_print_is_that_of_the_api(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    hand_id = hands_of(api, round_id)[1]["id"]
    response = visitor.get(f"/rounds/{round_id}/hands/2/explanation")
    assert response.status_code == 200
    assert "style-src 'sha256-" in response.headers["Content-Security-Policy"]
    assert f'href="/console/rounds/{round_id}/hands/3"' in response.text
    expected = api.request("GET", f"/v1/hands/{hand_id}/explanation", headers={"Accept": "text/html"}).text
    assert response.text[response.text.index("<h1>") :] == expected[expected.index("<h1>") :]


@pytest.mark.parametrize(
    "path",
    [
        f"/rounds/{NOBODYS}",
        f"/rounds/{NOBODYS}/hands/1",
        f"/rounds/{NOBODYS}/hands/1/explanation",
        f"/rounds/{NOBODYS}/revisions",
        f"/rounds/{NOBODYS}/verification",
        f"/rounds/{NOBODYS}/evidence",
        "/rounds/{own}/hands/4",
        "/rounds/{own}/hands/0",
        "/rounds/{own}?revision=2",
        "/rounds/{own}/revisions?from=7",
        "/rounds/{other}",
        "/rounds/{other}/hands/1",
        "/rounds/{other}/hands/1/explanation",
        "/rounds/{other}/revisions",
        "/rounds/{other}/verification",
        "/rounds/{other}/evidence",
    ],
)
def test_what_the_club_does_not_have_is_not_found(visitor: Visitor, api: Api, other_api: Api, path: str) -> None:
    written = path.format(own=complete_round(api), other=complete_round(other_api))
    response = visitor.get(written)
    assert response.status_code == 404
    assert "Not found" in text_of(parse(response))


@pytest.mark.parametrize("query", ["revision=x", "revision=0", "revision=-1"])
def test_an_invalid_revision_is_explained(visitor: Visitor, api: Api, query: str) -> None:
    response = visitor.get(f"/rounds/{complete_round(api)}?{query}")
    assert response.status_code in (400, 422)
    assert "expected an integer" in text_of(parse(response))


@pytest.mark.parametrize("path", ["", "/hands/1"])
def test_the_number_of_statements_does_not_depend_on_the_number_of_hands(visitor: Visitor, api: Api, path: str) -> None:
    short = start_round(api)
    play(api, short, hand(1, 1, THREE))
    assert close(api, short).status == 200
    long = complete_round(api, name="attic")
    visitor.show(f"/rounds/{short}{path}")
    with recorded_statements() as few:
        visitor.show(f"/rounds/{short}{path}")
    with recorded_statements() as many:
        visitor.show(f"/rounds/{long}{path}")
    assert len(many) == len(few)


def test_texts_are_never_markup(visitor: Visitor, api: Api) -> None:
    table = api.post("/v1/tables", {"name": SCRIPT, "ruleset": "pineapple-qq"})["id"]
    seats = [{"seat": seat, "player": f"{SCRIPT}{seat}", "stack": 100} for seat in (1, 2, 3)]
    round_id = api.post(f"/v1/tables/{table}/rounds", {"seats": seats, "reference": SCRIPT})["id"]
    play(api, round_id, hand(1, 1, THREE))
    assert depart(api, round_id, 2, reason=SCRIPT).status == 201
    assert close(api, round_id, SCRIPT).status == 200
    opened(api, round_id, claim=SCRIPT, by=f"{SCRIPT}1")
    assert correct(api, round_id, reason=SCRIPT, changes=[{**TOP, "hand": 1}]).status == 201
    for path in ("", "/hands/1", "/hands/1/explanation", "/revisions", "/verification"):
        response = visitor.get(f"/rounds/{round_id}{path}")
        assert response.status_code == 200, path
        assert SCRIPT not in response.text, path
        assert SCRIPT in text_of(parse(response)), path


def test_pages_exist_for_the_scopes_of_the_key(house: House, api: Api) -> None:
    round_id = complete_round(api)
    key = create_key(house.owner, stored_club(house, api), name="reader", scopes=("read",))
    reader = Visitor.signed_in(house, Api(house.app, key.secret))
    assert "Evidence" not in text_of(reader.show(f"/rounds/{round_id}"))
    for path in ("verification", "evidence"):
        response = reader.get(f"/rounds/{round_id}/{path}")
        assert response.status_code == 403
        assert "'audit'" in text_of(parse(response))
