"""The case file of a dispute: one page to print that can be read without the console, before and after the decision."""

import re
from xml.etree.ElementTree import Element

import pytest

from schemas.money import Unit
from service.http.formats import format_money_won, format_signed
from tests.service.console.test_dispute import FOUL, MISREAD, decide
from tests.service.console.test_disputes import MONEY, reader_of
from tests.service.console.test_round_replay import SCRIPT, TOP
from tests.support.api_client import Api
from tests.support.api_disputes import CLAIM, opened, step
from tests.support.api_settlements import make_final
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, table_cells, text_of
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of
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
)

PLAYERS = {"1": "ann", "2": "bob", "3": "cyd"}
OTHER = {"hand": 1, "seat": 1, "row": "top", "cards": cards("AhKd3d")}
"""A correction of another hand."""
OF_BOB = {"hand": 2, "seat": 2, "row": "top", "cards": cards("KsQd7c")}


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


@pytest.fixture
def round_id(api: Api) -> str:
    return complete_round(api, name="friday", **MONEY)


@pytest.fixture
def case(api: Api, round_id: str) -> str:
    """The path of a dispute in review about the top row of seat 1 in hand 2."""
    dispute_id = opened(api, round_id, hand=2, seat=1, row="top")
    assert step(api, dispute_id, "review").status == 201
    return f"/disputes/{dispute_id}"


def file_of(visitor: Visitor, case: str) -> Element:
    return visitor.show(f"{case}?format=print")


def reasons_of(api: Api, hand_id: str) -> list[str]:
    """Return the sentences of the explanation of a hand, as pages show them."""
    explained = api.get(f"/v1/hands/{hand_id}/explanation").document
    texts = [reason["text"] for exchange in explained["exchanges"] for reason in exchange["reasons"]]
    return [re.sub("T(?=[♠♥♦♣])", "10", text) for text in texts]


def paid_in(api: Api, round_id: str, revision: int) -> list[list[str]]:
    """Return what was due and paid with hand 2."""
    transfers = hands_of(api, round_id, revision)[1]["transfers"]
    return [[str(each["due"]), str(each["paid"])] for each in transfers]


def test_a_dispute_leads_to_its_case_file(visitor: Visitor, api: Api, case: str) -> None:
    for _ in range(2):
        links = [each.attrib.get("href") for each in visitor.show(case).iter("a")]
        assert f"/console{case}?format=print" in links
        step(api, case.rpartition("/")[2], "resolve")


def test_the_file_has_the_round_and_the_claim(
    visitor: Visitor, house: House, api: Api, round_id: str, case: str
) -> None:
    [(club,)] = house.query("SELECT name FROM clubs WHERE id = %s", club_of(house, api))
    text = text_of(file_of(visitor, case))
    for words in (
        f"{club}, as of ",
        "Case file: dispute at friday, Hand 2, ann, top row",
        f"ID of the round{round_id}",
        "Evening of ",
        "ann in seat 1, bob in seat 2, cyd in seat 3",
        "Rulesetpineapple@1",
        "Stacks count overeach hand",
        "A player cannot win more thanthe current stack",
        "A point is€0.20",
        f"{CLAIM}by ann, ",
        f"ID of the dispute{case.rpartition('/')[2]}",
        "hand 2, seat 1 (ann), top row",
        "Disputed settlementrevision 1",
        "12 points, €2.40",
        "The dispute has not been decided yet. It is in review by first.",
    ):
        assert words in text, words


def test_a_reference_and_points_without_a_value_are_shown(visitor: Visitor, api: Api) -> None:
    table = api.post("/v1/tables", {"name": "attic", "ruleset": "pineapple"})["id"]
    seats = [{"seat": seat, "player": player, "stack": 100} for seat, player in ((1, "ann"), (2, "bob"), (3, "cyd"))]
    round_id = api.post(f"/v1/tables/{table}/rounds", {"seats": seats, "reference": "friday/7"})["id"]
    play(api, round_id, *(hand(number, number, THREE) for number in (1, 2, 3)))
    text = text_of(file_of(visitor, f"/disputes/{opened(api, round_id, hand=2)}"))
    assert "Referencefriday/7" in text
    assert "A point iswithout a value in money" in text
    assert "The dispute has not been decided yet." in text
    assert "€" not in text


def test_before_a_decision_the_file_has_the_hand_as_recorded(
    visitor: Visitor, api: Api, round_id: str, case: str
) -> None:
    document = file_of(visitor, case)
    text = text_of(document)
    assert "As recorded, revision 1" in text
    assert "As corrected" not in text
    for row in ("A♥K♦9♣", "K♠Q♦7♥", "Q♠J♣6♦", "A♠A♦10♣10♥4♠"):
        assert row in text, row
    reasons = reasons_of(api, hands_of(api, round_id)[1]["id"])
    assert len(reasons) > 6
    assert [reason for reason in reasons if reason not in text] == []
    assert table_cells(document, "Head-to-head of hand 2 as recorded")[1][0] == "ann"
    payments = table_cells(document, "Payments of hand 2 as recorded")[1:]
    assert [row[2:4] for row in payments] == paid_in(api, round_id, 1)
    assert "Nothing was corrected because of this dispute" in text
    settlement = settlement_of(api, round_id)
    assert table_cells(document, "Settlement in force")[1:] == [
        [player, str(settlement["stacks"][seat]), format_signed(net), format_money_won(20 * net, Unit("EUR", 2))]
        for seat, player in PLAYERS.items()
        for net in [settlement["net"][seat]]
    ]


@pytest.mark.smoke
def test_after_a_correction_the_file_has_both_sides_and_who_pays(
    visitor: Visitor, api: Api, round_id: str, case: str
) -> None:
    assert decide(visitor, case, "uphold", reason="the video shows it", **FOUL).status_code == 303
    document = file_of(visitor, case)
    text = text_of(document)
    assert "Upheld by first, " in text
    for words in ("the video shows it", "As recorded, revision 1", "As corrected, revision 2", "What was corrected"):
        assert words in text, words
    assert "ann, top row: A♥K♦9♣ → A♠A♦10♠" in text
    labels = [each.attrib["aria-label"] for each in document.iter("span") if "aria-label" in each.attrib]
    assert "nine of clubs, changed" in labels
    assert "ten of spades, changed" in labels
    for revision, words in ((1, "as recorded"), (2, "as corrected")):
        reasons = reasons_of(api, hands_of(api, round_id, revision)[1]["id"])
        assert [reason for reason in reasons if reason not in text] == []
        payments = table_cells(document, f"Payments of hand 2 {words}")[1:]
        assert [row[2:4] for row in payments] == paid_in(api, round_id, revision)
    assert "ann: foul" in text
    before, after = (settlement_of(api, round_id, number)["net"] for number in (1, 2))
    assert table_cells(document, "Net points of the round")[1:] == [
        [
            player,
            format_signed(before[seat]),
            format_signed(after[seat]),
            format_signed(after[seat] - before[seat]),
            format_money_won(20 * (after[seat] - before[seat]), Unit("EUR", 2)),
        ]
        for seat, player in PLAYERS.items()
    ]
    assert "Difference to pay" in text
    assert "Revision 2 corrects the round because of this dispute; revision 1 was in force before." in text
    assert "(because of this dispute)" in text


def test_the_correction_of_a_final_settlement_has_adjustment_payments(
    visitor: Visitor, api: Api, round_id: str
) -> None:
    make_final(api, round_id)
    dispute_id = opened(api, round_id, hand=2)
    step(api, dispute_id, "review")
    case = f"/disputes/{dispute_id}"
    assert decide(visitor, case, "uphold", reason="misread", **FOUL).status_code == 303
    text = text_of(file_of(visitor, case))
    assert "From revision 1, which was final, to revision 2." in text
    paid = settlement_of(api, round_id)["adjustment"]["transfers"]
    assert paid
    for payment in paid:
        assert f"{payment['payer']} pays {payment['payee']} €{payment['money'] / 100:.2f}" in text


@pytest.mark.parametrize(
    ("decision", "title"), [("reject", "Rejected"), ("uphold", "Upheld"), ("withdraw", "Withdrawn")]
)
def test_after_a_decision_without_a_correction_nothing_is_corrected(
    visitor: Visitor, case: str, decision: str, title: str
) -> None:
    if decision == "withdraw":
        assert visitor.submit(case, "/withdraw", {"withdrawal": "the video was looked at"}).status_code == 303
    else:
        assert decide(visitor, case, decision, reason="the video was looked at").status_code == 303
    text = text_of(file_of(visitor, case))
    assert f"{title} by first, " in text
    assert "the video was looked at" in text
    assert "Nothing was corrected because of this dispute" in text
    assert "As corrected" not in text
    assert "has not been decided yet" not in text


def test_the_history_has_every_entry_in_order(visitor: Visitor, api: Api, case: str) -> None:
    dispute_id = case.rpartition("/")[2]
    step(api, dispute_id, "comments", comment="which camera?", by="bob")
    step(api, dispute_id, "comments", comment="the left one", by="cyd")
    step(api, dispute_id, "resolve", reason="the camera was off")
    text = text_of(file_of(visitor, case))
    history = text[text.index("History of the dispute") :]
    parts = (
        "Opened by ann", CLAIM, "Review started by first", "Comment by bob", "which camera?", "Comment by cyd",
        "the left one", "Rejected by first", "the camera was off", "Evidence",
    )  # as a table  # fmt: skip
    places = [history.index(part) for part in parts]
    assert places == sorted(places)


def test_a_dispute_of_the_whole_round_has_its_hands(visitor: Visitor, api: Api, round_id: str) -> None:
    dispute_id = opened(api, round_id)
    step(api, dispute_id, "review")
    case = f"/disputes/{dispute_id}"
    document = file_of(visitor, case)
    assert "the whole round" in text_of(document)
    assert table_cells(document, "Hands")[1:] == [
        ["Hand 1", "+12 112", "0 100", "−12 88"],
        ["Hand 2", "+12 124", "0 100", "−12 76"],
        ["Hand 3", "+12 136", "0 100", "−12 64"],
    ]
    assert len([row for row in table_cells(document, "Events") if "hand.recorded" in row]) == 3
    correction = {"reason": "misread", "changes": [TOP], "dispute": dispute_id}
    assert correct_round(api, round_id, correction).status == 201
    corrected = text_of(file_of(visitor, case))
    assert "Boards of hand 2" in corrected
    assert "Boards of hand 1" not in corrected
    assert "ann, top row: A♥K♦9♣ → 6♥3♦2♠" in corrected


def test_a_hand_that_the_correction_removes_is_named(visitor: Visitor, api: Api, round_id: str) -> None:
    dispute_id = opened(api, round_id, hand=3)
    step(api, dispute_id, "review")
    document = api.get(f"/v1/rounds/{round_id}/document").document
    closed = {"after_hand": 2, "reason": "the third hand was not played"}
    shorter = {**document, "hands": document["hands"][:2], "closed": closed}
    correction = {"reason": "not played", "document": shorter, "dispute": dispute_id}
    assert correct_round(api, round_id, correction).status == 201
    text = text_of(file_of(visitor, f"/disputes/{dispute_id}"))
    assert "The correction has removed the hand from the round." in text
    assert "Revision 1 only: hand 3." in text
    assert "The dispute has not been decided yet." in text


def test_other_corrections_before_the_decision_are_named(visitor: Visitor, api: Api, round_id: str, case: str) -> None:
    assert correct_round(api, round_id, {"reason": "another card", "changes": [OTHER, OF_BOB]}).status == 201
    assert decide(visitor, case, "uphold", reason="misread", **MISREAD).status_code == 303
    text = text_of(file_of(visitor, case))
    for words in (
        "As recorded, revision 1",
        "As corrected, revision 3",
        "Revision 3 corrects the round because of this dispute; revision 2 was in force before.",
        "The disputed revision 1 had been replaced by then",
        "another card",
    ):
        assert words in text, words
    assert text.count("(because of this dispute)") == 1
    corrected = text.partition("What was corrected")[2].partition("Points of hand 2")[0]
    assert "ann, top row" in corrected
    assert "bob" not in corrected


def expected_events(house: House, round_id: str) -> list[tuple[int, str, str]]:
    """Return number, kind and hash of the events of a dispute and a correction, and of the recording of hand 2."""
    events = house.query(
        "SELECT sequence, kind, encode(hash, 'hex') FROM events WHERE round_id = %s ORDER BY sequence", round_id
    )
    recorded = [each for each in events if each[1] == "hand.recorded"]
    about = [each for each in events if each[1].startswith("dispute.") or each[1] == "round.corrected"]
    return sorted([recorded[1], *about])


def test_the_evidence_has_the_events_and_the_checkpoint_that_covers_them(
    visitor: Visitor, house: House, api: Api, round_id: str, case: str
) -> None:
    assert "No checkpoint has been signed yet." in text_of(file_of(visitor, case))
    assert decide(visitor, case, "uphold", reason="misread", **MISREAD).status_code == 303
    checkpoint = api.post("/v1/checkpoints", None)
    assert checkpoint.status == 201
    document = file_of(visitor, case)
    rows = table_cells(document, "Events")[1:]
    events = expected_events(house, round_id)
    assert [kind for _, kind, _ in events] == [
        "hand.recorded",
        "dispute.opened",
        "dispute.reviewed",
        "round.corrected",
        "dispute.resolved",
    ]
    assert [(int(row[0]), row[1], row[-1]) for row in rows] == events
    query = "SELECT sequence, position FROM tree_nodes JOIN events ON id = event_id WHERE level = 0 AND round_id = %s"
    positions: dict[int, int] = dict(house.query(query, round_id))
    assert [int(row[3]) for row in rows] == [positions[number] for number, _, _ in events]
    text = text_of(document)
    for words in (
        f"ID{checkpoint['id']}",
        f"Size{checkpoint['size']} events",
        f"Root{checkpoint['root']}",
        "It covers every event above.",
        f"ofc round evidence {round_id} --since {checkpoint['size']} > evidence.json",
        f"ofc checkpoint show {checkpoint['id']} > case.checkpoint",
        "ofc verify evidence.json --key club.key --checkpoint case.checkpoint",
    ):
        assert words in text, words
    hashes = {row[-1] for row in rows} | {checkpoint["root"]}
    wrapped = {"".join(each.itertext()) for each in document.iter() if each.attrib.get("class") == "break"}
    assert hashes <= wrapped, "a long hash wraps"


def test_events_that_no_checkpoint_covers_yet_are_counted(visitor: Visitor, api: Api, case: str) -> None:
    assert api.post("/v1/checkpoints", None).status == 201
    step(api, case.rpartition("/")[2], "comments", comment="which camera?")
    document = file_of(visitor, case)
    assert [row[3] == "–" for row in table_cells(document, "Events")[1:]] == [False, False, False, True]
    assert "It covers 3 of the 4 events above." in text_of(document)


def test_only_auditors_print_the_checkpoint(house: House, api: Api, case: str) -> None:
    checkpoint = api.post("/v1/checkpoints", None)
    reader = Visitor.signed_in(house, reader_of(house, api, "read"))
    document = file_of(reader, case)
    text = text_of(document)
    assert checkpoint["id"] not in text
    assert checkpoint["root"] not in text
    assert "with a key of the scope audit for the checkpoint that covers these events" in text
    assert len(table_cells(document, "Events")) == 4


def test_texts_of_people_are_text(visitor: Visitor, api: Api) -> None:
    table = api.post("/v1/tables", {"name": SCRIPT, "ruleset": "pineapple"})["id"]
    seats = [{"seat": seat, "player": f"{SCRIPT}{seat}", "stack": 100} for seat in (1, 2, 3)]
    round_id = api.post(f"/v1/tables/{table}/rounds", {"seats": seats, "reference": SCRIPT})["id"]
    play(api, round_id, *(hand(number, number, THREE) for number in (1, 2, 3)))
    dispute_id = opened(api, round_id, claim=SCRIPT, by=f"{SCRIPT}1", hand=2, seat=1)
    assert step(api, dispute_id, "comments", comment=f"comment {SCRIPT}", by=f"{SCRIPT}2").status == 201
    assert step(api, dispute_id, "review").status == 201
    correction = {"reason": f"correction {SCRIPT}", "changes": [TOP], "dispute": dispute_id}
    assert correct_round(api, round_id, correction).status == 201
    assert step(api, dispute_id, "resolve", state="upheld", reason=f"reason {SCRIPT}").status == 201
    response = visitor.get(f"/disputes/{dispute_id}?format=print")
    assert SCRIPT not in response.text
    document = parse(response)
    assert not [*document.iter("script")]
    text = text_of(document)
    for words in ("comment ", "correction ", "reason ", "dispute at ", "Reference", "Table"):
        assert f"{words}{SCRIPT}" in text, words
    assert f"{SCRIPT}1 in seat 1, {SCRIPT}2 in seat 2" in text


def test_erased_names_stay_erased(visitor: Visitor, api: Api, case: str) -> None:
    assert api.put("/v1/players/ann", {"display_name": "Anna Lind"}).status == 201
    assert "Anna Lind ann in seat 1" in text_of(file_of(visitor, case))
    assert api.delete("/v1/players/ann").status == 204
    text = text_of(file_of(visitor, case))
    assert "Anna" not in text
    assert "ann in seat 1" in text


def test_the_page_has_nothing_but_the_file(visitor: Visitor, case: str) -> None:
    assert decide(visitor, case, "uphold", reason="misread", **FOUL).status_code == 303
    page = file_of(visitor, case)
    assert not [each for tag in ("nav", "form", "header", "script", "button", "input") for each in page.iter(tag)]
    [back] = page.iter("a")
    assert back.attrib["href"] == f"/console{case}"
    identifiers = [each.attrib["id"] for each in page.iter() if "id" in each.attrib]
    assert len(identifiers) == len(set(identifiers))


def test_case_files_of_another_club_are_not_found(house: House, visitor: Visitor, case: str) -> None:
    other = Visitor.signed_in(house, house.new_client())
    assert other.get(f"{case}?format=print").status_code == 404
    assert visitor.get(f"/disputes/{NOBODYS}?format=print").status_code == 404


def test_the_number_of_statements_does_not_depend_on_comments(visitor: Visitor, api: Api, case: str) -> None:
    counts = []
    for _ in range(2):
        file_of(visitor, case)
        with recorded_statements() as statements:
            file_of(visitor, case)
        counts.append(len(statements))
        for number in range(5):
            step(api, case.rpartition("/")[2], "comments", comment=f"comment {number}")
    assert counts[0] == counts[1]
