"""`ofc verify` gives a verdict on every file, whoever wrote it."""

import json
from collections import Counter
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest

from client.errors import UnreadableError
from client.files import parse_object
from client.render.console import PlainConsole
from client.render.reports import show_report
from evidence import EvidenceError
from schemas.verification.evidence_file import verify
from schemas.verification.proofs import read_signed
from schemas.verification.report import Outcome
from tests.support.client.forged_evidence import Document, forge
from tests.support.client.hostile_evidence import hostile_file, hostile_note
from tests.support.client.release_evidence import KEYS, OLDER, changed_at, newest_file
from tests.support.client.run_ofc import ofc, write

NOTE = newest_file()["checkpoint"]
DEEP = "[" * 900 + "]" * 900


def nested(name: str) -> Document:
    """Return the file with a value of 900 lists in one another in its first revision."""
    return changed_at(("revisions", 0, name), json.loads(DEEP))


def with_players(players: object) -> Document:
    """Return the file with other players in its hands, signed by somebody else."""
    return forge(
        newest_file(),
        lambda kind, content: kind == "hand.recorded" and content["hand"].update(players=players),
    )


HOSTILE = {
    "a settlement is null": (changed_at(("revisions", 0, "settlement"), None), "#/revisions/0/settlement"),
    "money is a text": (changed_at(("revisions", 0, "settlement"), "money"), "#/revisions/0/settlement"),
    "a document is nested": (nested("document"), "#/revisions/0/document"),
    "a hand is a number": (changed_at(("revisions", 0, "hands", 0), 7), "#/revisions/0/hands/0"),
    "a ruleset is a text": (changed_at(("rulesets", 0), "pineapple"), "#/rulesets/0"),
    "the newest event is before the first": (changed_at(("newest", "sequence"), -1), "#/newest/sequence"),
    "the newest event has no number": (changed_at(("newest", "sequence"), 0), "#/newest/sequence"),
    "the newest event has a number of 70 bits": (changed_at(("newest", "sequence"), 2**70), "#/newest/sequence"),
    "the checkpoint has a fourth line": (
        changed_at(("checkpoint",), NOTE.replace("\n\n", "\ntime 2026-11-20T21:05:00.250000Z\n\n")),
        "#/checkpoint",
    ),
    "the last event of the checkpoint has another place": (changed_at(("sealed", "position"), 2**70), "#/sealed"),
    "the last event of the checkpoint has no place": (
        changed_at(("sealed",), {**newest_file()["sealed"], "position": None, "proof": None}),
        "#/sealed",
    ),
    "a player is null": (with_players([None]), "#/events/1"),
    "a player is a text": (with_players(["ann"]), "#/events/1"),
    "players are an object": (with_players({"get": 1}), "#/events/1"),
    "streets are texts": (with_players([{"seat": 1, "streets": ["x"]}]), "#/events/1"),
    "the events are of the last year": (
        forge(newest_file(), lambda *_: None, at=datetime(9999, 12, 31, 23, 59, tzinfo=UTC)),
        "#/events/0/event",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_fails_with_the_place_of_what_is_wrong(name: str, tmp_path: Path) -> None:
    document, place = HOSTILE[name]
    result = ofc("verify", write(tmp_path, document), "--json")
    assert result.code == 1, result.err
    assert any(each["where"].startswith(place) for each in result.document["failed"]), result.document["failed"]
    shown = ofc("verify", write(tmp_path, document))
    assert (shown.code, shown.err) == (1, "")


@pytest.mark.parametrize("text", ["null", "[]", "3", '"x"', "{", "[" * 100_000, '{"a": ' + "9" * 5000 + "}", "\x00"])
def test_a_text_that_is_no_object_is_not_readable(text: str, tmp_path: Path) -> None:
    result = ofc("verify", write(tmp_path, text, "evidence.json"))
    assert (result.code, result.out) == (2, "")


@pytest.mark.parametrize("changes", [400, pytest.param(20_000, marks=pytest.mark.verify)])
def test_a_file_with_random_changes_gets_a_verdict(changes: int) -> None:
    verdicts: Counter[str] = Counter()
    for seed in range(changes):
        text = hostile_file(seed)
        try:
            document = parse_object(text, "evidence.json")
        except UnreadableError:
            verdicts["not readable"] += 1
            continue
        report = verify(document, KEYS if seed % 2 else (), OLDER if seed % 3 == 0 else None)
        verdicts[report.outcome] += 1
        json.dumps(report.document).encode()
        show_report(PlainConsole(file=StringIO()), report.document)
        assert report.outcome is not Outcome.PASSED or document["revisions"] == newest_file()["revisions"], seed
    assert verdicts[Outcome.FAILED] > changes / 2, verdicts


@pytest.mark.parametrize("changes", [400, pytest.param(20_000, marks=pytest.mark.verify)])
def test_a_retained_checkpoint_with_random_changes_is_read_or_refused(changes: int) -> None:
    for seed in range(changes):
        try:
            read_signed(hostile_note(seed))
        except EvidenceError:
            continue
