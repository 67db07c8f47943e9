"""`ofc verify` of files whose forger has the signing key: events that contradict each other, or the figures."""

import json
from typing import Any

import pytest

from schemas.verification.evidence_file import verify
from schemas.verification.report import Outcome
from tests.support.client.forged_evidence import FORGER, Change, events_of, forge
from tests.support.client.release_evidence import KEYS, Document, newest_file

_DIGEST = "7d" * 32

# --- what was signed, and contradicts itself ---


def say(kind: str, **more: Any) -> Change:
    """Change every event of a kind."""

    def change(event_kind: str, content: Document) -> None:
        if event_kind == kind:
            content |= more

    return change


def test_unchanged_events_pass_under_any_signature() -> None:
    forged = forge(newest_file(), lambda _kind, _content: None)
    assert verify(forged, [FORGER.verifier]).outcome is Outcome.PASSED
    assert verify(forged, KEYS).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        (say("hand.recorded", stacks=[1, 2, 3]), "figure-differs", "content/stacks"),
        (say("hand.recorded", id="01a1fa84-64a0-7085-97f3-8afdbd6ebc27"), "event-content", "events"),
        (say("hand.withdrawn", number=1), "event-content", "number"),
        (say("hand.withdrawn", reason=_DIGEST), "figure-differs", "settlement/reason"),
        (say("hand.withdrawn", reason=_DIGEST), "text-unknown", "texts"),
        (say("hand.withdrawn", reason="another"), "not-a-digest", "reason"),
        (say("hand.withdrawn", digest="00" * 32), "event-content", "digest"),
        (say("hand.withdrawn", departures=[2]), "event-content", "departures"),
        (say("round.corrected", hands_before=[]), "event-content", "hands_before"),
        (say("round.corrected", recorded=[]), "event-content", "recorded"),
        (say("round.opened", correction_window_minutes=10**30), "not-an-integer", "correction_window_minutes"),
        (say("round.opened", correction_window_minutes=525_601), "event-content", "correction_window_minutes"),
        (say("round.corrected", revision=7), "event-content", "revision"),
        (say("round.corrected", hands=[]), "event-content", "hands"),
        (say("round.corrected", document={"ruleset": "turbo"}), "field-missing", "seats"),
        (say("departure.recorded", seat=3), "figure-differs", "departures"),
        (say("departure.recorded", seat="three"), "not-an-integer", "seat"),
        (say("round.closed", after_hand=1), "event-impossible", "events"),
        (say("round.opened", point_value=7), "event-content", "point_value"),
        (say("round.opened", seats=[]), "list-length", "seats"),
        (say("round.opened", ruleset_digest="00" * 32), "ruleset-differs", "related"),
        (say("ruleset.added", low_middle=True), "ruleset-differs", "related"),
        (say("ruleset.added", name="other"), "ruleset-differs", "related"),
        (say("table.created", name="attic"), "figure-differs", "document/table"),
        (say("table.created", id="01a1fa84-64a0-7085-97f3-8afdbd6ebc27"), "table-missing", "related"),
    ],
)
def test_contradictory_events_or_figures_fail(change: Change, code: str, place: str) -> None:
    report = verify(forge(newest_file(), change), [FORGER.verifier])
    findings = [(each["code"], each["where"]) for each in report.document["failed"]]
    assert [where for found_code, where in findings if found_code == code and place in where], findings


@pytest.mark.parametrize(
    "kind", ["round.opened", "hand.recorded", "hand.withdrawn", "departure.recorded", "round.closed"]
)
def test_a_signed_history_with_missing_events_fails(kind: str) -> None:
    forged = forge(newest_file(), lambda _kind, _content: None, without=kind)
    assert verify(forged, [FORGER.verifier]).failed


def test_an_unknown_kind_of_event_leaves_the_file_incomplete() -> None:
    last = "round.closed"
    assert events_of(newest_file())[-1].kind == last
    forged = forge(newest_file(), lambda _kind, _content: None, kind={last: "round.blessed"})
    report = verify(forged, [FORGER.verifier])
    assert (
        f"#/events/{len(forged['events']) - 1}: this release does not know the kind 'round.blessed'" in report.unchecked
    )


# --- histories that no service records ---

DISPUTE = "01a1fa84-64a0-7085-97f3-8afdbd6ebc27"
CLAIM = {"dispute": DISPUTE, "revision": 3, "hand": 1, "seat": 1, "row": None, "by": "ann", "claim": _DIGEST}
OPENED = ("dispute.opened", CLAIM)


def step(kind: str, verb: str, version: int, **more: Any) -> tuple[str, Document]:
    content = {"dispute": DISPUTE, "version": version, "kind": verb, "by": None, "words": None, "correction": None}
    content["key_name"] = _DIGEST
    return f"dispute.{kind}", {**content, **more}


REVIEWED = step("reviewed", "under_review", 2)
REJECTED = step("resolved", "rejected", 3, words=_DIGEST)
FINAL = ("settlement.finalized", {"revision": 3, "because": "window"})


def confirm(seat: int, revision: int = 3) -> tuple[str, Document]:
    return "settlement.confirmed", {"revision": revision, "seat": seat}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ([OPENED, FINAL], "the settlement is final beside a dispute that has not ended"),
        ([OPENED, confirm(1)], "the settlement is confirmed beside a dispute that has not ended"),
        ([("dispute.opened", {**CLAIM, "dispute": None})], "`dispute` is null; expected a UUID in small letters"),
        ([("dispute.opened", {name: CLAIM[name] for name in CLAIM if name != "dispute"})], "`dispute` is required"),
        ([("dispute.opened", {**CLAIM, "by": ""})], "the dispute does not say who claims what"),
        ([("dispute.opened", {**CLAIM, "claim": ""})], "the dispute does not say who claims what"),
        ([("dispute.opened", {**CLAIM, "key_name": _DIGEST})], "the dispute does not say who claims what"),
        ([("dispute.opened", {**CLAIM, "hand": 3})], "the dispute is about hand 3; the round has 2"),
        ([("dispute.opened", {**CLAIM, "seat": 9})], "the dispute is about seat 9, in which nobody sits"),
        ([("dispute.opened", {**CLAIM, "revision": 2})], "revision 2 is not in force; expected 3"),
        ([OPENED, OPENED], f"dispute {DISPUTE} is opened a second time"),
        ([REVIEWED], f"dispute {DISPUTE} was not opened before"),
        ([step("commented", "comment", 2)], f"dispute {DISPUTE} was not opened before"),
        ([REJECTED], f"dispute {DISPUTE} was not opened before"),
        ([OPENED, step("resolved", "upheld", 2, words=_DIGEST)], "the dispute is open; expected under_review"),
        ([OPENED, REVIEWED, step("reviewed", "under_review", 3)], "the dispute is under_review; expected open"),
        (
            [OPENED, REVIEWED, REJECTED, step("resolved", "rejected", 4, words=_DIGEST)],
            f"dispute {DISPUTE} has ended before: it is rejected",
        ),
        ([OPENED, REVIEWED, step("resolved", "rejected", 3)], "the dispute is rejected without a reason"),
        (
            [OPENED, REVIEWED, step("resolved", "upheld", 3)],
            "the dispute is upheld without a correction and without a reason",
        ),
        (
            [OPENED, REVIEWED, step("resolved", "upheld", 3, correction=3)],
            "revision 3 is no correction for the dispute",
        ),
        ([OPENED, step("reviewed", "withdrawn", 2)], "the event does 'withdrawn'; expected 'under_review'"),
        ([OPENED, step("reviewed", "under_review", 3)], "the dispute has version 1, and the event 3"),
        ([confirm(9)], "nobody sits in seat 9, so nobody there can confirm the settlement"),
        ([confirm(1, revision=2)], "`revision` is 2; expected 3"),
        ([confirm(1), confirm(1)], "seat 1 confirms revision 3 a second time"),
        ([FINAL, confirm(1)], "the confirmation follows the final settlement"),
        ([FINAL, FINAL], "the settlement of revision 3 becomes final a second time"),
        ([("settlement.finalized", {"revision": 2, "because": "window"})], "`revision` is 2; expected 3"),
        ([("round.closed", {"after_hand": 2, "reason": _DIGEST})], "the closing follows the closing of the round"),
        (
            [("departure.recorded", {"seat": 1, "after_hand": 2, "reason": None})],
            "the departure follows the closing of the round",
        ),
    ],
)
def test_an_impossible_history_fails_with_its_event(more: list[tuple[str, Document]], why: str) -> None:
    forged = forge(newest_file(), lambda _kind, _content: None, more=more)
    [finding] = verify(forged, [FORGER.verifier]).failed
    number = len(forged["events"])
    assert finding.detail == f"event {number}, {more[-1][0]}: {why}"
    assert finding.path[:2] == ("events", number - 1)


def test_a_hand_after_the_closing_fails() -> None:
    hand = next(json.loads(event.content) for event in events_of(newest_file()) if event.kind == "hand.recorded")
    hand["hand"]["number"] = 3
    forged = forge(newest_file(), lambda _kind, _content: None, more=[("hand.recorded", hand)])
    [finding] = verify(forged, [FORGER.verifier]).failed
    assert finding.detail.endswith("hand.recorded: the hand follows the closing of the round")


def test_a_settlement_that_is_final_while_the_round_is_played_fails() -> None:
    forged = forge(newest_file(), lambda _kind, _content: None, without="round.closed", more=[FINAL])
    details = [finding.detail for finding in verify(forged, [FORGER.verifier]).failed]
    assert "the settlement of revision 3 is final, and hands can still be played" in details


def test_a_possible_history_is_not_refused() -> None:
    commented = step("commented", "comment", 2, words=_DIGEST)
    withdrawn = step("withdrawn", "withdrawn", 3)
    forged = forge(
        newest_file(),
        lambda _kind, _content: None,
        more=[OPENED, commented, withdrawn, confirm(1), confirm(2), confirm(3), FINAL],
    )
    report = verify(forged, [FORGER.verifier])
    assert {finding.code for finding in report.failed} == {"figure-differs"}, "the file does not show the confirmations"


# --- events that lack a field ---


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("round.opened", "ruleset_digest"),
        ("round.opened", "correction_window_minutes"),
        ("hand.recorded", "id"),
        ("hand.recorded", "stacks"),
        ("hand.withdrawn", "scorer"),
        ("round.corrected", "document"),
        ("table.created", "correction_window_minutes"),
    ],
)
def test_an_event_with_a_missing_field_fails_with_the_field(kind: str, name: str) -> None:
    def forget(event_kind: str, content: Document) -> None:
        if event_kind == kind:
            del content[name]

    report = verify(forge(newest_file(), forget), [FORGER.verifier])
    assert report.outcome is Outcome.FAILED
    missing = [finding for finding in report.failed if finding.code == "field-missing"]
    assert [finding.path[-1] for finding in missing] == [name]
    assert missing[0].detail.endswith(f"`{name}` is required")


def test_a_correction_without_its_document_fails() -> None:
    forged = forge(newest_file(), say("round.corrected", document=_DIGEST))
    assert [finding.code for finding in verify(forged, [FORGER.verifier]).failed] == ["not-an-object"]
