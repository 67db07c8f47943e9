"""The number of lines of the ledger, which is counted without reading the lines of settlements."""

from typing import Any

import pytest

from schemas.ledger.journal import EntryKind
from service.ledger.actions.journal import count_ledger, list_ledger
from service.ledger.queries.journal import JournalFilter
from tests.service.ledger.ledger_lines import exchange_seats
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import add_table, complete_round, open_round, play_to_the_end, undo

EURO: dict[str, Any] = {"point_value": 10, "unit": "EUR"}
CHARGES: tuple[dict[str, Any], ...] = (
    {},
    {"charge_per": "hand", "charge_amount": 25},
    {"charge_per": "round", "charge_amount": 100},
)
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    *({"player": player} for player in ("ann", "bob", "cyd", "annie", "nobody")),
    *({"kind": kind} for kind in EntryKind),
    *({"unit": unit} for unit in ("EUR", "USD")),
    {"table_name": "table 1"},
    {"player": "cyd", "kind": EntryKind.SETTLEMENT},
    {"player": "bob", "kind": EntryKind.ADJUSTMENT},
)


@pytest.fixture
def journal(api: Api) -> None:
    """Record entries of every kind, with and without a standing charge, and a player with two IDs."""
    for number, charge in enumerate(CHARGES):
        table = add_table(api, name=f"table {number}", **EURO, **charge)
        corrected = open_round(api, table)["id"]
        play_to_the_end(api, corrected)
        exchange_seats(api, corrected)
        reopened = open_round(api, table)["id"]
        play_to_the_end(api, reopened)
        assert undo(api, reopened, 3).status == 201
        paid = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 50, "reference": f"{number} p"}
        payment = api.post("/v1/payments", paid)
        assert payment.status == 201
        charge_ = {"player": "bob", "unit": "EUR", "amount": 5, "reason": "late", "reference": f"{number} c"}
        assert api.post("/v1/charges", charge_).status == 201
        assert api.post(f"/v1/payments/{payment['id']}/reversal", {"reason": "twice"}).status == 201
    complete_round(api, name="for points", sitting={1: "annie 100", 2: "dan 100", 3: "eve 100"})
    complete_round(api, name="for nothing", point_value=0, unit="EUR")
    assert api.post("/v1/players/ann/aliases", {"alias": "annie"}).status == 201


@pytest.mark.usefixtures("journal")
def test_as_many_lines_are_counted_as_are_listed(house: House, api: Api) -> None:
    kinds = set()
    with database_of(house).reading(club_of(house, api)) as transaction:
        for values in FILTERS:
            filter_ = JournalFilter(**values)
            lines = list_ledger(transaction, filter_, after=None, limit=1000).lines
            kinds |= {line.entry.kind for line in lines}
            assert count_ledger(transaction, filter_, 1000) == len(lines), values
            newest = list_ledger(transaction, filter_, after=None, limit=1000, newest_first=True).lines
            assert len(newest) == len(lines), values
    assert kinds == {*EntryKind}


@pytest.mark.usefixtures("journal")
def test_lines_are_counted_up_to_a_limit(house: House, api: Api) -> None:
    with database_of(house).reading(club_of(house, api)) as transaction:
        for filter_ in (JournalFilter(), JournalFilter(player="ann"), JournalFilter(kind=EntryKind.SETTLEMENT)):
            whole = len(list_ledger(transaction, filter_, after=None, limit=1000).lines)
            assert whole > 20
            for limit in range(1, whole + 2):
                assert count_ledger(transaction, filter_, limit) == min(limit, whole), (filter_, limit)


@pytest.mark.usefixtures("journal")
def test_entries_without_a_line_are_not_counted(house: House, api: Api) -> None:
    adjustments = 3
    for number in range(adjustments):
        corrected = complete_round(api, name=f"for nothing {number}", point_value=0, unit="EUR")
        exchange_seats(api, corrected)
    with database_of(house).reading(club_of(house, api)) as transaction:
        for values in (*FILTERS, {"table_name": "for nothing 1"}, {"table_name": "for nothing 1", "player": "bob"}):
            filter_ = JournalFilter(**values)
            whole = len(list_ledger(transaction, filter_, after=None, limit=1000).lines)
            for limit in range(1, whole + 2):
                assert count_ledger(transaction, filter_, limit) == min(limit, whole), (values, limit)


@pytest.mark.usefixtures("journal")
def test_lines_are_counted_in_three_statements(house: House, api: Api) -> None:
    with database_of(house).reading(club_of(house, api)) as transaction:
        # A transaction begins with its first statement.
        count_ledger(transaction, JournalFilter(), 1)
        for values in FILTERS:
            with recorded_statements() as statements:
                count_ledger(transaction, JournalFilter(**values), 1000)
            assert len(statements) <= 3, "the lines, and twice the aliases of a player"
