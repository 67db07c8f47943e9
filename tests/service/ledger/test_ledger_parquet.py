"""The ledger as a Parquet file: every line, with the fields of the JSON."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from service.clubs.scopes import KeyScope
from service.db.parquet import write_rows
from service.http.parquet import PARQUET
from tests.service.feed.test_api_feed import key_with
from tests.service.ledger.ledger_lines import exchange_seats, ledger, posted
from tests.service.rounds.test_parquet import export, rows
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import COMPLETE, Document

EURO = {"point_value": 10, "unit": "EUR"}


@pytest.fixture
def lines(api: Api) -> list[Document]:
    """The lines of a club with a correction, a charge, and a payment that was taken back."""
    round_id = posted(api, hands=COMPLETE, charge_per="hand", charge_amount=5, **EURO)["round"]["id"]
    posted(api, hands=COMPLETE, table="attic")
    exchange_seats(api, round_id)
    paid = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 250, "reference": "cash", "note": "a loan"}
    payment = api.post("/v1/payments", paid)["id"]
    assert api.post(f"/v1/payments/{payment}/reversal", {"reason": "not paid"}).status == 201
    return ledger(api)


def as_listed(row: dict[str, Any]) -> Document:
    """Return a row with the values of JSON."""
    return {
        name: value.astimezone(UTC).isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value
        for name, value in row.items()
    }


def test_a_file_has_the_lines_of_the_ledger(api: Api, lines: list[Document], tmp_path: Path) -> None:
    file = export(api, tmp_path / "ledger.parquet", "ledger")
    assert [as_listed(row) for row in rows(file)] == lines
    kinds = {(line["kind"], line["payee"] is None) for line in lines}
    assert kinds >= {("settlement", True), ("adjustment", False), ("payment", False), ("reversal", False)}


def test_a_file_is_filtered_and_begins_after_a_cursor(api: Api, lines: list[Document], tmp_path: Path) -> None:
    payments = rows(export(api, tmp_path / "payments.parquet", "ledger", kind="payment", unit="EUR"))
    assert [as_listed(row) for row in payments] == [line for line in lines if line["kind"] == "payment"]
    cursor = api.get("/v1/ledger?limit=4")["next_cursor"]
    later = rows(export(api, tmp_path / "later.parquet", "ledger", cursor=cursor))
    assert [as_listed(row) for row in later] == lines[4:]
    assert rows(export(api, tmp_path / "none.parquet", "ledger", kind="charge")) == []


def test_who_wrote_a_line_is_for_auditors(api: Api, lines: list[Document], house: House, tmp_path: Path) -> None:
    reader = key_with(house, api, KeyScope.READ)
    shown = rows(export(reader, tmp_path / "reader.parquet", "ledger"))
    assert len(shown) == len(lines)
    assert {row["actor"] for row in shown} == {None}
    assert {line["actor"] for line in lines} != {None}


@pytest.mark.parametrize(("name", "value"), [("limit", "1"), ("ids", "raw")])
def test_parameters_of_other_forms_are_refused(api: Api, name: str, value: str) -> None:
    response = api.request("GET", f"/v1/ledger?{name}={value}", headers={"Accept": PARQUET})
    assert (response.status, response.mistakes) == (422, {f"#/query/{name}": "form-mismatch"})


def test_without_the_library_the_problem_names_the_extra(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arro3", None)
    monkeypatch.setitem(sys.modules, "arro3.core", None)
    response = api.request("GET", "/v1/ledger", headers={"Accept": PARQUET})
    assert (response.status, response["code"]) == (406, "not-acceptable")
    assert "`tablestakes[parquet]`" in response["detail"]


def test_an_error_of_the_rows_is_raised_as_it_is(tmp_path: Path) -> None:
    def fail() -> Any:
        yield (1,)
        raise LookupError("a row")

    with (tmp_path / "rows.parquet").open("wb") as file, pytest.raises(LookupError, match="a row"):
        write_rows({"number": "int"}, fail(), file)


def test_many_rows_are_all_written(tmp_path: Path) -> None:
    with (tmp_path / "rows.parquet").open("wb") as file:
        write_rows({"number": "int", "is_odd": "boolean"}, ((each, each % 2 == 1) for each in range(25_000)), file)
    numbers = rows(tmp_path / "rows.parquet")
    assert [row["number"] for row in numbers] == [*range(25_000)]
    assert sum(row["is_odd"] for row in numbers) == 12_500
