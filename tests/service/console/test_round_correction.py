"""A correction for which there is no dispute: the link, the preview, the new revision, and what is refused."""

from xml.etree.ElementTree import Element

import pytest
from werkzeug.test import TestResponse

from tests.service.console.test_dispute import FOUL, MISREAD, SEAT_1, fields_of, part
from tests.service.console.test_disputes import MONEY, csrf_of, reader_of
from tests.service.console.test_two_disputes import board_of, labels_of, without_check
from tests.support.api_client import Api
from tests.support.api_corrections import in_fantasyland
from tests.support.api_disputes import CLAIM, opened, step
from tests.support.api_settlements import make_final
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.check_club import check_everywhere
from tests.support.sample_rounds import (
    NOBODYS,
    THREE,
    cards,
    complete_round,
    correct_round,
    hand,
    hands_of,
    play,
    settlement_of,
    start_round,
)

NO_QUEENS = {"cards.1.1.top": "5s 3d 4c"}
"""In hand 1 of `in_fantasyland`, seat 1 had no queens on top, and has not earned Fantasyland."""
OTHER = {"hand": 1, "seat": 1, "row": "top", "cards": cards("AhKd3d")}
"""A correction of another hand, by somebody else."""


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


@pytest.fixture
def round_id(api: Api) -> str:
    return complete_round(api, name="friday", **MONEY)


def page_of(round_id: str, number: int = 2) -> str:
    return f"/rounds/{round_id}/correction?hand={number}"


def submit(visitor: Visitor, page: str, decision: str, **fields: str) -> TestResponse:
    """Submit the form of a page with one of its buttons."""
    return visitor.submit(page, "/correction", {"decision": decision, **fields})


def form_of(visitor: Visitor, round_id: str, **fields: str) -> dict[str, str]:
    """Return the form of the correction of hand 2, as a browser sends it with these fields."""
    document = visitor.show(page_of(round_id))
    return without_check(fields_of(document)) | {"decision": "correct", "reason": "misread", **fields}


def send(visitor: Visitor, round_id: str, form: dict[str, str]) -> TestResponse:
    return visitor.send(f"/rounds/{round_id}/correction", form)


def addresses_on(document: Element) -> list[str]:
    return [each.attrib.get("href", "") for each in document.iter("a")]


def test_rounds_and_hands_lead_to_their_correction(visitor: Visitor, round_id: str) -> None:
    address = f"/console/rounds/{round_id}/correction"
    assert address in addresses_on(visitor.show(f"/rounds/{round_id}"))
    assert f"{address}?hand=2" in addresses_on(visitor.show(f"/rounds/{round_id}/hands/2"))
    document = visitor.show(page_of(round_id))
    fields = fields_of(document)
    assert (fields["hand"], fields[SEAT_1]) == ("2", "Ah Kd 9c")
    assert "No card is changed yet." in part(document, "what-if")
    assert "Correct the round at friday" in text_of(document)
    assert fields_of(visitor.show(f"/rounds/{round_id}/correction"))["hand"] == "1"


def test_only_the_hands_of_the_revision_in_force_are_corrected(visitor: Visitor, api: Api, round_id: str) -> None:
    assert correct_round(api, round_id, {"reason": "other", "changes": [OTHER]}).status == 201
    address = f"/console/rounds/{round_id}/correction?hand=2"
    assert address in addresses_on(visitor.show(f"/rounds/{round_id}/hands/2"))
    assert address not in addresses_on(visitor.show(f"/rounds/{round_id}/hands/2?revision=1"))


@pytest.mark.smoke
def test_the_preview_shows_what_changes_for_whom_and_stores_nothing(
    visitor: Visitor, api: Api, house: House, round_id: str
) -> None:
    changes = [
        {"hand": 2, "seat": 1, "row": name.rpartition(".")[2], "cards": cards(text)} for name, text in FOUL.items()
    ]
    expected = api.post(f"/v1/rounds/{round_id}/what-if", {"changes": changes})
    before = house.count_records()
    document = parse(submit(visitor, page_of(round_id), "preview", **FOUL, reason="the video shows it"))
    assert house.count_records() == before
    shown = part(document, "what-if")
    for net in expected["net"]:
        sign = "+" if net["change"] > 0 else "−"
        assert f"{net['player']}" in shown
        assert f"{sign}€{abs(net['change']) * 20 / 100:.2f}" in shown
    assert "Foul." in shown
    assert "Difference to pay" in shown
    fields = fields_of(document)
    assert (fields[SEAT_1], fields["reason"]) == (FOUL[SEAT_1], "the video shows it"), "what was typed is still there"


def test_changes_of_other_hands_are_carried_along(visitor: Visitor, round_id: str) -> None:
    fields = fields_of(parse(visitor.submit(page_of(round_id), "/correction", {"show": "3", **MISREAD})))
    assert (fields["hand"], fields[SEAT_1]) == ("3", MISREAD[SEAT_1])
    assert "cards.3.1.top" in fields


def test_a_correction_makes_one_revision_and_leads_to_its_comparison(
    visitor: Visitor, api: Api, house: House, round_id: str
) -> None:
    response = submit(visitor, page_of(round_id), "correct", reason="  the video\tshows it ", **FOUL)
    assert response.status_code == 303
    assert response.location == f"/console/rounds/{round_id}/revisions?from=1&to=2"
    settlement = settlement_of(api, round_id)
    assert (settlement["revision"], settlement["reason"]) == (2, "the video shows it")
    assert sorted(board_of(api, round_id, 2, 1)["top"]) == sorted(cards(FOUL[SEAT_1]))
    compared = text_of(visitor.show(response.location.removeprefix("/console")))
    for words in ("the video shows it", "Revision 1 and revision 2", "ann, top", "ann, bottom"):
        assert words in compared
    check_everywhere(house, api)


def test_the_same_form_sent_twice_makes_no_second_revision(visitor: Visitor, api: Api, round_id: str) -> None:
    form = form_of(visitor, round_id, **MISREAD)
    responses = [send(visitor, round_id, form) for _ in range(2)]
    assert [response.status_code for response in responses] == [303, 303]
    assert responses[0].location == responses[1].location
    assert settlement_of(api, round_id)["revision"] == 2


def test_a_round_that_was_corrected_meanwhile_is_refused_and_what_was_typed_stays(
    visitor: Visitor, api: Api, house: House, round_id: str
) -> None:
    form = form_of(visitor, round_id, **MISREAD)
    assert correct_round(api, round_id, {"reason": "seen on video", "changes": [OTHER]}).status == 201
    before = house.count_records()
    response = send(visitor, round_id, form)
    assert response.status_code == 409
    assert house.count_records() == before
    document = parse(response)
    assert "Somebody else has changed this round since you opened this page" in text_of(document)
    for words in ("Revision 2", "seen on video", "Hand 1"):
        assert words in part(document, "new")
    assert "three of diamonds" in labels_of(document, "new")
    fields = fields_of(document)
    assert (fields["reason"], fields[SEAT_1]) == ("misread", MISREAD[SEAT_1])
    again = send(visitor, round_id, without_check(fields) | {"decision": "correct"})
    assert again.status_code == 303, "the page has the new version"
    assert again.location.endswith("?from=2&to=3")
    assert set(board_of(api, round_id, 1, 1)["top"]) == {"Ah", "Kd", "3d"}
    assert set(board_of(api, round_id, 2, 1)["top"]) == {"Ah", "Kd", "3d"}


def test_a_card_that_both_corrections_change_is_entered_again(visitor: Visitor, api: Api, round_id: str) -> None:
    form = form_of(visitor, round_id, **{SEAT_1: "Ah Kd Td"})
    assert correct_round(api, round_id, {"reason": "other", "changes": [{**OTHER, "hand": 2}]}).status == 201
    document = parse(send(visitor, round_id, form))
    assert fields_of(document)[SEAT_1] == "Ah Kd 3d"
    assert "Hand 2, ann, top row: you had entered Ah Kd Td" in text_of(document)


def test_a_form_with_the_version_but_not_the_revision_of_the_round_is_refused(
    visitor: Visitor, api: Api, round_id: str
) -> None:
    form = form_of(visitor, round_id, **MISREAD)
    assert correct_round(api, round_id, {"reason": "other", "changes": [OTHER]}).status == 201
    mixed = form | {"round_version": str(api.get(f"/v1/rounds/{round_id}")["version"])}
    assert send(visitor, round_id, mixed).status_code == 409
    del mixed["revision"]
    assert send(visitor, round_id, mixed).status_code == 409
    assert settlement_of(api, round_id)["revision"] == 2


def test_a_hand_that_is_recorded_meanwhile_is_shown_before_the_correction(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, hand(1, 1, THREE), hand(2, 2, THREE))
    form = form_of(visitor, round_id, **MISREAD)
    play(api, round_id, hand(3, 3, THREE))
    response = send(visitor, round_id, form)
    assert response.status_code == 409
    document = parse(response)
    assert "No card was corrected since" in text_of(document)
    assert send(visitor, round_id, without_check(fields_of(document)) | {"decision": "correct"}).status_code == 303
    assert [len(hands_of(api, round_id)), settlement_of(api, round_id)["revision"]] == [3, 2]


@pytest.mark.parametrize(
    ("typed", "explained"),
    [
        ("Ah Kd", "Hand 2, ann, top row: has 2 cards; expected 3"),
        ("Ah Kd 1x", "Hand 2, ann, top row: card 3 is '1x'; expected a rank"),
        ("Ah Kd Ks", "Hand 2, ann, top row"),
        ("<b>", "card 1 is '<b'"),
    ],
)
def test_cards_that_cannot_be_are_explained_and_stay(
    visitor: Visitor, house: House, round_id: str, typed: str, explained: str
) -> None:
    before = house.count_records()
    previewed = submit(visitor, page_of(round_id), "preview", **{SEAT_1: typed})
    assert previewed.status_code == 422
    assert explained in part(parse(previewed), "what-if")
    response = submit(visitor, page_of(round_id), "correct", reason="misread", **{SEAT_1: typed})
    assert response.status_code == 422
    document = parse(response)
    assert explained in text_of(document)
    fields = fields_of(document)
    assert (fields[SEAT_1], fields["reason"]) == (typed, "misread")
    assert house.count_records() == before


def test_a_correction_needs_a_reason_and_a_changed_card(visitor: Visitor, house: House, round_id: str) -> None:
    before = house.count_records()
    without_reason = submit(visitor, page_of(round_id), "correct", reason="  ", **MISREAD)
    assert without_reason.status_code == 422
    document = parse(without_reason)
    assert "Something is missing: the reason." in text_of(document)
    assert fields_of(document)[SEAT_1] == MISREAD[SEAT_1]
    unchanged = submit(visitor, page_of(round_id), "correct", reason="misread", **{SEAT_1: "9c kd AH"})
    assert unchanged.status_code == 422
    assert "No card is changed; change the cards of a row" in text_of(parse(unchanged))
    assert house.count_records() == before


def test_later_hands_that_no_longer_follow_are_accepted_only_if_the_box_is_ticked(
    visitor: Visitor, api: Api, house: House
) -> None:
    round_id = in_fantasyland(api)
    page = page_of(round_id, 1)
    previewed = part(parse(submit(visitor, page, "preview", **NO_QUEENS)), "what-if")
    assert "Hand 2 does not follow the hands before it" in previewed
    before = house.count_records()
    refused = submit(visitor, page, "correct", reason="misread", **NO_QUEENS)
    assert refused.status_code == 422
    assert "did not earn Fantasyland in the hand before" in text_of(parse(refused))
    assert house.count_records() == before
    assert submit(visitor, page, "correct", reason="misread", irregular="accept", **NO_QUEENS).status_code == 303
    assert hands_of(api, round_id)[1]["irregular"]
    check_everywhere(house, api)


def test_an_open_dispute_is_named_and_stays_open(visitor: Visitor, api: Api, round_id: str) -> None:
    form = form_of(visitor, round_id, **MISREAD)
    assert "has not ended" not in text_of(visitor.show(page_of(round_id)))
    dispute_id = opened(api, round_id, hand=2, seat=1, row="top")
    document = visitor.show(page_of(round_id))
    assert "A dispute of this round has not ended: Hand 2, ann, top row." in text_of(document)
    assert f"/console/disputes/{dispute_id}" in addresses_on(document)
    assert CLAIM in part(document, "others")
    refused = parse(send(visitor, round_id, form))
    assert "No card was corrected since" in text_of(refused)
    assert "New" in part(refused, "others")
    response = send(visitor, round_id, without_check(fields_of(refused)) | {"decision": "correct"})
    assert response.status_code == 303
    settlement = settlement_of(api, round_id)
    assert (settlement["revision"], settlement["state"]) == (2, "disputed")
    dispute = api.get(f"/v1/disputes/{dispute_id}")
    assert (dispute["state"], dispute["corrections"]) == ("open", [])
    step(api, dispute_id, "withdraw")
    ended = visitor.show(page_of(round_id))
    assert "has not ended" not in text_of(ended)
    assert "Withdrawn" in part(ended, "others")


def test_the_correction_of_a_final_settlement_has_adjustment_payments(
    visitor: Visitor, api: Api, house: House, round_id: str
) -> None:
    make_final(api, round_id)
    assert "with adjustment payments, because its settlement was final" in text_of(visitor.show(page_of(round_id)))
    previewed = part(parse(submit(visitor, page_of(round_id), "preview", **FOUL)), "what-if")
    assert "Adjustment payments" in previewed
    response = submit(visitor, page_of(round_id), "correct", reason="misread", **FOUL)
    assert response.status_code == 303
    paid = settlement_of(api, round_id)["adjustment"]["transfers"]
    assert paid
    compared = text_of(visitor.show(response.location.removeprefix("/console")))
    assert "Revision 1 was final: these payments adjust it." in compared
    for payment in paid:
        words = f"{payment['payer']} pays {payment['payee']} €{payment['money'] / 100:.2f}"
        assert words in compared
        assert words in previewed
    check_everywhere(house, api)


def test_a_final_settlement_needs_the_scope_for_it(house: House, api: Api, round_id: str) -> None:
    make_final(api, round_id)
    narrow = Visitor.signed_in(house, reader_of(house, api, "read", "correct"))
    document = narrow.show(page_of(round_id))
    assert "correct-final" in text_of(document)
    assert "correct" not in [each.attrib.get("value") for each in document.iter("button")]
    refused = send(narrow, round_id, form_of(narrow, round_id, **MISREAD))
    assert refused.status_code == 403
    assert "'correct-final'" in text_of(parse(refused))
    assert settlement_of(api, round_id)["revision"] == 1


def test_without_the_scope_there_is_no_link_and_no_page(house: House, api: Api, round_id: str) -> None:
    reader = Visitor.signed_in(house, reader_of(house, api, "read", "disputes"))
    for path in (f"/rounds/{round_id}", f"/rounds/{round_id}/hands/2", f"/rounds/{round_id}/revisions"):
        assert not [address for address in addresses_on(reader.show(path)) if "/correction" in address], path
    assert reader.get(page_of(round_id)).status_code == 403
    form = {"csrf": csrf_of(reader.show("/")), "decision": "correct", "reason": "x", **MISREAD}
    refused = send(reader, round_id, form)
    assert refused.status_code == 403
    assert "'correct'" in text_of(parse(refused))
    writer = Visitor.signed_in(house, reader_of(house, api, "correct", "audit"))
    assert writer.get(page_of(round_id)).status_code == 403, "the page is for keys that can read"
    corrector = Visitor.signed_in(house, reader_of(house, api, "read", "correct"))
    assert submit(corrector, page_of(round_id), "correct", reason="misread", **MISREAD).status_code == 303
    assert settlement_of(api, round_id)["revision"] == 2


def test_a_round_without_hands_has_nothing_to_correct(visitor: Visitor, api: Api) -> None:
    round_id = start_round(api)
    assert "Correct this round" not in text_of(visitor.show(f"/rounds/{round_id}"))
    assert "there is no card to correct" in text_of(visitor.show(f"/rounds/{round_id}/correction"))


@pytest.mark.parametrize(
    "path",
    [
        f"/rounds/{NOBODYS}/correction",
        "/rounds/{own}/correction?hand=4",
        "/rounds/{other}/correction",
        "/rounds/{other}/correction?hand=1",
    ],
)
def test_what_the_club_does_not_have_is_not_found(visitor: Visitor, api: Api, other_api: Api, path: str) -> None:
    response = visitor.get(path.format(own=complete_round(api), other=complete_round(other_api)))
    assert response.status_code == 404
    assert "Not found" in text_of(parse(response))


def test_hostile_forms_change_nothing(visitor: Visitor, api: Api, house: House, round_id: str) -> None:
    valid = form_of(visitor, round_id, **MISREAD)
    before = house.count_records()
    for fields in (
        {"reason": "x" * 2000},
        {"reason": "\u202e"},
        {SEAT_1: "A" * 10_000},
        {SEAT_1: "<script>alert(1)</script>"},
    ):
        assert send(visitor, round_id, valid | fields).status_code == 422, fields
    assert send(visitor, round_id, valid | {"revision": "x"}).status_code == 409
    assert send(visitor, round_id, valid | {"round_version": "-1"}).status_code == 422
    assert send(visitor, round_id, valid | {"round_version": "999"}).status_code == 409
    assert send(visitor, round_id, valid | {"decision": "drop", "show": "99999999999", "hand": "x"}).status_code == 200
    del valid["csrf"]
    assert send(visitor, round_id, valid).status_code == 403
    assert visitor.get(f"/rounds/{round_id}/correction?hand=x").status_code in (400, 422)
    assert house.count_records() == before
    assert settlement_of(api, round_id)["revision"] == 1
