"""`ofc ledger` against a service, as a table, JSON and CSV, and `ofc payment claim` with what ends a claim."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import stamina

from client.api import Client
from client.render.format import show_money
from schemas.money import CURRENCIES, Unit, count_digits, show_decimal
from tests.support.client.faulty_server import DOWN, build_response, faulty
from tests.support.client.run_ofc import ofc, ofc_process
from tests.support.sample_rounds import COMPLETE, document_of


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


@pytest.fixture
def played(client: Client, table: str) -> str:
    for number in range(2):
        client.play_document(document_of(table=table, hands=COMPLETE, reference=f"{number}", point_value=5, unit="EUR"))
    return table


def test_lines_are_listed_and_filtered(reached: dict[str, str], played: str) -> None:
    listed = ofc("ledger", "--table", played, "--json", **reached).document
    assert (len(listed["lines"]), listed["has_more"]) == (18, False)
    few = ofc("ledger", "--table", played, "--player", "ann", "--limit", "5", "--json", **reached).document
    # A line gets its position some time after it is recorded.
    of_ann = [line for line in listed["lines"] if line["payee"] == "ann"]
    assert [line | {"position": None} for line in few["lines"]] == [line | {"position": None} for line in of_ann[:5]]
    assert few["has_more"]
    shown = ofc("ledger", "--table", played, "--limit", "1", **reached)
    assert "0.30 EUR  not final" in shown.text
    assert "There are more lines; --limit shows more, --csv all." in shown.text
    assert ofc("ledger", "--table", played, "--to", "2000-01-01", **reached).text == "No lines."


def test_csv_is_written_to_a_file(reached: dict[str, str], played: str, tmp_path: Path) -> None:
    file = tmp_path / "payments.csv"
    written = ofc("ledger", "--table", played, "--csv", "-o", file, **reached)
    assert (written.code, written.out) == (0, "18 lines exported\n")
    listed = list(csv.DictReader(io.StringIO(file.read_bytes().decode(), newline=""), strict=True))
    assert sum(int(paid["paid"]) for paid in listed) == 2 * 3 * 18
    assert ofc_process("ledger", "--table", played, "--csv", **reached).out.encode() == file.read_bytes()
    again = ofc("ledger", "--table", played, "--csv", "-o", file, **reached)
    assert (again.code, again.out) == (2, "")
    assert ofc("ledger", "--table", played, "--csv", "-o", file, "--overwrite", **reached).code == 0


def test_parquet_is_written_to_a_file(reached: dict[str, str], played: str, tmp_path: Path) -> None:
    file = tmp_path / "ledger.parquet"
    written = ofc("ledger", "--table", played, "--format", "parquet", "-o", file, **reached)
    assert (written.code, written.out, written.err) == (0, "", "")
    assert duckdb.sql(f"SELECT count(*), sum(paid) FROM '{file}'").fetchall() == [(18, 2 * 3 * 18)]
    as_csv = [ofc("ledger", "--table", played, *options, **reached).out for options in (["--csv"], ["--format", "csv"])]
    assert as_csv[0] == as_csv[1]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--csv", "--format", "parquet"], "--csv and --format were given; expected one of them"),
        (["--format", "parquet", "--json"], "--format and --json were given; expected one of them"),
        (["-o", "ledger.csv"], "--output was given without --csv or --format; expected one of them"),
    ],
)
def test_contradicting_forms_are_refused(options: list[str], expected: str) -> None:
    refused = ofc("ledger", *options)
    assert (refused.code, expected in refused.err) == (2, True)


def test_pages_of_csv_have_one_header_and_are_requested_again() -> None:
    kind = "text/csv; charset=utf-8; header=present"
    first = build_response(200, "payer\r\nann\r\n", kind, Link='</v1/ledger?cursor=abc>; rel="next"')
    with faulty(first, DOWN, build_response(200, "payer\r\nbob\r\n", kind)) as server:
        result = ofc("ledger", "--csv", OFC_URL=server.url)
    assert (result.code, result.out.split()) == (0, ["payer", "ann", "bob"])
    assert server.requests[-2:] == ["GET /v1/ledger?limit=500&cursor=abc"] * 2


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--csv", "--json"], "--csv and --json were given; expected one of them"),
        (["--from", "soon"], "'soon' is not a time"),
        (["--limit", "0"], "Invalid value for '--limit'"),
    ],
)
def test_invalid_options_are_refused(options: list[str], expected: str) -> None:
    result = ofc("ledger", *options)
    assert (result.code, result.out) == (2, "")
    assert expected in result.err


def test_an_unknown_table_is_refused(reached: dict[str, str]) -> None:
    result = ofc("ledger", "--table", "nowhere", **reached)
    assert (result.code, result.out) == (2, "")
    assert "there is no table 'nowhere'" in result.err


def test_ofc_formats_money_like_csv() -> None:
    for unit in CURRENCIES:
        shown = show_money(12345, unit, count_digits(unit))
        assert shown == f"{show_decimal(12345, Unit(unit, count_digits(unit)))} {unit}"


# --- claims of payments ---

PAID = ("cyd", "ann", "--unit", "EUR", "--amount")


def test_a_claim_is_listed_and_confirmed(reached: dict[str, str], played: str) -> None:
    claimed = ofc("payment", "claim", *PAID, "100", "--reference", f"{played} 1", "--json", **reached).document
    listed = ofc("payment", "claims", "--state", "pending", **reached).text
    assert f"cyd    ann    1.00 EUR  pending  {claimed['id']}" in listed
    result = ofc("payment", "confirm", claimed["id"], **reached)
    assert result.code == 0, result.err
    shown = result.text
    assert shown.startswith("cyd → ann: 1.00 EUR\nthe payment ")
    assert claimed["id"] not in ofc("payment", "claims", "--state", "pending", **reached).text


def test_a_claim_is_declined_with_a_reason_or_withdrawn(reached: dict[str, str], played: str) -> None:
    for number, (end, state) in enumerate(
        [(("decline", "--reason", "not received"), "declined"), (("withdraw",), "withdrawn")]
    ):
        said = ofc("payment", "claim", *PAID, "2", "--reference", f"{played} {number}", "--json", **reached).document
        ended = ofc("payment", end[0], said["id"], *end[1:], **reached).text
        assert f"the claim {said['id']} is {state}" in ended
        refused = ofc("payment", "confirm", said["id"], **reached)
        assert (refused.code, f"was {state}" in refused.err) == (1, True)


def test_a_claim_that_may_be_a_mistake_is_warned_of(reached: dict[str, str], played: str) -> None:
    for number in range(2):
        said = ofc("payment", "claim", *PAID, "3", "--reference", f"{played} equal {number}", **reached)
    assert "Warning: `amount` is that of the payment claim" in said.text
