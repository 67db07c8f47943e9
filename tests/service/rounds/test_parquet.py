"""Hands, results, transfers and the journal as Parquet files, and the documented examples that read them."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import duckdb
import pytest

from schemas.documents import EXPORTED
from service.http.parquet import PARQUET
from tests.support.api_client import Api
from tests.support.sample_rounds import (
    COMPLETE,
    add_table,
    document_of,
    open_round,
    play_to_the_end,
    post_document,
    undo,
)

DOCUMENTED = Path(__file__).parents[3] / "docs" / "analysis.md"
ACCEPT = {"Accept": PARQUET}
TYPES = {
    "VARCHAR": "string",
    "VARCHAR[]": "array<string>",
    "SMALLINT": "smallint",
    "INTEGER": "int",
    "BIGINT": "bigint",
    "BOOLEAN": "boolean",
    "TIMESTAMP WITH TIME ZONE": "timestamp",
}
"""The types of Spark, by those of DuckDB, for the same type of Parquet."""


def export(api: Api, path: Path, of: str = "export", **query: str) -> Path:
    headers = {"Authorization": f"Bearer {api.key}", **ACCEPT}
    with api.app.test_client().get(f"/v1/{of}?{urlencode(query)}", headers=headers, buffered=True) as response:
        assert (response.status_code, response.content_type) == (200, PARQUET)
        path.write_bytes(response.data)
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    relation = duckdb.sql(f"SET timezone = 'UTC'; FROM '{path}'")
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def same(row: dict[str, Any], other: dict[str, Any], *names: str) -> bool:
    return [row[name] for name in names] == [other[name] for name in names]


@pytest.fixture
def files(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with each file of a club with two rounds, and an undone hand; it is the working directory."""
    first = open_round(api, add_table(api))["id"]
    play_to_the_end(api, first)
    undo(api, first, 3)
    post_document(api, document_of(hands=COMPLETE, table="attic", opened_at="2025-11-20T20:00:00Z"))
    for records in EXPORTED:
        export(api, tmp_path / f"{records}.parquet", records=records)
    export(api, tmp_path / "ledger.parquet", "ledger")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_have_the_values_of_the_contract(api: Api, files: Path) -> None:
    listed = [
        (round_["id"], hand)
        for round_ in api.get("/v1/rounds")["rounds"]
        for hand in api.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
        if hand["in_force"]
    ]
    assert len(listed) == 5
    hands = {(row["round"], row["number"]): row for row in rows(files / "hands.parquet")}
    results = {(row["round"], row["hand"], row["seat"]): row for row in rows(files / "results.parquet")}
    assert len(hands) == len(listed)
    for round_id, hand in listed:
        row = hands[round_id, hand["number"]]
        assert (same(row, hand, "id", "button", "ruleset"), row["irregular"]) == (True, False)
        for player in hand["players"]:
            result = results.pop((round_id, hand["number"], player["seat"]))
            assert same(result, player, "foul", "royalties", "points", "fantasyland")
            assert result["stack"] == hand["stacks"][str(player["seat"])]
            assert [len(result[name]) for name in ("top", "middle", "bottom")] == [3, 5, 5]
    assert results == {}


def test_transfers_have_the_values_of_the_settlement(api: Api, files: Path) -> None:
    stored = {(row["round"], row["hand"], row["order"]): row for row in rows(files / "transfers.parquet")}
    for round_ in api.get("/v1/rounds")["rounds"]:
        for transfer in api.get(f"/v1/rounds/{round_['id']}/settlement")["transfers"]:
            row = stored.pop((round_["id"], transfer["hand"], transfer["order"]))
            names = ("payer", "payee", "due", "paid", "limited_by", "payer_stack", "payee_stack")
            assert (same(row, transfer, *names), row["late"]) == (True, False)
    assert stored == {}


def test_files_are_filtered_by_table_and_opening_time(api: Api, files: Path) -> None:
    del files
    [attic] = [table["id"] for table in api.get("/v1/tables")["tables"] if table["name"] == "attic"]
    for query, count in (
        ({"table": attic}, 3),
        ({"from": "2026-01-01T00:00:00Z"}, 2),
        ({"to": "2026-01-01T00:00:00Z"}, 3),
        ({"to": "2025-01-01T00:00:00Z"}, 0),
    ):
        assert len(rows(export(api, Path("hands.parquet"), **query))) == count, query


def test_other_clubs_see_nothing(api: Api, other_api: Api, files: Path) -> None:
    for records in EXPORTED:
        assert rows(export(other_api, files / "other.parquet", records=records)) == []
    assert export(api, files / "default.parquet").read_bytes() == (files / "hands.parquet").read_bytes()


@pytest.mark.parametrize(
    ("headers", "name", "value"),
    [(ACCEPT, "limit", "1"), (ACCEPT, "cursor", "A" * 22), ({}, "records", "hands")],
)
def test_parameters_of_the_other_form_are_refused(api: Api, headers: dict[str, str], name: str, value: str) -> None:
    response = api.request("GET", f"/v1/export?{name}={value}", headers=headers)
    assert (response.status, response.mistakes) == (422, {f"#/query/{name}": "form-mismatch"})


def test_without_the_library_the_problem_names_the_extra(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arro3", None)
    response = api.request("GET", "/v1/export", headers=ACCEPT)
    assert (response.status, response["code"]) == (406, "not-acceptable")
    assert "`tablestakes[parquet]`" in response["detail"]


def documented(language: str) -> Iterator[str]:
    yield from re.findall(rf"```{language}\n(.*?)```", DOCUMENTED.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("file", ["results", "ledger"])
@pytest.mark.parametrize("library", ["duckdb", "pandas"])
def test_the_documented_examples_read_the_files(
    files: Path, library: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert files.exists()
    [example] = [code for code in documented("python") if f"import {library}" in code and f"{file}.parquet" in code]
    exec(compile(example, library, "exec"), {})
    assert "ann" in capsys.readouterr().out


def test_the_documentation_names_every_column_with_its_type(files: Path) -> None:
    columns = [
        (records, name, TYPES[kind])
        for records in ("hands", "results", "transfers", "ledger")
        for name, kind, *_ in duckdb.sql(f"DESCRIBE FROM '{files / records}.parquet'").fetchall()
    ]
    lines = re.findall(r"^\| `(\w+)` \| `(\w+)` \| ([\w<>]+) \|", DOCUMENTED.read_text(encoding="utf-8"), re.MULTILINE)
    assert lines == columns
