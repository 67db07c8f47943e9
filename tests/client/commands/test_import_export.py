"""`ofc export` and `ofc import` against a service with a worker, and on bad days."""

import codecs
import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
import stamina

from client.api import Client
from client.errors import RefusedError
from client.import_export import import_chunk, split_into_chunks
from tests.support.client.faulty_server import DOWN, HTML, NOTHING, build_response, cut_off, faulty
from tests.support.client.run_ofc import ofc
from tests.support.client.terminal import CTRL_C, terminal
from tests.support.sample_rounds import COMPLETE, Document, changed, document_of

END = {"after_hand": 1, "reason": "it rains"}


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def rounds_at(table: str, number: int) -> list[Document]:
    return [document_of(table=table, reference=f"r{each}", hands=COMPLETE[:1], closed=END) for each in range(number)]


def write_lines(path: Path, lines: list[Document | str]) -> Path:
    written = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("".join(f"{line}\n" for line in written), encoding="utf-8")
    return path


def test_an_export_is_imported_and_exported_unchanged(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    first, second = tmp_path / "1.ndjson", tmp_path / "2.ndjson"
    imported = ofc("import", write_lines(first, [*rounds_at(table, 3)]), **reached)
    assert (imported.code, imported.text) == (0, "3 lines: 3 rounds stored, 0 recorded before, 0 refused")
    exported = ofc("export", "--table", table, "-o", second, **reached)
    assert (exported.code, exported.out, exported.err) == (0, "3 rounds exported\n", "")
    lazy_commands = [changed(json.loads(line), ("table", f"{table}-2")) for line in second.read_text().splitlines()]
    assert ofc("import", write_lines(first, [*lazy_commands]), **reached).code == 0
    printed = ofc("export", "--table", f"{table}-2", **reached)
    assert [json.loads(line) for line in printed.out.splitlines()] == lazy_commands


def test_parquet_is_exported_for_one_kind_of_records(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    ofc("import", "-", text="\n".join(map(json.dumps, rounds_at(table, 2))), **reached)
    file = tmp_path / "results.parquet"
    written = ofc("export", "--table", table, "--format", "parquet", "--records", "results", "-o", file, **reached)
    assert (written.code, written.out, written.err) == (0, "", "")
    assert duckdb.sql(f"SELECT count(*), sum(points) FROM '{file}'").fetchall() == [(6, 0)]
    refused = ofc("export", "--records", "results", **reached)
    assert (refused.code, "--records needs --format parquet" in refused.err) == (2, True)


def test_importing_again_changes_nothing(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "rounds.ndjson", [*rounds_at(table, 2)])
    ofc("import", file, **reached)
    again = ofc("import", file, **reached)
    assert (again.code, again.text) == (0, "2 lines: 0 rounds stored, 2 recorded before, 0 refused")


def test_a_refused_line_is_reported_with_its_number(reached: dict[str, str], table: str) -> None:
    good, other = rounds_at(table, 2)
    lines = ["", json.dumps(good), "{", json.dumps(changed(other, ("hands/0/button", 9)))]
    imported = ofc("import", "-", text="\n".join(lines), **reached)
    assert imported.code == 1
    summary, *refused = imported.text.splitlines()
    assert summary == "3 lines: 1 round stored, 0 recorded before, 2 refused"
    assert refused[0].startswith("  line 3: line 1, column 2")
    assert refused[1] == "  line 4: #/hands/0/button  seat 9 is not in the round; its seats are 1, 2, 3"
    results = [
        json.loads(line)
        for line in ofc("import", "--json", "-", text="\n".join(lines), **reached).out.split("\n")
        if line
    ]
    assert [(result["line"], result["status"]) for result in results] == [
        (2, "replayed"),
        (3, "refused"),
        (4, "refused"),
    ]
    assert results[2]["problem"]["errors"][0]["pointer"] == "#/hands/0/button"


@pytest.mark.parametrize("text", [b"{\n  %s\n}\n", codecs.BOM_UTF8 + b"{\r\n  %s\r\n}", b"[\n{%s}\n]"])
def test_a_document_over_several_lines_is_refused_before_anything_is_sent(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "round.json"
    file.write_bytes(text % b'"ruleset": "pineapple"')
    with faulty(NOTHING) as server:
        result = ofc("import", "--yes", file, OFC_URL=server.url)
        assert (result.code, result.out, server.requests) == (2, "", [])
    assert (
        "line 1 is only the beginning of a document; expected a complete document on each line; `ofc post` accepts"
        in result.err
    )


def test_of_several_errors_in_a_line_the_first_is_reported_with_its_pointer(reached: dict[str, str]) -> None:
    result = ofc(
        "import", "-", text='{"ruleset": "pineapple", "table": "kitchen", "seats": "no", "hands": 3}', **reached
    )
    assert result.text.splitlines()[1:] == ["  line 1: #/seats  is 'no'; expected an array (and 1 more mistake)"]


@pytest.mark.parametrize("kind", ["gzip", "byte order mark", "line ends of Windows"])
@pytest.mark.parametrize("is_piped", [False, True], ids=["a file", "piped in"])
def test_a_file_is_parsed_in_the_formats_of_other_programs(
    reached: dict[str, str], table: str, tmp_path: Path, kind: str, is_piped: bool
) -> None:
    file = write_lines(tmp_path / "rounds.ndjson", [*rounds_at(table, 2)])
    plain = file.read_bytes()
    written = {
        "gzip": gzip.compress(plain),
        "byte order mark": codecs.BOM_UTF8 + plain,
        "line ends of Windows": plain.replace(b"\n", b"\r\n"),
    }[kind]
    file.write_bytes(written)
    imported = ofc("import", "-", text=written, **reached) if is_piped else ofc("import", file, **reached)
    assert (imported.code, imported.text) == (0, "2 lines: 2 rounds stored, 0 recorded before, 0 refused")


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda packed: packed[:-9], "the gzip file ends early"),
        (lambda packed: packed[:-8] + bytes(8), "the gzip file is damaged"),
        (lambda packed: packed[:20] + bytes(20) + packed[40:], "the gzip file is damaged"),
        (lambda packed: packed + b"more", "the gzip file is damaged"),
    ],
    ids=["cut off", "another sum", "changed", "something behind it"],
)
def test_an_incomplete_gzip_file_is_a_one_line_error(
    tmp_path: Path, damage: Callable[[bytes], bytes], sentence: str
) -> None:
    file = tmp_path / "rounds.ndjson.gz"
    file.write_bytes(damage(gzip.compress(b"{}\n" * 100)))
    with faulty(NOTHING) as server:
        result = ofc("import", "--yes", file, OFC_URL=server.url)
        assert (result.code, result.out, server.requests) == (2, "", [])
    assert result.err.startswith(f"Error: {file}: {sentence}; expected a complete file")


def test_spellings_of_cards_and_rows_are_accepted(reached: dict[str, str], table: str, client: Client) -> None:
    [document] = rounds_at(table, 1)
    spelled = json.dumps(document).replace('"top"', '"front"').replace('"bottom"', '"back"')
    spelled = spelled.replace('"Ts"', '"10s"').replace('"As"', '"A♠"').replace('"Kd"', '"KD"')
    assert spelled != json.dumps(document)
    assert ofc("import", "-", text=spelled, **reached).code == 0
    recorded = client.play_document(document)
    assert recorded.is_replay


def test_a_file_is_split_into_chunks_of_whole_lines() -> None:
    lines = [json.dumps(document).encode() + b"\n" for document in rounds_at("kitchen", 10)]
    pieces = list(split_into_chunks(lines, most=3 * len(lines[0])))
    assert [len(piece.numbers) for piece in pieces] == [3, 3, 3, 1]
    assert b"".join(piece.content for piece in pieces) == b"".join(lines)
    assert sum(piece.size for piece in pieces) == sum(map(len, lines))


def test_a_missing_import_file_is_an_error(tmp_path: Path) -> None:
    assert ofc("import", tmp_path / "nowhere.ndjson").code == 2
    result = ofc("export", "-o", tmp_path / "no" / "folder.ndjson")
    assert result.code == 2
    assert "cannot be written" in result.err


LINES = "application/x-ndjson"
JOB = {"id": "7", "progress": {"done": 1, "total": 1}}
PAGE_1 = build_response(200, '{"a":1}\n', LINES, Link='</v1/export?limit=500&cursor=abc>; rel="next"', Total_Rounds="2")
PAGE_2 = build_response(200, '{"b":2}\n', LINES)


@pytest.mark.parametrize("fault", [DOWN, NOTHING, cut_off(PAGE_2)], ids=["down", "closed", "cut off"])
def test_an_export_resumes_after_a_broken_connection(fault: bytes) -> None:
    # More often than one request is sent again.
    with faulty(PAGE_1, *[fault] * 6, PAGE_2) as server:
        result = ofc("export", OFC_URL=server.url)
        assert (result.code, result.out) == (0, '{"a":1}\n{"b":2}\n')
        assert [line[:8] for line in result.err.splitlines()] == ["Waiting:"], "the reason for waiting is printed once"
        assert server.requests[0].endswith("/v1/export?limit=500")
        assert {request.partition("cursor=")[2] for request in server.requests[1:]} == {"abc"}


@pytest.mark.parametrize("fault", [DOWN, NOTHING], ids=["down", "closed"])
def test_an_import_resumes_after_a_broken_connection(fault: bytes) -> None:
    started, ended = (
        build_response(202, {**JOB, "state": "running"}),
        build_response(200, {**JOB, "state": "succeeded"}),
    )
    results = build_response(200, '{"line":1,"status":"stored","round":"1","problem":null}\n', LINES)
    broken = [fault] * 5
    with faulty(*broken, started, *broken, ended, *broken, results) as server:
        result = ofc("import", "--yes", "-", text="{}", OFC_URL=server.url)
        assert (result.code, result.text) == (0, "1 line: 1 round stored, 0 recorded before, 0 refused")
        requests = list(dict.fromkeys(server.requests))
        assert requests == ["POST /v1/imports", "GET /v1/imports/7", "GET /v1/imports/7/results"]


def test_the_progress_of_an_import_is_shown_on_a_terminal(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "rounds.ndjson", ["{}"] * 4)
    under_way = build_response(202, {"id": "7", "state": "running", "progress": {"done": 1, "total": 4}})
    with faulty(under_way) as server, terminal("import", "--yes", str(file), OFC_URL=server.url) as shown:
        assert shown.shows(" 25% 1 rounds, "), shown.lines
        assert shown.shows("/s "), "the rate"
        assert any(re.search(r"/s +(\d+:\d\d:\d\d|-:--:--)$", line) for line in shown.lines), (
            "and the time that is left"
        )
        shown.type(CTRL_C)
        assert shown.end() == 130


def test_a_cancelled_import_is_reported() -> None:
    cancelled = build_response(202, {**JOB, "state": "cancelled"})
    results = build_response(200, '{"line":1,"status":"stored","round":"1","problem":null}\n', LINES)
    with faulty(cancelled, results) as server, Client(server.url) as client:
        [piece] = split_into_chunks([b"{}"])
        came = import_chunk(client, piece, lambda _: None, pytest.fail)
        assert next(came)["status"] == "stored"
        with pytest.raises(RefusedError, match="was cancelled"):
            next(came)


def test_an_import_without_a_result_for_a_line_fails() -> None:
    succeeded = build_response(202, {**JOB, "state": "succeeded"})
    stored = '{"line":%d,"status":"stored","round":"1","problem":null}\n'
    with faulty(succeeded, build_response(200, stored % 1 + stored % 3, LINES)) as server:
        result = ofc("import", "--yes", "-", text="{}\n\n{}\n{}\n", OFC_URL=server.url)
    assert result.code != 0
    assert "3 lines were sent and 2 have a result; the first without one is line 3" in result.err


def test_a_failed_import_reports_the_reason() -> None:
    failed = build_response(202, {**JOB, "state": "failed", "failure": "1 line was received and 0 are accounted for"})
    with faulty(failed, build_response(200, "", LINES)) as server:
        result = ofc("import", "--yes", "-", text="{}", OFC_URL=server.url)
    assert result.code != 0
    assert "has failed: 1 line was received and 0 are accounted for" in result.err


def test_an_existing_export_is_overwritten_only_on_request(tmp_path: Path) -> None:
    backup = tmp_path / "backup.ndjson"
    backup.write_text("yesterday's", encoding="utf-8")
    with faulty(PAGE_2) as server:
        result = ofc("export", "-o", backup, OFC_URL=server.url)
        assert (result.code, server.requests) == (2, [])
        assert "already exists; expected another name, or --overwrite" in result.err
        assert backup.read_text(encoding="utf-8") == "yesterday's"
        assert ofc("export", "-o", backup, "--overwrite", OFC_URL=server.url).code == 0
    assert backup.read_text(encoding="utf-8") == '{"b":2}\n'


@pytest.mark.parametrize("before", [None, "yesterday's"])
def test_a_failed_export_leaves_the_existing_file(tmp_path: Path, before: str | None) -> None:
    backup = tmp_path / "backup.ndjson"
    if before is not None:
        backup.write_text(before, encoding="utf-8")
    with faulty(PAGE_1, HTML) as server:
        assert ofc("export", "-o", backup, "--overwrite", OFC_URL=server.url).code == 3
    assert {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()} == (
        {} if before is None else {backup.name: before}
    )


def test_an_export_does_not_wait_for_an_unreachable_service() -> None:
    with faulty(DOWN) as server:
        result = ofc("export", OFC_URL=server.url)
    assert (result.code, result.out) == (3, "")
    assert "Waiting" not in result.err


def test_an_invalid_export_is_rejected() -> None:
    with faulty(HTML) as server:
        result = ofc("export", OFC_URL=server.url)
        assert result.code == 3
        assert result.out == ""
