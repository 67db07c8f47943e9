"""A bulk scorer that has other results than the plain rules is a finding."""

from uuid import UUID

import pytest

from service.db import Database
from service.replays.findings import FindingKind
from service.verification.verify_database import verify_database
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.recomputed_rounds import settle_wrongly, tamper
from tests.support.import_lines import club_of
from tests.support.sample_rounds import complete_round


def test_rounds_whose_records_follow_by_the_plain_rules_are_named(
    house: House, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [complete_round(api, name=name) for name in ("kitchen", "parlour")]
    club = club_of(house, api)
    assert findings_of(house.owner, club) == []
    settle_wrongly(monkeypatch)
    kinds = FindingKind.SCORERS_DISAGREE, FindingKind.FIGURE_DIFFERS
    assert findings_of(house.owner, club) == [(kinds[0], ids[0]), (kinds[0], ids[1])]
    tamper(house.owner_url, "UPDATE hand_scores SET points[1] = 7 WHERE round_id = %s AND number = 2", ids[1])
    assert findings_of(house.owner, club) == [(kinds[0], ids[0]), (kinds[1], ids[1])], "what is read is right first"


def findings_of(owner: Database, club: UUID) -> list[tuple[FindingKind, str]]:
    """Return which kinds of findings the rounds of a club have."""
    pages = verify_database(owner, [club])
    named = {(finding.kind, str(finding.round_id)) for page in pages for finding in page.findings}
    return sorted([each for each in named if each[0] != FindingKind.SUM_BROKEN], key=lambda each: each[1])
