"""The evidence of a round: the file is that of the API, and the checks are those of `ofc verify`."""

import json

import pytest

from schemas.verification.evidence_file import verify
from schemas.verification.report import split_place
from service.audit_trail.actions import make_checkpoint
from tests.service.console.test_round_replay import rows_of, section
from tests.support.api_client import Api
from tests.support.application import SIGNING_KEY, House
from tests.support.browser.console_visitor import Visitor, is_attachment, parse, text_of
from tests.support.database.recomputed_rounds import tamper
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import complete_round, settlement_of


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def sign(house: House, api: Api) -> None:
    with database_of(house).transaction(club_of(house, api)) as transaction:
        make_checkpoint(transaction, SIGNING_KEY)


def test_the_file_is_the_evidence_of_the_api(visitor: Visitor, api: Api) -> None:
    round_id = complete_round(api)
    response = visitor.get(f"/rounds/{round_id}/evidence")
    assert is_attachment(response, f"evidence-{round_id}", "json")
    assert json.loads(response.text) == api.get(f"/v1/rounds/{round_id}/evidence").document


def test_every_check_is_shown_with_its_result(visitor: Visitor, house: House, api: Api) -> None:
    round_id = complete_round(api)
    sign(house, api)
    report = verify(api.get(f"/v1/rounds/{round_id}/evidence").document)
    page = visitor.show(f"/rounds/{round_id}/verification")
    rows = rows_of(section(page, "result"))
    assert len(report.verified) >= 5
    assert [text for result, text in rows if result == "Passed"] == [split_place(line)[1] for line in report.verified]
    assert [text for result, text in rows if result == "Not checked"] == [
        split_place(line)[1] for line in report.unchecked
    ]
    assert "Verified here: incomplete" in text_of(page)


def test_with_a_key_from_elsewhere_everything_is_checked(visitor: Visitor, house: House, api: Api) -> None:
    round_id = complete_round(api)
    sign(house, api)
    [key] = json.loads(visitor.get(f"/rounds/{round_id}/evidence").text)["keys"]
    page = visitor.get(f"/rounds/{round_id}/verification", query_string={"key": key})
    assert "Verified here: passed" in text_of(parse(page))
    assert "no later event of the round is missing" in text_of(parse(page))


def test_an_invalid_key_is_explained(visitor: Visitor, api: Api) -> None:
    response = visitor.get(f"/rounds/{complete_round(api)}/verification?key=abc")
    assert response.status_code in (400, 422)
    assert "key" in text_of(parse(response))


def test_a_changed_record_fails(visitor: Visitor, house: House, api: Api) -> None:
    round_id = complete_round(api)
    tamper(
        house.owner_url,
        "UPDATE round_heads SET stacks = stacks[:1] || stacks[2] + 1 || stacks[3] - 1 WHERE round_id = %s",
        round_id,
    )
    page = visitor.show(f"/rounds/{round_id}/verification")
    failed = [text for result, text in rows_of(section(page, "result")) if result == "Failed"]
    assert "Verified here: failed" in text_of(page)
    stack = settlement_of(api, round_id)["stacks"]["2"]
    assert (
        f"bob's stack after the round is {stack}; the cards say {stack - 1}. The file was changed after it was issued."
        " figure-differs #/revisions/0/settlement/stacks/2"
    ) in failed
