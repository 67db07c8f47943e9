"""The stored records of links: verification finds changes."""

import pytest

from service.verification.verify_database import verify_database
from tests.service.links.linked_table import issue, secret_of, table_of
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.recomputed_rounds import tamper
from tests.support.import_lines import club_of


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ("label = 'Ben''s phone'", "label"),
        ("kind = 'viewer'", "kind"),
        ("scopes = '{read}'", "scopes"),
        ("expires_at = expires_at + interval '1 year'", "expires_at"),
        ("revoked_at = now()", "revoked_at"),
        ("secret_sha256 = sha256('mine')", "secret_sha256"),
    ],
)
def test_verification_finds_a_changed_link(house: House, api: Api, change: str, column: str) -> None:
    issued = issue(api, table_of(api), kind="scorekeeper", label="Anna's phone")
    club = club_of(house, api)
    assert [page for page in verify_database(house.owner, [club]) if page.findings] == []
    tamper(house.owner_url, f"UPDATE links SET {change} WHERE id = %s", issued["id"])
    findings = [finding for page in verify_database(house.owner, [club]) for finding in page.findings]
    columns = {column, "label_salt"} if column == "label" else {column}
    assert {(finding.table, finding.column) for finding in findings} == {("links", each) for each in columns}
    assert secret_of(issued) not in str(findings)
