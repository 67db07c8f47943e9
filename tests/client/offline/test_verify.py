"""`ofc verify`: the evidence of a round checked with no service anywhere, and whatever was changed in it found."""

import re
import shlex
import subprocess
import sys
import unicodedata
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import SigningKey, read_note, sign_note
from evidence.files import decode_file
from schemas.fields import show_time
from schemas.verification.evidence_file import verify
from schemas.verification.proofs import check_tree
from schemas.verification.report import Outcome, Report
from tests.evidence.releases import RELEASES
from tests.support.client.forged_evidence import events_of
from tests.support.client.release_evidence import (
    KEYS,
    LEAVES,
    NEWEST,
    OLDER,
    Document,
    changed_at,
    file_of,
    newest_file,
    other,
)
from tests.support.client.run_ofc import clean_environment, ofc, read_example, write
from tests.support.server_process import Running

PASSED = re.compile(
    r"PASSED: every check passed, and the events are complete as of checkpoint \d+ of 20\d\d-\d\d-\d\dT[0-9:.]+Z\.\n?$"
)
PAGE = Path(__file__).parents[3] / "docs" / "evidence.md"
_WITHOUT_NETWORK = """
import os, sys

def refuse(event, _):
    if event.startswith("socket."):
        os._exit(99)

sys.addaudithook(refuse)
from client.cli import main
main()
"""
"""Runs `ofc` so that whatever looks for a network ends it."""


# --- what is as it was recorded ---


@pytest.mark.smoke
@pytest.mark.parametrize("release", RELEASES)
def test_the_evidence_of_every_release_passes_with_its_key(release: str) -> None:
    result = ofc("verify", file_of(release, "json"), "--key", file_of(release, "key"))
    assert (result.code, result.err) == (0, ""), result.out
    assert PASSED.search(result.text)
    assert "Failed" not in result.out
    assert "Could not be checked" not in result.out


@pytest.mark.parametrize("release", RELEASES)
def test_the_evidence_is_consistent_with_an_earlier_retained_checkpoint(release: str) -> None:
    result = ofc(
        "verify",
        file_of(release, "json"),
        "--key",
        file_of(release, "key"),
        "--checkpoint",
        file_of(release, "checkpoint"),
    )
    assert result.code == 0, result.out
    assert re.search(r"The checkpoint is consistent with yours of \d+ events\.", result.out)


def test_verification_sends_no_request() -> None:
    run = subprocess.run(
        [sys.executable, "-c", _WITHOUT_NETWORK, "verify", file_of(NEWEST, "json"), "--key", file_of(NEWEST, "key")],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert PASSED.search(run.stdout)


def test_the_json_output_is_a_report() -> None:
    document = ofc("verify", file_of(NEWEST, "json"), "--key", file_of(NEWEST, "key"), "--json").document
    assert document["outcome"] == "passed"
    assert (document["failed"], document["unchecked"]) == ([], [])


def test_the_page_shows_the_actual_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PAGE.parents[1])
    shown = re.findall(r"```console\n\$ (.*?)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for command, lines in shown:
        _ofc, *arguments = shlex.split(command)
        result = ofc(*arguments)
        pattern = re.escape(lines).replace(re.escape("…\n"), "(.*\n)*").replace("…", ".*")
        assert re.fullmatch(pattern, result.out), result.out
    assert len(shown) == 2


def test_a_checkpoint_larger_than_the_current_tree_is_reported(
    reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    posted = ofc("post", write(tmp_path, {**read_example("turbo"), "table": table}), **reached)
    result = ofc("round", "evidence", table, "--since", "999999", **reached)
    assert (posted.code, result.code, result.document["consistency"]) == (0, 0, None)
    assert result.err == (
        "The evidence proves nothing about a checkpoint of 999999 events: fewer events are signed now, or none.\n"
    )


def test_the_evidence_of_a_round_is_downloaded_and_verified_with_the_key_of_the_service(
    service: Running, reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    document = {**read_example("turbo"), "table": table}
    assert ofc("post", write(tmp_path, document), **reached).code == 0
    assert ofc("checkpoint", "make", **reached).code == 0
    evidence = ofc("round", "evidence", table, "--since", "0", **reached)
    assert evidence.code == 0, evidence
    result = ofc("verify", write(tmp_path, evidence.out, "evidence.json"), "--key", key_of(service, tmp_path))
    assert result.code == 0, result
    assert ofc("verify", "-", text=evidence.out).code == 4


def key_of(service: Running, directory: Path) -> Path:
    """Read the service's public key from where its operator has it."""
    signing = SigningKey.read((service.directory / "signing-key").read_text(encoding="utf-8").strip())
    return write(directory, signing.verifier.written, "club.key")


# --- what is complete up to an event only ---


def test_without_the_proof_of_the_newest_event_the_verdict_states_its_range(tmp_path: Path) -> None:
    cut = write(tmp_path, {**newest_file(), "newest": None})
    result = ofc("verify", cut, "--key", file_of(NEWEST, "key"))
    last = events_of(newest_file())[-1]
    assert result.code == 5
    assert result.text.splitlines()[-1] == (
        f"PASSED SO FAR: every check passed, but the events are only complete up to event {last.sequence} of"
        f" {show_time(last.at)}; later events are not excluded."
    )
    document = ofc("verify", cut, "--key", file_of(NEWEST, "key"), "--json").document
    assert document["outcome"] == "passed-so-far"
    assert document["extent"].endswith("; later events are not excluded")
    assert ofc("verify", cut).code == 4, "without a key that somebody trusts, nothing is complete"


# --- what could not be checked ---


def test_the_key_in_the_file_is_not_trusted() -> None:
    result = ofc("verify", file_of(NEWEST, "json"))
    assert result.code == 4
    assert "a key that only the file contains; give the key that you trust with --key KEY" in result.out
    assert result.text.endswith("INCOMPLETE: no check failed, but not everything could be checked.")


def test_an_event_outside_the_tree_is_reported_as_unchecked() -> None:
    last = len(newest_file()["events"]) - 1
    waiting = {**newest_file()["events"][last], "position": None, "proof": None}
    report = verify(changed_at(("events", last), waiting), KEYS)
    # The map of rounds shows that the event was there when the checkpoint was signed.
    assert [finding.code for finding in report.failed] == ["events-omitted"]
    without = {**changed_at(("events", last), waiting), "newest": None}
    report = verify(without, KEYS)
    assert (report.outcome, report.unchecked) == (Outcome.PASSED_SO_FAR, [])
    assert report.unsigned == [f"#/events/{last}: event {last + 1} is not signed yet"]


def test_a_file_without_a_checkpoint_is_not_signed() -> None:
    report = verify(changed_at(("checkpoint",), None), KEYS, OLDER)
    assert report.outcome is Outcome.INCOMPLETE
    assert len(report.unchecked) == 2


def test_without_a_consistency_proof_a_retained_checkpoint_is_unchecked() -> None:
    report = verify(changed_at(("consistency",), None), KEYS, OLDER)
    assert report.outcome is Outcome.INCOMPLETE
    assert f"?since={OLDER.checkpoint.size}" in report.unchecked[0]


def test_unknown_fields_of_a_later_release_are_reported_as_unchecked() -> None:
    settlement = {**newest_file()["revisions"][0]["settlement"], "mood": "good"}
    report = verify(changed_at(("revisions", 0, "settlement"), settlement), KEYS)
    assert report.outcome is Outcome.INCOMPLETE
    assert report.unchecked == ["#/revisions/0/settlement/mood: this release does not know the field"]


@pytest.mark.parametrize(("digits", "outcome"), [(2, Outcome.PASSED), (0, Outcome.FAILED), (None, Outcome.FAILED)])
def test_the_digits_of_the_unit_are_compared_where_the_settlement_has_them(
    digits: int | None, outcome: Outcome
) -> None:
    money = {**newest_file()["revisions"][0]["settlement"]["money"], "unit_digits": digits}
    report = verify(changed_at(("revisions", 0, "settlement", "money"), money), KEYS)
    assert report.outcome is outcome
    wrong = [] if outcome is Outcome.PASSED else ["#/revisions/0/settlement/money/unit_digits"]
    assert [each["where"] for each in report.document["failed"]] == wrong


# --- what is not as it was recorded ---


def test_a_changed_figure_is_reported_with_the_expected_value(tmp_path: Path) -> None:
    right = newest_file()["revisions"][0]["settlement"]["stacks"]["1"]
    changed = changed_at(("revisions", 0, "settlement", "stacks", "1"), right + 1)
    result = ofc("verify", write(tmp_path, changed), "--key", file_of(NEWEST, "key"))
    assert result.code == 1
    sentence = f"ann's stack after the round is {right + 1}; the cards say {right}."
    line = f"  {sentence} The file was changed after it was issued.  figure-differs #/revisions/0/settlement/stacks/1"
    assert line in result.text.splitlines()
    assert result.text.endswith("FAILED: the file differs from what was recorded, or events are missing in it.")


@pytest.mark.no_cover
def test_any_changed_value_fails() -> None:
    reports = {path: verify(changed_at(path, other(value)), KEYS, OLDER) for path, value in LEAVES}
    # A consistency proof from another size proves nothing about the given checkpoint.
    assert reports.pop(("consistency", "size")).outcome is Outcome.INCOMPLETE
    assert [path for path, report in reports.items() if report.outcome is not Outcome.FAILED] == []


@given(st.sampled_from([leaf for leaf in LEAVES if leaf[0] != ("consistency", "size")]), st.integers(0, 100_000))
def test_any_changed_character_of_a_text_fails(leaf: tuple[tuple[str | int, ...], Any], place: int) -> None:
    path, value = leaf
    assert verify(changed_at(path, other(value, place)), KEYS, OLDER).outcome is Outcome.FAILED


def test_any_changed_character_of_a_signed_text_fails() -> None:
    note = newest_file()["checkpoint"]
    changed = [changed_at(("checkpoint",), other(note, place)) for place in range(len(note))]
    assert {verify(document, KEYS, OLDER).outcome for document in changed} == {Outcome.FAILED}


@pytest.mark.parametrize("part", ["events", "related"])
def test_any_changed_bit_of_an_event_fails_its_proof(part: str) -> None:
    proved = [
        (part, index, place)
        for index, each in enumerate(newest_file()[part])
        for place in range(len(b64decode(each["event"])))
        if not _is_unproved(part, index, place)
    ]
    assert proved == []


def _is_unproved(part: str, index: int, place: int) -> bool:
    written = bytearray(b64decode(newest_file()[part][index]["event"]))
    written[place] ^= 1 << place % 8
    event = b64encode(written).decode()
    alone = {"events": [{**newest_file()[part][index], "event": event}], "related": [], "revisions": []}
    report = Report()
    check_tree(report, load_one({**newest_file(), **alone}), KEYS, None)
    return report.outcome is Outcome.FAILED


def load_one(document: Document) -> Any:
    """Read a file of one event and one revision, whatever that is."""
    return decode_file({**document, "revisions": [{"revision": 1, "document": {}, "settlement": {}, "hands": []}]})


@pytest.mark.parametrize("part", ["events", "related", "revisions", "rulesets"])
def test_any_missing_or_duplicate_item_does_not_pass(part: str) -> None:
    items = newest_file()[part]
    for index in range(len(items)):
        assert verify({**newest_file(), part: items[:index] + items[index + 1 :]}, KEYS).failed
    if part != "related":
        assert verify({**newest_file(), part: [*items, items[-1]]}, KEYS).failed


@pytest.mark.parametrize("part", ["document", "settlement"])
def test_any_missing_field_fails(part: str) -> None:
    section = newest_file()["revisions"][0][part]
    for name in section:
        fewer = {key: value for key, value in section.items() if key != name}
        assert verify(changed_at(("revisions", 0, part), fewer), KEYS).failed


def test_two_exchanged_events_fail() -> None:
    events = newest_file()["events"]
    swapped = [*events[:1], events[2], events[1], *events[3:]]
    assert {finding.code for finding in verify({**newest_file(), "events": swapped}, KEYS).failed} >= {"chain-broken"}


def test_another_key_of_the_same_name_is_not_the_signer() -> None:
    stranger = SigningKey.make(KEYS[0].name)
    assert verify(newest_file(), [stranger.verifier]).failed[0].code == "signature-unknown"
    forged = sign_note(read_note(newest_file()["checkpoint"]).text, [stranger])
    document = {**newest_file(), "checkpoint": forged.written, "keys": [stranger.verifier.written]}
    assert verify(document).outcome is Outcome.INCOMPLETE
    assert verify(document, KEYS).outcome is Outcome.FAILED


def test_a_rebuilt_tree_differs_from_a_retained_checkpoint() -> None:
    checkpoint = OLDER.checkpoint
    other_root = type(checkpoint)(checkpoint.origin, checkpoint.size, bytes(32))
    lazy_commands = type(OLDER)(OLDER.note, other_root)
    assert verify(newest_file(), KEYS, lazy_commands).failed[0].code == "consistency-unproved"


# --- every sentence can be read ---

_BROKEN = re.compile(r"\b(is|are) (right\b|is\b|are\b)|right is right|None|\bcontent cannot be read \(")


def sentences(report: Report) -> list[str]:
    return [*report.verified, *report.unchecked, *report.unsigned, *(finding.detail for finding in report.failed)]


def test_every_finding_is_a_sentence_whatever_value_is_changed() -> None:
    lines = {
        line for path, value in LEAVES[::40] for line in sentences(verify(changed_at(path, other(value)), KEYS, OLDER))
    }
    assert len(lines) > 20
    assert [line for line in lines if _BROKEN.search(line)] == []
    assert [line for line in lines if line != line.strip() or line.endswith((".", ";", ":"))] == []


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (("format",), "other/1", "#/format: `format` is 'other/1'; expected one of tablestakes-evidence/1"),
        (("club",), "home", "#/club: `club` is 'home'; expected a UUID"),
        (("events",), [], "#/events: `events` has 0 items; expected at least 1"),
        (("events", 0, "position"), "x", "#/events/0/position: `position` is 'x'; expected an integer"),
        (("revisions", 0, "revision"), 2, "#/revisions/0/revision: the file has 2; expected 1"),
        (
            ("keys",),
            ["x"],
            "#/keys/0: this is not a verifier key; expected one line of a name, eight hexadecimal digits",
        ),
        (("checkpoint",), "x", "#/checkpoint: a signed note cannot be read; expected a text, an empty line"),
    ],
)
def test_common_findings_are_complete_sentences(path: tuple[str | int, ...], value: object, line: str) -> None:
    findings = [
        f"{each['where']}: {each['detail']}" for each in verify(changed_at(path, value), KEYS).document["failed"]
    ]
    assert [each for each in findings if each.startswith(line)], findings


# --- what cannot be read ---


def test_an_invalid_evidence_file_is_reported(tmp_path: Path) -> None:
    result = ofc("verify", write(tmp_path, {"hands": []}))
    assert result.code == 1
    assert "The file: format is required" in result.out
    assert "field-missing #/format" in result.out
    assert ofc("verify", write(tmp_path, "no JSON")).code == 2
    assert ofc("verify", tmp_path / "nowhere.json").code == 2


def test_an_invalid_key_or_checkpoint_is_reported(tmp_path: Path) -> None:
    result = ofc("verify", file_of(NEWEST, "json"), "--key", "tablestakes")
    assert (result.code, "--key: this is not a verifier key" in result.err) == (2, True)
    result = ofc("verify", file_of(NEWEST, "json"), "--checkpoint", write(tmp_path, "no note"))
    assert (result.code, "a signed note cannot be read" in result.err) == (2, True)


CONTROLS = "\x1b[2J\u202e\u200b\u0085\u2028"
"""A text that clears a terminal, turns what follows around, and hides."""
TEXTS = {
    tuple(step for step in path if isinstance(step, str)): path for path, value in LEAVES if isinstance(value, str)
}
"""A text of each field."""


@pytest.mark.parametrize("shown", [[], ["--json"]], ids=["text", "json"])
def test_no_control_character_of_a_file_is_printed(tmp_path: Path, shown: list[str]) -> None:
    changed = [changed_at(path, CONTROLS) for path in TEXTS.values()]
    for document in (*changed, {**newest_file(), CONTROLS: CONTROLS}):
        result = ofc("verify", write(tmp_path, document), "--key", file_of(NEWEST, "key"), *shown)
        assert result.code in (1, 4)
        assert {each for each in result.text if unicodedata.category(each)[0] in "CZ"} <= {" ", "\n"}
