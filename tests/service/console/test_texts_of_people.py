"""What people have written is text on every page of the console, whichever pages, forms and filters there are."""

from urllib.parse import quote

import pytest
from werkzeug.test import TestResponse

from service.clubs.actions import create_key
from tests.service.console.test_disputes import csrf_of
from tests.service.console.test_forms import FIELDS, addresses_of, records_of, send
from tests.service.disputes.test_dispute_authors import stored_club
from tests.service.links.linked_table import issue
from tests.support.api_client import Api
from tests.support.api_disputes import step
from tests.support.api_settlements import correct
from tests.support.application import House
from tests.support.auditors import FIRST_HAND, proposed, withdraw
from tests.support.browser.console_visitor import Visitor, discover_pages, parse, text_of
from tests.support.sample_rounds import (
    COMPLETE,
    add_table,
    close,
    complete_round,
    document_of,
    open_round,
    play,
    post_document,
)

MARKUP = "\"'></title></textarea></script><marquee onload=alert(1)><script>alert(1)</script>"


def check(response: TestResponse, address: str) -> bool:
    """Check that a page has no element of the markup. Return whether it shows the markup."""
    if response.mimetype != "text/html":
        return False
    document = parse(response)
    assert not [*document.iter("marquee")], address
    assert all(script.attrib.get("src", "").startswith("/") for script in document.iter("script")), address
    assert not [name for each in document.iter() for name in each.attrib if name.startswith("on")], address
    return "<marquee" in "".join(document.itertext())


def write_everywhere(house: House, api: Api) -> None:
    """Write the markup into every text of a club that its players, scorekeepers and managers write."""
    players = {seat: f"{MARKUP[:80]}{seat} 100" for seat in (1, 2, 3)}
    document = document_of(table=f"{MARKUP[:90]}t", hands=COMPLETE, reference=MARKUP[:90])
    for seat in document["seats"]:
        seat["player"] = players[seat["seat"]].removesuffix(" 100")
    response = post_document(api, document)
    assert response.status == 201, response
    round_id = response["round"]["id"]
    for seat in document["seats"]:
        path = f"/v1/players/{quote(seat['player'], safe='')}"
        assert api.put(path, {"display_name": MARKUP[:90], "metadata": {"note": MARKUP}}).status == 201
    claim = {"round": round_id, "hand": 2, "claim": MARKUP, "by": document["seats"][0]["player"]}
    dispute = api.post("/v1/disputes", claim)
    assert dispute.status == 201, dispute
    assert step(api, dispute["id"], "comments", comment=MARKUP, by=claim["by"]).status == 201
    assert step(api, dispute["id"], "review").status == 201
    assert correct(api, round_id, reason=MARKUP).status == 201
    assert withdraw(api, proposed(api, round_id, patch=FIRST_HAND, reason=MARKUP), MARKUP).status == 201
    proposed(api, round_id, patch=FIRST_HAND, reason=f"{MARKUP} again")
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    [first, *_] = api.get(f"/v1/rounds/{round_id}/hands")["hands"]
    for address in (f"/v1/tables/{table}", f"/v1/rounds/{round_id}", f"/v1/hands/{first['id']}"):
        assert api.patch(address, {"metadata": {"note": MARKUP}}).status == 200
    issue(api, table, kind="viewer", label=MARKUP[:90])
    create_key(house.owner, stored_club(house, api), name=MARKUP[:90])
    hook = {"url": "https://club.example/", "kinds": ["hand.recorded"], "description": MARKUP[:90]}
    assert api.post("/v1/webhooks", hook).status == 201
    recomputation = {"mode": "audit", "scope": {}, "reason": MARKUP}
    assert api.post("/v1/recomputations", recomputation).status == 202


@pytest.mark.no_cover
def test_texts_of_records_are_text_on_every_page(house: House, api: Api) -> None:
    write_everywhere(house, api)
    visitor = Visitor.signed_in(house, api)
    shown = {
        endpoint
        for endpoint, address in discover_pages(house.app, visitor.browser).items()
        if check(visitor.browser.get(address), address)
    }
    assert len(shown) > 15, shown


def test_filters_and_refused_forms_are_text(house: House, api: Api) -> None:
    records = records_of(api)
    visitor = Visitor.signed_in(house, api)
    fields = {"address", "label", "expires_in", *FIELDS}
    for address in discover_pages(house.app, visitor.browser).values():
        response, path = visitor.browser.get(address), address.partition("?")[0]
        if response.mimetype != "text/html":
            continue
        document = parse(response)
        names = {each.attrib["name"] for tag in ("input", "select", "textarea") for each in document.iter(tag)} - {
            "csrf"
        }
        for name in names:
            check(visitor.browser.get(f"{path}?{name}={quote(MARKUP)}"), f"{path}?{name}")
        fields |= names
    form = {**dict.fromkeys(fields, MARKUP), "csrf": csrf_of(visitor.show("/"))}
    for endpoint, address in addresses_of(house, records).items():
        if endpoint != "console.end_session":
            check(send(visitor, endpoint, address, form), address)


SECRET = "the cup was full"


def write_of_a_round(api: Api) -> list[str]:
    """Write a text into everything about a round that has one, and return the records to erase."""
    table = add_table(api, metadata={"note": SECRET})
    round_id = str(open_round(api, table, metadata={"note": SECRET})["id"])
    play(api, round_id, {**COMPLETE[0], "metadata": {"note": SECRET}}, COMPLETE[1])
    assert close(api, round_id, reason=SECRET).status == 200
    dispute = api.post("/v1/disputes", {"round": round_id, "claim": SECRET, "by": "ann"})["id"]
    assert step(api, dispute, "comments", comment=SECRET, by="bob").status == 201
    assert step(api, dispute, "review").status == 201
    assert step(api, dispute, "resolve", state="rejected", reason=SECRET).status == 201
    assert correct(api, round_id, reason=SECRET).status == 201
    assert api.put("/v1/players/ann", {"display_name": SECRET, "metadata": {"note": SECRET}}).status == 201
    paying = {"payer": "cyd", "payee": "ann", "unit": table, "amount": 2, "note": SECRET, "reference": "cash"}
    payment = api.post("/v1/payments", paying)["id"]
    link = issue(api, table, kind="viewer", label=SECRET)["id"]
    job = api.post("/v1/recomputations", {"mode": "audit", "scope": {}, "reason": SECRET})["id"]
    return [table, round_id, payment, link, job]


def test_erased_texts_are_on_no_page(house: House, api: Api) -> None:
    records = write_of_a_round(api)
    visitor = Visitor.signed_in(house, api)
    pages = discover_pages(house.app, visitor.browser)
    shown = {endpoint for endpoint, address in pages.items() if SECRET in visitor.browser.get(address).text}
    assert len(shown) > 8, shown
    for record in records:
        assert api.delete(f"/v1/texts/{record}").status == 204
    assert api.delete("/v1/players/ann").status == 204
    for address in pages.values():
        assert SECRET not in visitor.browser.get(address).text, address
    assert "erased" in visitor.browser.get(pages["console.show_dispute"]).text
    assert "erased" in visitor.browser.get(pages["console.show_revisions"]).text


def test_a_reviewer_whose_name_was_erased_is_shown_as_erased(house: House, api: Api) -> None:
    round_id = complete_round(api)
    dispute = api.post("/v1/disputes", {"round": round_id, "claim": SECRET, "by": "ann"})["id"]
    assert step(api, dispute, "review").status == 201
    assert api.delete(f"/v1/texts/{round_id}").status == 204
    [case] = Visitor.signed_in(house, api).get("/disputes?tab=review&format=json").get_json()
    assert case["reviewer"] == "erased"
    page = text_of(Visitor.signed_in(house, api).show(f"/disputes/{dispute}"))
    assert "Nobody" not in page


def test_a_player_without_a_name_can_be_erased(house: House, api: Api) -> None:
    complete_round(api)
    assert "Erase the name and texts" in text_of(Visitor.signed_in(house, api).show("/players/ann"))
