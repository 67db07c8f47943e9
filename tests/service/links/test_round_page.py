"""The players' page of a round: money, days, settling up, hands with cards, caps and revisions."""

import re
from datetime import time
from xml.etree.ElementTree import Element

import html5lib
import pytest
from flask.testing import FlaskClient

from service.clubs.actions import set_up_club
from tests.service.links.linked_table import issue_to_round
from tests.service.links.test_links_to_rounds import HTML, page_of
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.import_lines import club_of
from tests.support.sample_rounds import SIXES, THREE, add_table, hand, open_round, play, start_round, undo

ELEVEN_PM_IN_UTC = "2026-11-20T23:15:00Z"


def text_of(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def read_page(browser: FlaskClient, url: str) -> Element:
    page = browser.get(url, headers=HTML)
    assert page.status_code == 200, page.text
    return html5lib.parse(page.text, namespaceHTMLElements=False)


def section(page: Element, name: str) -> Element:
    [element] = [each for each in page.iter() if each.get("id") == name]
    return element


def texts(page: Element, css_class: str) -> list[str]:
    return [text_of(each) for each in page.iter() if css_class in (each.get("class") or "").split()]


def test_the_page_shows_table_day_and_money(house: House, api: Api, browser: FlaskClient) -> None:
    [(club,)] = house.query("SELECT name FROM clubs WHERE id = %s", club_of(house, api))
    set_up_club(house.owner, club, time_zone="Europe/Berlin", evening_begins=time(6))
    table = add_table(api, name="Friday game", point_value=10, unit="EUR")
    round_id = str(open_round(api, table, SIXES, opened_at=ELEVEN_PM_IN_UTC, reference="friday-7")["id"])
    play(api, round_id, hand(1, 1, THREE))
    page = read_page(browser, page_of(issue_to_round(api, round_id)))
    [title], [heading] = page.iter("title"), page.iter("h1")
    assert (title.text, text_of(heading)) == ("Round, 00:15 · Friday game", "Round, 00:15")
    assert "Friday game · Friday 20 November 2026 · friday-7 · 1 hand of pineapple · open" in text_of(page)
    net = api.get(f"/v1/rounds/{round_id}/settlement")["money"]["net"]
    standings = text_of(section(page, "standings"))
    for amount in net.values():
        sign = "+" if amount > 0 else "−" if amount else ""
        assert f"{sign}€{abs(amount) / 100:.2f}" in standings
    assert "The round is still being played." in standings


def test_settling_up_takes_the_fewest_payments(api: Api, browser: FlaskClient) -> None:
    round_id = start_round(api, "pineapple", SIXES, point_value=10, unit="EUR")
    play(api, round_id, hand(1, 1, THREE))
    net = api.get(f"/v1/rounds/{round_id}/settlement")["net"]
    payments = [
        text_of(each)
        for each in section(read_page(browser, page_of(issue_to_round(api, round_id))), "settling").iter("li")
    ]
    paid = dict.fromkeys(("ann", "bob", "cyd"), 0)
    for line in payments:
        payer, payee, units, cents = re.fullmatch(r"(\w+) pays (\w+) €(\d+)\.(\d\d)", line).groups()  # type: ignore[union-attr]  # it matches
        paid[payer] -= int(units + cents)
        paid[payee] += int(units + cents)
    assert list(paid.values()) == [10 * net[seat] for seat in ("1", "2", "3")]
    assert len(payments) == len([each for each in net.values() if each]) - 1


def test_without_a_point_value_payments_are_in_points(api: Api, browser: FlaskClient) -> None:
    round_id = start_round(api, "pineapple", SIXES)
    before = read_page(browser, page_of(issue_to_round(api, round_id)))
    assert text_of(section(before, "settling")) == "Settling up No payments."
    assert text_of(section(before, "hands")) == "Hands No hand has been recorded yet."
    play(api, round_id, hand(1, 1, THREE))
    payments = [
        text_of(each)
        for each in section(read_page(browser, page_of(issue_to_round(api, round_id))), "settling").iter("li")
    ]
    assert payments
    assert all(re.fullmatch(r"\w+ pays \w+ \d+ points?", line) for line in payments)


def test_every_hand_has_its_boards_with_coloured_cards_and_names_for_screen_readers(
    api: Api, browser: FlaskClient
) -> None:
    round_id = start_round(api, "pineapple", SIXES)
    play(api, round_id, hand(1, 1, THREE), hand(2, 2, THREE))
    page = read_page(browser, page_of(issue_to_round(api, round_id)))
    for number in (1, 2):
        shown = [each for each in section(page, f"hand-{number}").iter("span") if each.get("role") == "img"]
        recorded = api.get(f"/v1/rounds/{round_id}/document")["hands"][number - 1]
        placed = [card for player in recorded["players"] for row in ("top", "middle", "bottom") for card in player[row]]
        symbols = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
        faces = [card[0].replace("T", "10") + symbols[card[1]] for card in placed]
        assert ["".join(each.itertext()) for each in shown] == faces
        for each, card in zip(shown, placed, strict=True):
            suit = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}[card[1]]
            assert (each.get("class"), each.get("data-suit")) == ("card", card[1])
            assert str(each.get("aria-label")).endswith(f" of {suit}")


def test_capped_payments_have_their_cap(api: Api, browser: FlaskClient) -> None:
    round_id = start_round(api, "pineapple", {1: "ann 100", 2: "bob 2", 3: "cyd 100"})
    played = play(api, round_id, hand(1, 1, THREE))
    capped = [transfer for transfer in played["transfers"] if transfer["limited_by"]]
    assert capped
    names = {1: "ann", 2: "bob", 3: "cyd"}
    text = text_of(section(read_page(browser, page_of(issue_to_round(api, round_id))), "hand-1"))
    for transfer in capped:
        payer, payee = names[transfer["payer"]], names[transfer["payee"]]
        paid = transfer["paid"]
        reason = {"payer_stack": f"{payer} had only {paid} left", "winner_room": f"{payee} could win at most {paid}"}
        sentence = f"{payer} pays {payee} {paid} of {transfer['due']}: {reason[transfer['limited_by']]}."
        assert sentence in text
    assert "before caps" in text


def test_revisions_are_listed_with_their_reasons(api: Api, browser: FlaskClient) -> None:
    round_id = start_round(api, "pineapple", SIXES)
    play(api, round_id, hand(1, 1, THREE), hand(2, 2, THREE))
    url = page_of(issue_to_round(api, round_id))
    assert not [each for each in read_page(browser, url).iter() if each.get("id") == "revisions"]
    assert undo(api, round_id, 2, reason="<b>misdeal</b>").status == 201
    page = read_page(browser, url)
    [listed] = section(page, "revisions").iter("ol")
    assert [text_of(each).partition(" Hand 2 was removed.")[0] for each in listed] == [
        "As first recorded",
        "<b>misdeal</b>",
    ]
    assert "those of revision 2" in text_of(section(page, "revisions"))


@pytest.mark.parametrize(("number", "beside"), [(1, [2]), (2, [1, 3]), (3, [2])])
def test_pages_of_hands_link_to_the_round_and_the_hands_beside(
    api: Api, browser: FlaskClient, number: int, beside: list[int]
) -> None:
    round_id = start_round(api, "pineapple", SIXES)
    play(api, round_id, *(hand(each, each, THREE) for each in (1, 2, 3)))
    url = page_of(issue_to_round(api, round_id))
    page = read_page(browser, f"{url}/rounds/{round_id}/hands/{number}")
    [navigation] = page.iter("nav")
    shown = f"{url}/rounds/{round_id}"
    links = [(text_of(each), each.get("href")) for each in navigation.iter("a")]
    assert links == [("The round", shown), *((f"Hand {each}", f"{shown}/hands/{each}") for each in beside)]


def test_a_page_for_a_key_has_no_links_to_a_round_that_only_links_show(api: Api) -> None:
    round_id = start_round(api, "pineapple", SIXES)
    played = play(api, round_id, hand(1, 1, THREE))
    page = api.request("GET", f"/v1/hands/{played['id']}/explanation", headers=HTML)
    assert "<nav" not in page.text
