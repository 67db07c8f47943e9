"""The pages of jobs: imports from uploaded files, recomputations, their progress and results."""

import gzip
import io
import json
from uuid import UUID, uuid4

import pytest
from werkzeug.test import TestResponse

from service.config import ImportLimits
from tests.service.console.test_signing_in import signed_in_with
from tests.support.api_client import Api
from tests.support.application import House, open_house
from tests.support.browser.console_lists import read_files
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.database.postgres import Server
from tests.support.process_jobs import Club, rounds_to_import
from tests.support.sample_rounds import add_table, complete_round
from tests.support.worker_process import lines_of

XSS = "<script>alert(1)</script>"
AUDIT = {"reason": "checked again"}
OTHER_RULES = "pineapple-2-4-us-none"


def csrf_of(visitor: Visitor, page: str) -> str:
    return next(each.attrib["value"] for each in visitor.show(page).iter("input") if each.attrib.get("name") == "csrf")


def upload(visitor: Visitor, content: bytes, name: str = "rounds.ndjson", **fields: str) -> TestResponse:
    """Send the form that imports a file, as a browser does: the fields in the order of the page."""
    form = {"csrf": csrf_of(visitor, "/jobs/import"), "state": "final"} | fields
    parts = [f'Content-Disposition: form-data; name="{key}"\r\n\r\n{value}'.encode() for key, value in form.items()]
    head = f'Content-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: text/plain\r\n\r\n'
    body = b"".join(b"--limit\r\n" + part + b"\r\n" for part in (*parts, head.encode() + content)) + b"--limit--\r\n"
    media_type = "multipart/form-data; boundary=limit"
    return visitor.browser.post("/console/jobs/import", data=body, content_type=media_type)


def imported(visitor: Visitor, content: bytes, **fields: str) -> str:
    """Import a file, and return the path of the page of the import."""
    response = upload(visitor, content, **fields)
    assert response.status_code == 303, response.text
    return response.location.removeprefix("/console")


def started(visitor: Visitor, **form: str) -> str:
    response = visitor.submit("/jobs/recomputation", "/jobs/recomputation", AUDIT | form)
    assert response.status_code == 303, response.text
    return response.location.removeprefix("/console")


def work_on(house: House, api: Api, page: str) -> None:
    job_id = page.rpartition("/")[2]
    kind = "imports" if api.get(f"/v1/imports/{job_id}").status == 200 else "recomputations"
    Club(house, api).work_on(f"/v1/{kind}/{job_id}")


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_is_imported(house: House, api: Api, packed: bool) -> None:
    add_table(api)
    visitor = Visitor.signed_in(house, api)
    content = lines_of([*rounds_to_import(3), {"not": "a round"}])
    page = imported(visitor, gzip.compress(content) if packed else content)
    queued = visitor.show(page)
    assert "queued 0 of 4 lines" in text_of(queued)
    assert any("data-refresh" in each.attrib for each in queued.iter("div"))
    work_on(house, api, page)
    ended = visitor.show(page)
    shown = text_of(ended)
    for text in ("succeeded", "4 of 4 lines", "3, with 3 hands", "1 lines", "with the key first"):
        assert text in shown
    assert not any("data-refresh" in each.attrib for each in ended.iter("div"))
    rows = read_files(visitor, page)
    assert [row["status"] for row in rows] == ["stored"] * 3 + ["refused"]
    linked = {each.attrib["href"] for each in ended.iter("a")}
    assert {f"/console/rounds/{row['round']}" for row in rows if row["round"]} <= linked
    [refused] = read_files(visitor, f"{page}?status=refused")
    assert refused["line"] == 4
    assert refused["problem"] in text_of(visitor.show(f"{page}?status=refused"))
    assert "No line has this result" in text_of(visitor.show(f"{page}?status=replayed"))


def test_rounds_are_imported_with_the_chosen_state(house: House, api: Api) -> None:
    add_table(api)
    visitor = Visitor.signed_in(house, api)
    page = imported(visitor, lines_of(rounds_to_import(1)), state="provisional")
    work_on(house, api, page)
    [row] = read_files(visitor, page)
    assert api.get(f"/v1/rounds/{row['round']}/settlement")["state"] == "provisional"


def test_the_same_file_shows_the_same_import(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    content = lines_of(rounds_to_import(2))
    assert imported(visitor, content) == imported(visitor, content)
    assert len(api.get("/v1/imports")["imports"]) == 1


def test_a_large_file_is_streamed(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    page = imported(visitor, b'{"not": "a round"}\n' * 200_000)
    assert "of 200,000 lines" in text_of(visitor.show(page))


@pytest.mark.parametrize(
    ("content", "name", "fields", "status", "message"),
    [
        (b"", "", {}, 422, "a file of round documents"),
        (b"{}\n", "x.ndjson", {"state": "other"}, 422, "final or provisional"),
        (b"\x1f\x8bnot gzip", "x.gz", {}, 400, "not gzip"),
        (gzip.compress(b"{}\n" * 100, mtime=0)[:-4], "x.gz", {}, 400, "incomplete"),
    ],
)
def test_files_that_cannot_be_imported_are_refused_in_words(
    house: House, api: Api, content: bytes, name: str, fields: dict[str, str], status: int, message: str
) -> None:
    visitor = Visitor.signed_in(house, api)
    response = upload(visitor, content, name, **fields)
    assert response.status_code == status
    assert message in text_of(parse(response))
    assert api.get("/v1/imports")["imports"] == []


def test_limits_of_imports_apply(embedded_postgres: Server) -> None:
    with open_house(embedded_postgres, imports=ImportLimits(lines=2)) as limited:
        api = limited.new_client()
        response = upload(Visitor.signed_in(limited, api), b"{}\n" * 3)
        assert response.status_code == 413
        assert "more than 2 lines" in text_of(parse(response))
        assert api.get("/v1/imports")["imports"] == []


@pytest.mark.parametrize("sent", ["0" * 64, None])
def test_an_upload_of_another_page_is_refused_before_the_file_is_read(house: House, api: Api, sent: str | None) -> None:
    visitor = Visitor.signed_in(house, api)
    form = {**({} if sent is None else {"csrf": sent}), "file": (io.BytesIO(b"{}\n"), "x.ndjson")}
    refused = visitor.send("/jobs/import", form, content_type="multipart/form-data")
    assert refused.status_code == 403
    assert api.get("/v1/imports")["imports"] == []


def test_an_upload_of_another_site_is_refused(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    form = {"csrf": csrf_of(visitor, "/jobs/import"), "file": (io.BytesIO(b"{}\n"), "x.ndjson")}
    headers = {"Origin": "https://evil.example"}
    assert visitor.send("/jobs/import", form, headers=headers, content_type="multipart/form-data").status_code == 403
    assert api.get("/v1/imports")["imports"] == []


@pytest.mark.parametrize(
    ("body", "media_type", "status"),
    [
        (b"a=b", "application/x-www-form-urlencoded", 415),
        (b"x", "multipart/form-data", 415),
        (b"--x\r\nnonsense", "multipart/form-data; boundary=x", 400),
        (b"--x--\r\n", "multipart/form-data; boundary=x", 400),
        (b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n" + b"a" * 70_000 + b"\r\n--x--\r\n",
         "multipart/form-data; boundary=x", 413),
    ],
)  # as a table  # fmt: skip
def test_malformed_uploads_are_refused(house: House, api: Api, body: bytes, media_type: str, status: int) -> None:
    visitor = Visitor.signed_in(house, api)
    response = visitor.browser.post("/console/jobs/import", data=body, content_type=media_type)
    assert response.status_code == status
    assert response.mimetype == "text/html"


def test_an_import_is_paused_resumed_and_cancelled(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    page = imported(visitor, lines_of(rounds_to_import(1)))
    assert visitor.submit(page, "/pause", {}).location == f"/console{page}"
    paused = visitor.show(page)
    assert "paused" in text_of(paused)
    assert not any("data-refresh" in each.attrib for each in paused.iter("div"))
    assert visitor.submit(page, "/resume", {}).location == f"/console{page}"
    assert "queued" in text_of(visitor.show(page))
    assert "cannot be resumed" in text_of(visitor.show(f"{page}/cancel"))
    assert visitor.submit(f"{page}/cancel", "/cancel", {}).location == f"/console{page}"
    assert "cancelling" in text_of(visitor.show(page))
    work_on(house, api, page)
    again = visitor.send(f"{page}/pause", {"csrf": csrf_of(visitor, page)})
    assert again.status_code == 409
    assert "is cancelled; expected queued or running" in text_of(parse(again))
    assert f"/console{page}?format=csv" in {link.attrib["href"] for link in parse(again).iter("a")}


def test_a_recomputation_lists_its_differences(house: House, api: Api) -> None:
    complete_round(api, name="kitchen")
    visitor = Visitor.signed_in(house, api)
    page = started(visitor, table="kitchen", ruleset=OTHER_RULES, reason="what if")
    work_on(house, api, page)
    shown = text_of(visitor.show(page))
    for text in ("succeeded", "what if", "audit: nothing is changed", OTHER_RULES, "1 round at 1 table"):
        assert text in shown, text
    rows = read_files(visitor, page)
    listed = api.get(f"/v1/recomputations/{page.rpartition('/')[2]}/differences")["differences"]
    assert [(row["round"], row["hand"], row["kind"], row["column"]) for row in rows] == [
        (each["round"], each["hand"], each["kind"], each["column"]) for each in listed
    ]
    assert rows
    linked = [each.attrib["href"] for each in visitor.show(page).iter("a")]
    assert f"/console/rounds/{rows[0]['round']}" in linked
    assert {row["column"] or row["kind"] for row in rows} <= {each.text for each in visitor.show(page).iter("bdi")}


def test_a_recomputation_shows_the_largest_gains_and_losses(
    house: House, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete_round(api, name="kitchen")
    complete_round(api, name="saloon", sitting={1: "dan 100", 2: "eve 100", 3: "fay 100"})
    visitor = Visitor.signed_in(house, api)
    page = started(visitor, ruleset=OTHER_RULES)
    work_on(house, api, page)
    summary = api.get(f"/v1/recomputations/{page.rpartition('/')[2]}")["summary"]
    moved = sorted(summary["net_moved"].items(), key=lambda each: (-each[1], each[0]))
    assert len(moved) == 4
    assert moved[0][1] > 0 > moved[-1][1]
    assert moved_in(visitor, page) == [player for player, _ in moved]
    assert "largest gains" not in text_of(visitor.show(page))
    monkeypatch.setattr("service.console.views.changes.MOST_MOVED", 2)
    assert moved_in(visitor, page) == [moved[0][0], moved[-1][0]]
    assert "The largest gains and losses, 1 of each, of 4 players." in text_of(visitor.show(page))
    assert [(row["player"], row["points"]) for row in read_files(visitor, f"{page}?part=points")] == moved


def moved_in(visitor: Visitor, page: str) -> list[str]:
    """Return the players whose points a recomputation lists."""
    [listed] = [each for each in visitor.show(page).iter("section") if each.attrib.get("aria-labelledby") == "moved"]
    return ["".join(each.itertext()) for each in listed.findall(".//tbody//th")]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"reason": ""}, "reason"),
        ({"table": "nowhere"}, "no table"),
        ({"ruleset": "nothing"}, "nothing"),
        ({"round": "x"}, "the id of a round is 'x'"),
        ({"round": str(UUID(int=7))}, "no round"),
        ({"from": "x"}, "expected a day"),
        ({"from": "2026-11-02", "to": "2026-10-01"}, "after the end"),
    ],
)
def test_a_refused_recomputation_is_shown_again(house: House, api: Api, form: dict[str, str], message: str) -> None:
    visitor = Visitor.signed_in(house, api)
    response = visitor.submit("/jobs/recomputation", "/jobs/recomputation", AUDIT | form)
    assert response.status_code in (404, 422)
    assert message in text_of(parse(response))
    assert api.get("/v1/recomputations")["recomputations"] == []


def test_results_that_were_deleted_are_missing_in_words(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    page = imported(visitor, lines_of(rounds_to_import(1)))
    work_on(house, api, page)
    house.change(
        "UPDATE jobs SET created_at = now() - interval '101 days', started_at = now() - interval '101 days',"
        " ended_at = now() - interval '100 days' WHERE id = %s",
        page.rpartition("/")[2],
    )
    assert "deleted 90 days after its end" in text_of(visitor.show(page))
    assert visitor.get(f"{page}?format=csv").status_code == 404


def test_text_of_the_records_is_text(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    page = imported(visitor, json.dumps({"table": XSS, "hands": XSS}).encode() + b"\n")
    recomputed = started(visitor, reason=XSS)
    work_on(house, api, page)
    for path in (page, recomputed, "/jobs", "/jobs?kind=recomputation"):
        assert len(list(visitor.show(path).iter("script"))) == 1, path
    assert XSS in text_of(visitor.show(recomputed))
    again = visitor.submit("/jobs/recomputation", "/jobs/recomputation", {**AUDIT, "reason": XSS, "table": XSS})
    assert len(list(parse(again).iter("script"))) == 1


def test_jobs_of_other_clubs_are_not_found(house: House, api: Api, other_api: Api) -> None:
    theirs = imported(Visitor.signed_in(house, other_api), lines_of(rounds_to_import(1)))
    visitor = Visitor.signed_in(house, api)
    csrf = csrf_of(visitor, "/jobs/recomputation")
    for page in (theirs, f"/jobs/{uuid4()}"):
        assert visitor.get(page).status_code == 404
        assert visitor.get(f"{page}?format=csv").status_code == 404
        assert visitor.get(f"{page}/cancel").status_code == 404
        for action in ("pause", "resume", "cancel"):
            assert visitor.send(f"{page}/{action}", {"csrf": csrf}).status_code == 404
    assert other_api.get(f"/v1/imports/{theirs.rpartition('/')[2]}")["state"] == "queued"


def test_scopes_decide_what_can_be_seen_and_changed(house: House, api: Api) -> None:
    page = imported(Visitor.signed_in(house, api), lines_of(rounds_to_import(1)))
    reader = signed_in_with(house, api, "read")
    assert "Pause" not in text_of(reader.show(page))
    assert "Import a file" not in text_of(reader.show("/jobs"))
    assert reader.get("/jobs/import").status_code == 403
    sent = reader.send(f"{page}/pause", {"csrf": csrf_of(reader, page)})
    assert sent.status_code == 403
    recomputer = signed_in_with(house, api, "recompute")
    assert recomputer.get(page).status_code == 403
    assert recomputer.get("/jobs?kind=import").status_code == 403
    assert recomputer.get("/jobs").status_code == 200
    assert recomputer.get(f"{page}/cancel").status_code == 403
    assert signed_in_with(house, api, "admin").get("/jobs").status_code == 403
    assert api.get(f"/v1/imports/{page.rpartition('/')[2]}")["state"] == "queued"
