"""`ofc verify` of files whose texts were erased, or are not complete."""

import copy

from schemas.verification.evidence_file import verify
from schemas.verification.report import Outcome
from tests.support.client.release_evidence import KEYS, Document, newest_file


def erased_file() -> Document:
    """Return the file of a round whose reasons were erased."""
    document = copy.deepcopy(newest_file())
    assert document["texts"]
    document["texts"] = []
    for revision in document["revisions"]:
        revision["settlement"]["reason"] = None
        for ending in (*revision["document"]["departures"], *filter(None, [revision["document"]["closed"]])):
            ending["reason"] = None
    return document


def test_evidence_whose_reasons_were_erased_passes() -> None:
    report = verify(erased_file(), KEYS)
    assert (report.outcome, report.failed) == (Outcome.PASSED, [])
    [erased] = [line for line in report.verified if "erasure" in line]
    assert erased.endswith("reasons are not in the file, because of an erasure; the events have the digests")


def test_a_reason_without_its_salt_fails() -> None:
    document = {**newest_file(), "texts": newest_file()["texts"][1:]}
    report = verify(document, KEYS)
    assert {finding.code for finding in report.failed} == {"figure-differs"}
    assert {finding.path[-1] for finding in report.failed} == {"reason"}
