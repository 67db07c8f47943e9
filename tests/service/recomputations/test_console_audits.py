"""The page of an audit shows what would change and who would pay whom, and applies exactly that."""

from typing import Any

import pytest

from schemas.money import Unit, show_decimal
from tests.service.console.test_jobs import OTHER_RULES, csrf_of, imported, started, work_on
from tests.service.console.test_signing_in import signed_in_with
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_lists import read_files
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.process_jobs import rounds_to_import
from tests.support.sample_rounds import complete_round
from tests.support.worker_process import lines_of

EUROS = {"point_value": 10, "unit": "EUR"}


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def audited(house: House, api: Api, visitor: Visitor) -> str:
    """Audit all rounds under other rules, and return the path of the page."""
    page = started(visitor, ruleset=OTHER_RULES, reason="what if")
    work_on(house, api, page)
    return page


def applied(house: House, api: Api, visitor: Visitor, page: str, **form: str) -> str:
    """Apply an audit by the button of its page, and return the path of the page of the new recomputation."""
    response = visitor.submit(page, "/apply", {"reason": "agreed", **form})
    assert response.status_code == 303, response.text
    address = response.location.removeprefix("/console")
    work_on(house, api, address)
    return address


def job_of(api: Api, page: str) -> Any:
    return api.get(f"/v1/recomputations/{page.rpartition('/')[2]}").document


def can_apply(visitor: Visitor, page: str) -> bool:
    return any(each.attrib["action"].endswith("/apply") for each in visitor.show(page).iter("form"))


def money_of(visitor: Visitor, page: str) -> list[tuple[str, str, str, str]]:
    """Return the payments in money of the file of a page."""
    rows = read_files(visitor, f"{page}?part=payments")
    return [(row["payer"], row["payee"], row["amount"], row["unit"]) for row in rows if row["unit"]]


def test_what_was_audited_is_shown_and_then_applied(house: House, api: Api, visitor: Visitor) -> None:
    round_id = complete_round(api, name="kitchen", **EUROS)
    page = started(visitor, ruleset=OTHER_RULES, reason="what if")
    assert not can_apply(visitor, page), "the audit has not ended"
    work_on(house, api, page)
    shown = text_of(visitor.show(page))
    for text in (
        "1 round at 1 table",
        "1 round would get a new revision, with other results for 2 players.",
        "What players would gain or lose",
        "Who pays whom",
        "Apply what was audited",
    ):
        assert text in shown, text
    assert "If final rounds stay as they are" not in shown
    summary = job_of(api, page)["summary"]
    expected = [
        (paid["payer"], paid["payee"], show_decimal(paid["amount"], Unit("EUR", 2)), "EUR")
        for paid in summary["payments"]["money"]
    ]
    assert money_of(visitor, page) == expected == [("ann", "cyd", "1.20", "EUR")]
    assert [(row["player"], row["points"], row["amount"]) for row in read_files(visitor, f"{page}?part=points")] == [
        ("cyd", 12, "1.20"), ("ann", -12, "-1.20"),
    ]  # as a table  # fmt: skip
    assert api.get(f"/v1/rounds/{round_id}/settlement")["revision"] == 1

    new = applied(house, api, visitor, page)
    settlement = api.get(f"/v1/rounds/{round_id}/settlement")
    assert (settlement["revision"], settlement["reason"]) == (2, "agreed")
    shown = text_of(visitor.show(new))
    for text in ("1 have a new revision, 0 were left unchanged", "What was changed", "Who pays whom", "agreed"):
        assert text in shown, text
    assert not can_apply(visitor, new)
    assert money_of(visitor, new) == expected
    assert f"/console{page}" in {each.attrib["href"] for each in visitor.show(new).iter("a")}
    again = visitor.show(page)
    assert f"/console{new}" in {each.attrib["href"] for each in again.iter("a")}
    assert "This audit was applied" in text_of(again)


def test_an_audit_without_differences_has_nothing_to_apply(house: House, api: Api, visitor: Visitor) -> None:
    complete_round(api)
    page = started(visitor)
    work_on(house, api, page)
    assert not can_apply(visitor, page)
    shown = text_of(visitor.show(page))
    assert "0 rounds at 0 tables" in shown
    assert "Who pays whom" not in shown


def test_a_round_that_changed_after_the_audit_is_listed_with_the_reason(
    house: House, api: Api, visitor: Visitor
) -> None:
    complete_round(api, name="kitchen")
    page = audited(house, api, visitor)
    applied(house, api, visitor, page)
    again = applied(house, api, visitor, page)
    shown = text_of(visitor.show(again))
    assert "0 have a new revision, 1 were left unchanged" in shown
    assert "it has revision 2, and revision 1 was audited; the round was not changed" in shown
    assert "Who pays whom" not in shown


def test_final_rounds_are_applied_with_a_scope_of_their_own(house: House, api: Api, visitor: Visitor) -> None:
    work_on(house, api, imported(visitor, lines_of(rounds_to_import(2))))
    complete_round(api, name="parlour", **EUROS)
    recomputer = signed_in_with(house, api, "recompute", "read")
    page = audited(house, api, recomputer)
    shown = text_of(recomputer.show(page))
    assert "Of these rounds, 2 have a final settlement: they are changed only if final rounds are chosen too." in shown
    assert "If final rounds stay as they are: 1 round, 2 players" in shown
    assert "this key lacks the scope correct-final" in shown
    assert "final" not in {each.attrib.get("name") for each in recomputer.show(page).iter("input")}
    forced = {"csrf": csrf_of(recomputer, page), "reason": "agreed", "final": "yes"}
    assert recomputer.send(f"{page}/apply", forced).status_code == 403
    spared = job_of(api, applied(house, api, recomputer, page))["summary"]
    assert (spared["applied"], spared["skipped"]) == (1, 2)
    whole = job_of(api, applied(house, api, visitor, page, final="yes"))
    assert (whole["final"], whole["summary"]["applied"], whole["summary"]["skipped"]) == (True, 2, 1)


def test_a_refused_apply_is_shown_again(house: House, api: Api, visitor: Visitor) -> None:
    complete_round(api)
    page = audited(house, api, visitor)
    response = visitor.submit(page, "/apply", {"reason": ""})
    assert response.status_code == 422
    assert "the reason" in text_of(parse(response))
    assert "Apply what was audited" in text_of(parse(response))
    waiting = started(visitor)
    early = visitor.send(f"{waiting}/apply", {"csrf": csrf_of(visitor, waiting), "reason": "agreed"})
    assert early.status_code == 422
    assert "The audit has not ended" in text_of(parse(early))
    an_import = imported(visitor, lines_of(rounds_to_import(1)))
    sent = visitor.send(f"{an_import}/apply", {"csrf": csrf_of(visitor, waiting), "reason": "agreed"})
    assert sent.status_code == 404
    assert [each["mode"] for each in api.get("/v1/recomputations")["recomputations"]] == ["audit", "audit"]


def test_the_form_starts_audits_only(visitor: Visitor, api: Api) -> None:
    form = {"csrf": csrf_of(visitor, "/jobs/recomputation"), "reason": "at once", "mode": "apply", "final": "yes"}
    assert visitor.send("/jobs/recomputation", form).status_code == 303
    [job] = api.get("/v1/recomputations")["recomputations"]
    assert (job["mode"], job["final"]) == ("audit", False)


def test_readers_see_what_would_change_and_cannot_apply_it(house: House, api: Api, visitor: Visitor) -> None:
    complete_round(api, name="kitchen", **EUROS)
    assert api.put("/v1/players/ann", {"display_name": "Ann Example"}).status == 201
    page = audited(house, api, visitor)
    reader = signed_in_with(house, api, "read")
    assert "Who pays whom" in text_of(reader.show(page))
    assert "Ann Example" in text_of(reader.show(page))
    assert not can_apply(reader, page)
    assert reader.send(f"{page}/apply", {"csrf": csrf_of(reader, page), "reason": "x"}).status_code == 403
    recomputer = signed_in_with(house, api, "recompute")
    shown = recomputer.show(page)
    assert "Ann Example" not in text_of(shown)
    assert not [each for each in shown.iter("a") if "/players/" in each.attrib["href"]]
    assert can_apply(recomputer, page)
