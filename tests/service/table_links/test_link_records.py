"""The stored records of links: wipes remove them, and verification finds changes."""

import pytest
from uuid_utils.compat import uuid7

from service.clubs.actions import create_club, create_key
from service.verification.verify_database import verify_database
from service.wipe import wipe_club
from tests.service.table_links.linked_table import issue, link_to, play_at, secret_of, table_of
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.import_lines import club_of


def test_a_wipe_of_a_test_club_removes_its_links(house: House) -> None:
    name = f"club {uuid7()}"
    made = create_club(house.owner, name, is_test=True)
    api = Api(house.app, create_key(house.owner, made, name="first").secret)
    played = play_at(api, "friday")
    link = link_to(house, api, played.table)
    assert link.get("/v1/link").status == 200
    wipe_club(house.owner, name)
    assert house.query("SELECT count(*) FROM table_links WHERE club_id = %s", made.id) == [(0,)]
    assert link.get("/v1/link").status == 401
    assert [page for page in verify_database(house.owner, [made.id]) if page.findings] == []


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
    house.change(f"UPDATE table_links SET {change} WHERE id = %s", issued["id"])
    findings = [finding for page in verify_database(house.owner, [club]) for finding in page.findings]
    assert [(finding.table, finding.column) for finding in findings] == [("table_links", column)]
    assert secret_of(issued) not in str(findings)
