"""Bodies that are too large, too deep, or more than they seem; and what they leave behind in the log."""

import gzip
import json
import resource
import time
from pathlib import Path

import httpx2
import pytest

from tests.service.conformance.test_conformance import OPERATIONS
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import OPEN_TO_ALL, operations
from tests.support.server_process import running

DEEP = 200_000
JSON = {"Content-Type": "application/json"}
HEAVY = {
    "arrays in arrays": b"[" * DEEP + b"]" * DEEP,
    "objects in objects": b'{"a":' * (DEEP // 2) + b"1" + b"}" * (DEEP // 2),
    "arrays that never end": b"[" * DEEP,
    "deep inside a field": b'{"ruleset": "pineapple", "players": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "a number of a million digits": b'{"button": ' + b"9" * 1_000_000 + b"}",
    "a number with a huge exponent": b'{"button": 1e999999999}',
    "many fields": b"{" + b",".join(b'"%d":1' % number for number in range(20_000)) + b"}",
    "many players": b'{"ruleset": "pineapple", "players": [' + b",".join([b"{}"] * 300_000) + b"]}",
    "many hands with many fields": b'{"hands": ['
    + b",".join([b"{" + b",".join(b'"%d":1' % number for number in range(30)) + b"}"] * 4_000)
    + b"]}",
    "escapes": b'{"ruleset": "' + b"\\u0041" * 170_000 + b'"}',
}


@pytest.mark.parametrize("kind", HEAVY)
def test_a_heavy_body_is_refused_at_once_by_every_operation_that_reads_one(api: Api, kind: str) -> None:
    requested = [(method, path) for method, path, name in operations(api) if "requestBody" in OPERATIONS[name]]
    assert len(requested) > 12
    for method, path in requested:
        begun = time.process_time()
        response = api.request(method, path, data=HEAVY[kind], headers=JSON)
        assert response.status in (400, 404, 413, 415, 422), (path, response)
        assert time.process_time() - begun < 5, path
        assert len(response.text) < 100_000, "a refusal is no louder than what it refuses"


@pytest.mark.smoke
def test_a_body_that_is_too_large_is_refused_by_every_operation(api: Api) -> None:
    for method, path, name in operations(api):
        if "requestBody" in OPERATIONS[name] and name != "start_import":
            response = api.request(method, path, data=b" " * (1024 * 1024 + 1), headers=JSON)
            assert response.status == 413, name


def test_a_request_without_a_key_reads_no_body(nobody: Api) -> None:
    for method, path, name in operations(nobody):
        if name not in OPEN_TO_ALL:
            assert nobody.request(method, path, data=HEAVY["arrays in arrays"], headers=JSON).status == 401, name


def test_a_small_file_that_unpacks_to_a_large_one_takes_no_more_memory(house: House, api: Api) -> None:
    bomb = gzip.compress(b" " * 200_000_000)
    assert len(bomb) < 300_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
    response = api.request("POST", "/v1/imports", data=bomb, headers=headers)
    assert response.status in (202, 413, 422)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000, "kilobytes"


def test_nothing_that_is_sent_writes_into_the_log_of_a_real_service(tmp_path: Path) -> None:
    forged = '"}\r\n{"level": "error", "event": "forged"}\n\x1b[2Jforged'
    with running(tmp_path, OFC_LOG="json") as service:
        key = (tmp_path / "api-key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}", "User-Agent": "forged \t agent", "Idempotency-Key": "forged"}
        with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False, verify=False) as client:
            for text in (forged, forged.encode("utf-16").decode("latin-1")):
                client.get("/v1/tables", params={"name": text, text: "x"})
                client.get("/v1/players/" + "".join(f"%{byte:02x}" for byte in text.encode()))
                client.get("/links/" + "".join(f"%{byte:02x}" for byte in text.encode()))
                client.post("/v1/tables", json={"name": text, "ruleset": text, text: text})
                client.post("/v1/tables", content=text.encode(), headers={"Content-Type": text[:0] + "text/forged"})
                client.request("FORGED", "/v1/tables")
                client.get("/v1/tables", headers={"Authorization": "Bearer forged.forged"})
                client.get("/v1/tables", headers={"X-Forwarded-For": "forged", "Forwarded": "for=forged"})
        assert service.stop() == 0
        lines = service.log.splitlines()
    requests = [line for line in map(json.loads, lines) if line["event"] == "request"]
    assert len(requests) >= 16
    for line in lines:
        assert line.isascii()
        assert line.isprintable()
    assert "forged" not in "".join(lines).lower().replace('"method": "forged"', "")
