"""The entries of rounds as records: by whichever way a round changes, and as verification derives them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest

from schemas.ledger.journal import HOUSE, Amounts, Counted, EntryKind, Posting, post_change
from schemas.money import Unit
from scoring.presets import PRESETS
from service.replays.findings import FindingKind
from service.rounds.queries.journal import RoundAccount
from service.rulesets.actions import store_ruleset
from service.verification.expected_entries import Happened, expect_entries
from tests.service.ledger.ledger_lines import exchange_seats, ledger, owed, posted
from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.recomputed_rounds import recompute, tamper
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.sample_rounds import COMPLETE, document_of, settlement_of

EURO = {"point_value": 10, "unit": "EUR"}
CLOSED = {"after_hand": 1, "reason": "midnight"}
MOMENT = datetime(2026, 11, 20, 20, tzinfo=UTC)
ACCOUNT = RoundAccount(UUID(int=1), UUID(int=2), MOMENT, 10, Unit("EUR", 2))


def nets_of(api: Api, round_id: str) -> dict[str, int]:
    """What everyone has won in a round, in cents."""
    seats = {str(seat["seat"]): seat["player"] for seat in api.get(f"/v1/rounds/{round_id}")["seats"]}
    return {seats[seat]: 10 * net for seat, net in settlement_of(api, round_id)["net"].items()}


def test_imported_rounds_are_in_the_journal(api: Api, house: House) -> None:
    documents = [document_of(hands=COMPLETE, reference=f"{number}", **EURO) for number in range(3)]
    lines = import_all(house, club_of(house, api), lines_of(documents), is_final=True)
    assert {line.status for line in lines} == {"stored"}
    assert owed(ledger(api)) == {"ann": 3 * 360, "bob": 0, "cyd": -3 * 360}
    assert {(line["kind"], line["final"]) for line in ledger(api)} == {("settlement", True)}
    assert verify(house, api) == []


def test_a_round_without_hands_that_was_closed_has_an_entry_without_lines(api: Api, house: House) -> None:
    posted(api, hands=[], closed={"after_hand": 0, "reason": "nobody came"})
    assert ledger(api) == []
    query = "SELECT kind, amounts FROM entries WHERE club_id = %s"
    assert house.query(query, club_of(house, api)) == [("settlement", [0, 0, 0])]
    assert verify(house, api) == []


def test_a_recomputation_by_other_rules_is_an_adjustment(api: Api, house: House) -> None:
    round_id = posted(api, hands=COMPLETE, **EURO)["round"]["id"]
    other = PRESETS["pineapple-2-4-us-none"]
    with database_of(house).transaction(club_of(house, api)) as transaction:
        store_ruleset(transaction, other)
        assert recompute(transaction, ruleset=other, applies=True).differing == 1
    nets = nets_of(api, round_id)
    assert nets["ann"] != 360
    assert owed(ledger(api)) == nets
    assert [(line["kind"], line["revision"]) for line in ledger(api)][-1] == ("adjustment", 2)
    assert verify(house, api) == []


def test_the_repair_of_a_damaged_record_adds_nothing_that_the_journal_has(api: Api, house: House) -> None:
    round_id = posted(api, hands=COMPLETE, **EURO)["round"]["id"]
    before = ledger(api)
    changed = "UPDATE round_heads SET stacks[1] = stacks[1] - 9, stacks[3] = stacks[3] + 9 WHERE round_id = %s"
    tamper(house.owner_url, changed, round_id)
    with database_of(house).transaction(club_of(house, api)) as transaction:
        assert recompute(transaction, applies=True).differing == 1
    assert nets_of(api, round_id) == {"ann": 360, "bob": 0, "cyd": -360}
    assert ledger(api) == before
    assert verify(house, api) == []
    exchange_seats(api, round_id)
    assert owed(ledger(api)) == nets_of(api, round_id)
    assert verify(house, api) == []


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ("UPDATE entries SET amounts = ARRAY[350, 10, -360] WHERE club_id = %s AND kind = 'settlement'", "amounts"),
        (
            "UPDATE entries SET accounts = ARRAY['ann', 'bob', 'dan'] WHERE club_id = %s AND kind = 'settlement'",
            "accounts",
        ),
        ("UPDATE entries SET amounts = ARRAY[250, -250] WHERE club_id = %s AND kind = 'payment'", "amounts"),
        ("UPDATE entries SET played_at = posted_at WHERE club_id = %s AND kind = 'payment'", "played_at"),
        ("UPDATE texts SET content = 'a gift' WHERE club_id = %s AND field = 'note'", "content"),
    ],
)
def test_a_changed_entry_is_found(api: Api, house: House, change: str, column: str) -> None:
    posted(api, hands=COMPLETE, **EURO)
    paid = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 250, "reference": "cash", "note": "a loan"}
    assert api.post("/v1/payments", {**paid, "paid_at": "2026-11-20T23:00:00Z"}).status == 201
    assert verify(house, api) == []
    tamper(house.owner_url, change, club_of(house, api))
    assert column in {finding.column for finding in verify(house, api)}


@pytest.mark.parametrize("table", ["entries", "texts"])
def test_a_missing_entry_is_found(api: Api, house: House, table: str) -> None:
    posted(api, hands=COMPLETE, **EURO)
    paid = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 250, "reference": "cash", "note": "a loan"}
    entry = api.post("/v1/payments", paid)["id"]
    column = "id" if table == "entries" else "record_id"
    tamper(house.owner_url, f"DELETE FROM {table} WHERE {column} = %s", entry)
    findings = [finding for finding in verify(house, api) if finding.table == table]
    assert {finding.kind for finding in findings} == {FindingKind.RECORD_MISSING}


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET amounts = amounts WHERE club_id = %s",
        "DELETE FROM entries WHERE club_id = %s",
        "UPDATE entries SET unit = 'USD' WHERE club_id = %s",
    ],
)
def test_entries_never_change(api: Api, house: House, change: str) -> None:
    posted(api, hands=COMPLETE, **EURO)
    with pytest.raises(psycopg.Error, match="append-only"):
        house.change(change, club_of(house, api))


# --- what verification expects ---


def expected(events: str, *won: Amounts | Counted | None) -> list[tuple[int, str, int, Sequence[int]]]:
    """The expected entries of a round: the event, kind, revision and amounts of each."""
    counted = [each if each is None or isinstance(each, Counted) else Counted(each) for each in won]
    happened = [Happened(str(UUID(int=number)).encode(), kind, MOMENT) for number, kind in enumerate(events.split(), 1)]
    entries = expect_entries(ACCOUNT, happened, counted)
    return [(key[0].int, row["kind"], row["revision"], row["amounts"]) for key, row in sorted(entries.items())]


WON, LOST = {"ann": 50, "bob": -50}, {"ann": -20, "bob": 20}
HANDS = "round.opened hand.recorded hand.recorded"


def test_an_open_round_is_expected_to_have_no_entry() -> None:
    assert expected(HANDS, None) == []


def test_the_last_event_that_was_played_settles() -> None:
    settled = [(3, "settlement", 1, [50, -50])]
    assert expected(HANDS, WON) == settled
    assert expected(f"{HANDS} settlement.confirmed dispute.opened settlement.finalized", WON) == settled
    assert expected(f"{HANDS} departure.recorded round.closed", WON) == [(5, "settlement", 1, [50, -50])]


def test_a_revision_of_an_ended_round_adjusts() -> None:
    assert expected(f"{HANDS} round.corrected", WON, LOST) == [
        (3, "settlement", 1, [50, -50]),
        (4, "adjustment", 2, [-70, 70]),
    ]
    assert expected(f"{HANDS} round.corrected round.recomputed", WON, WON, LOST) == [
        (3, "settlement", 1, [50, -50]),
        (5, "adjustment", 3, [-70, 70]),
    ]


def test_a_revision_that_opens_the_round_again_reverses_what_the_next_end_settles() -> None:
    assert expected(f"{HANDS} hand.withdrawn", WON, None) == [
        (3, "settlement", 1, [50, -50]),
        (4, "reversal", 2, [-50, 50]),
    ]
    assert expected(f"{HANDS} hand.withdrawn settlement.confirmed hand.recorded", WON, LOST) == [
        (3, "settlement", 1, [50, -50]),
        (4, "reversal", 2, [-50, 50]),
        (6, "settlement", 2, [-20, 20]),
    ]


def test_a_revision_that_ends_an_open_round_settles() -> None:
    assert expected(f"{HANDS} round.corrected", None, WON) == [(4, "settlement", 2, [50, -50])]


def test_a_revision_that_changes_only_the_standing_charge_adjusts_it() -> None:
    two_hands, one_hand = (Counted(WON, {"ann": -each, "bob": -each, HOUSE: 2 * each}) for each in (20, 10))
    assert expected(f"{HANDS} round.corrected round.corrected", two_hands, one_hand, one_hand) == [
        (3, "settlement", 1, [40, 30, -70]),
        (4, "adjustment", 2, [-20, 10, 10]),
    ]


def test_what_is_won_and_what_is_charged_do_not_cancel_each_other() -> None:
    charged = Counted({"ann": 60, "bob": -60}, {"ann": -10, "bob": -10, HOUSE: 20})
    assert post_change(Counted(WON), charged) == Posting(
        EntryKind.ADJUSTMENT, {HOUSE: 20, "ann": 0, "bob": -20}, {"ann": -10, "bob": -10, HOUSE: 20}
    )
