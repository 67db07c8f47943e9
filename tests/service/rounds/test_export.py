"""Rounds exported as documents, and imported again."""

import gzip
import json
import tracemalloc
from contextlib import ExitStack
from pathlib import Path
from random import Random
from urllib.parse import urlencode

import psycopg
import pytest

from service.http.streams import MOST_STREAMS, count_stream
from tests.oracle import PRESETS, random_document, random_ruleset
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    Document,
    add_table,
    changed,
    document_of,
    open_round,
    play_to_the_end,
    post_document,
    start_round,
    undo,
)

EXAMPLES = Path(__file__).parents[3] / "examples"


def export(api: Api, *, packed: bool = False, **query: object) -> tuple[list[bytes], dict[str, str]]:
    """Export rounds, and return the lines with the response's headers."""
    headers = {"Authorization": f"Bearer {api.key}", "Accept-Encoding": "gzip" if packed else "identity"}
    with api.app.test_client().get(f"/v1/export?{urlencode(query)}", headers=headers, buffered=True) as response:
        assert response.status_code == 200, response.data
        assert response.content_type == "application/x-ndjson"
        assert ("Content-Encoding" in response.headers) == packed
        body = gzip.decompress(response.data) if packed else response.data
        return body.splitlines(), dict(response.headers)


@pytest.mark.parametrize("form", ["application/x-ndjson", "application/vnd.apache.parquet"])
def test_an_export_that_has_to_wait_reads_nothing(api: Api, form: str) -> None:
    start_round(api)
    headers = {"Authorization": f"Bearer {api.key}", "Accept": form}
    with ExitStack() as others:
        for _ in range(MOST_STREAMS):
            count_stream(others)
        with recorded_statements() as sent:
            refused = api.app.test_client().get("/v1/export", headers=headers)
    assert (refused.status_code, refused.json["code"]) == (429, "exports-busy")
    assert not [statement for statement in sent if "rounds" in statement or "hands" in statement]


def rounds_of(api: Api) -> list[Document]:
    """Every round, the oldest first."""
    listed: list[Document] = []
    path = "/v1/rounds?limit=100"
    while path:
        page = api.get(path)
        listed += page["rounds"]
        path = page.headers["Link"].partition(">")[0].removeprefix("<") if "Link" in page.headers else ""
    return listed[::-1]


def settlements_of(api: Api) -> list[tuple[Document, Document]]:
    """The results of every round: its document, and its settlement but for what undoing made of it and until when."""
    came_to = []
    for each in rounds_of(api):
        settlement = api.get(f"/v1/rounds/{each['id']}/settlement").document
        beside = {"revision": 1, "reason": None, "provisional_until": None, "table": None, "round": None}
        came_to.append((api.get(f"/v1/rounds/{each['id']}/document").document, {**settlement, **beside}))
    return came_to


def test_each_line_is_the_document_of_a_round(api: Api) -> None:
    start_round(api, sitting={1: "ann 100", 2: "Zoë 100", 3: "the-Shark 50"})
    play_to_the_end(api, str(rounds_of(api)[0]["id"]))
    post_document(api, document_of(hands=COMPLETE[:1], table="attic", closed={"after_hand": 1, "reason": "it rains"}))
    lines, headers = export(api)
    assert [json.loads(line) for line in lines] == [document for document, _ in settlements_of(api)]
    assert headers["Total-Rounds"] == "2"


@pytest.mark.no_cover
def test_an_export_imported_elsewhere_has_the_same_results(house: House, api: Api, other_api: Api) -> None:
    rng = Random(9)
    own = [random_ruleset(rng) for _ in range(4)]
    for rules in own:
        assert api.post("/v1/rulesets", rules).status == other_api.post("/v1/rulesets", rules).status == 201
    examples = [path.read_bytes() for path in sorted(EXAMPLES.glob("*.json"))]
    random = [random_document(rng, rules) for rules in [*PRESETS.values(), *own] for _ in range(2)]
    lines = [line for line in examples if b'"hands"' in line] + lines_of(random)
    imported = import_all(house, club_of(house, api), lines)
    assert {each.status for each in imported} == {"stored"}
    by_hand = start_round(api, name="by hand")
    play_to_the_end(api, by_hand)
    assert undo(api, by_hand, 3).status == undo(api, by_hand, 2).status == 201

    exported, _ = export(api)
    again = import_all(house, club_of(house, other_api), exported, at_once=20)
    assert {each.status for each in again} == {"stored"}
    assert len(again) == len(lines) + 1
    assert settlements_of(other_api) == settlements_of(api)


def test_importing_an_export_into_its_own_club_changes_nothing(house: House, api: Api) -> None:
    by_hand = open_round(api, add_table(api), reference="by hand")["id"]
    play_to_the_end(api, by_hand)
    undo(api, by_hand, 3)
    post_document(api, document_of(hands=COMPLETE, table="attic"))
    post_document(api, document_of(hands=COMPLETE, table="attic", reference="r1"))
    exported, _ = export(api)
    before = house.count_records()
    again = import_all(house, club_of(house, api), exported)
    assert [each.status for each in again] == ["replayed"] * 3
    assert house.count_records() == before


def test_rounds_are_filtered_by_table_and_time(api: Api) -> None:
    for reference, table in enumerate(("attic", "kitchen", "attic")):
        post_document(api, document_of(hands=COMPLETE, table=table, reference=f"r{reference}"))
    attic = next(table["id"] for table in api.get("/v1/tables")["tables"] if table["name"] == "attic")
    first, second, third = rounds_of(api)
    tables = [json.loads(line)["table"] for line in export(api, table=attic)[0]]
    assert tables == ["attic", "attic"]
    middle = {"from": second["opened_at"], "to": third["opened_at"]}
    assert [json.loads(line)["table"] for line in export(api, **middle)[0]] == ["kitchen"]
    assert len(export(api, to=first["opened_at"])[0]) == 0


def test_an_export_in_pages_continues_at_the_cursor(api: Api) -> None:
    for number in range(7):
        post_document(api, document_of(hands=COMPLETE[:1], table="kitchen", reference=f"r{number}", closed=END))
    whole, headers = export(api)
    assert "Link" not in headers
    lines, headers = export(api, limit=3)
    assert headers["Total-Rounds"] == "7"
    while "Link" in headers:
        cursor = headers["Link"].partition("cursor=")[2].partition(">")[0]
        page, headers = export(api, limit=3, cursor=cursor)
        assert "Total-Rounds" not in headers
        lines += page
    assert lines == whole


END = {"after_hand": 1, "reason": "it rains"}


def test_an_export_is_compressed_if_gzip_is_accepted(api: Api) -> None:
    post_document(api, document_of(hands=COMPLETE))
    assert export(api, packed=True)[0] == export(api)[0]


def test_another_clubs_rounds_are_not_exported(api: Api, other_api: Api) -> None:
    post_document(api, document_of(hands=COMPLETE))
    assert export(other_api)[0] == []
    table = api.get("/v1/tables")["tables"][0]["id"]
    assert export(other_api, table=table)[0] == []


def test_an_invalid_query_is_refused(api: Api, nobody: Api) -> None:
    assert nobody.get("/v1/export").status == 401
    assert api.get("/v1/export?limit=0").status == 422
    assert api.get("/v1/export?table=kitchen").status == 422
    assert api.get("/v1/export?cursor=x").status == 422
    assert api.get("/v1/export?player=ann").status == 422


def reading_transactions(house: House) -> int:
    with psycopg.connect(house.owner_url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        ).fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture
def long_export(house: House, api: Api) -> Api:
    """A client of a club whose rounds come in several blocks."""
    one = document_of(hands=COMPLETE[:1], closed=END)
    documents = [changed(one, ("reference", f"r{number}")) for number in range(450)]
    import_all(house, club_of(house, api), lines_of(documents))
    return api


def test_an_export_is_a_single_snapshot(house: House, long_export: Api) -> None:
    headers = {"Authorization": f"Bearer {long_export.key}"}
    with long_export.app.test_client().get("/v1/export", headers=headers) as response:
        stream = response.iter_encoded()
        begin = next(stream)
        assert reading_transactions(house) == 1
        post_document(long_export, document_of(hands=COMPLETE, table="attic", reference="later"))
        rest = b"".join(stream)
    assert reading_transactions(house) == 0
    lines = (begin + rest).splitlines()
    assert [json.loads(line)["reference"] for line in lines] == [f"r{number}" for number in range(450)]


def test_a_disconnected_client_leaves_no_transaction(house: House, long_export: Api) -> None:
    headers = {"Authorization": f"Bearer {long_export.key}"}
    for _ in range(20):  # more than there are connections
        response = long_export.app.test_client().get("/v1/export", headers=headers)
        next(response.iter_encoded())
        response.close()
    assert reading_transactions(house) == 0
    response = long_export.app.test_client().head("/v1/export", headers=headers)
    response.close()
    assert reading_transactions(house) == 0


@pytest.mark.no_cover
def test_memory_does_not_grow_with_the_export(house: House, long_export: Api) -> None:
    def most_memory(client: Api) -> tuple[int, int]:
        headers = {"Authorization": f"Bearer {client.key}"}
        length = 0
        tracemalloc.start()
        with client.app.test_client().get("/v1/export", headers=headers) as response:
            for block in response.iter_encoded():
                length += len(block)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return length, most

    most_memory(long_export)
    short, least = most_memory(long_export)
    one = document_of(hands=COMPLETE[:1], closed=END, table="attic")
    for part in range(4):
        documents = [changed(one, ("reference", f"{part} {number}")) for number in range(900)]
        import_all(house, club_of(house, long_export), lines_of(documents))
    long, most = most_memory(long_export)
    assert long > 8 * short
    assert most < 1.5 * least
