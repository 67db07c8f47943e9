"""Validates a club's rounds in every way: audit, `ofc-server verify`, evidence and offline replay."""

from client.offline.score import play_round
from schemas.verification.evidence_file import verify
from service.audit_trail.actions import make_checkpoint
from service.verification.verify_database import verify_database
from tests.support.api_client import Api
from tests.support.application import SIGNING_KEY, House
from tests.support.database.recomputed_rounds import named, recompute
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import Document

RESULTS = ("transfers", "stacks", "net", "standings", "irregular")


def check_everywhere(house: House, api: Api) -> None:
    """Check that all rounds of a club agree in their records, events, evidence and documents."""
    club = club_of(house, api)
    with database_of(house).transaction(club) as transaction:
        assert named(recompute(transaction)) == []
        make_checkpoint(transaction, SIGNING_KEY)
    findings = [finding for page in verify_database(house.owner, [club]) for finding in page.findings]
    assert findings == []
    for each in api.get("/v1/rounds?limit=100")["rounds"]:
        evidence = api.get(f"/v1/rounds/{each['id']}/evidence").document
        assert verify(evidence).failed == []
        for revision in evidence["revisions"]:
            played = play_round(revision["document"])
            assert results(played["settlement"]) == results(revision["settlement"])


def results(settlement: Document) -> Document:
    return {part: settlement[part] for part in RESULTS}
