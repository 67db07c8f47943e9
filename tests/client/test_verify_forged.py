"""`ofc verify` of files whose forger has the signing key: events that contradict each other, or the figures."""

from typing import Any

import pytest

from client.offline.findings import Outcome
from client.offline.verify import verify
from tests.client.forging import FORGER, Change, events_of, forge
from tests.client.test_verify import KEYS, Document, read_kept_file

# --- what was signed, and contradicts itself ---


def say(kind: str, **more: Any) -> Change:
    """Let every event of a kind say something else."""

    def change(found: str, content: Document) -> None:
        if found == kind:
            content |= more

    return change


def test_events_that_say_what_they_said_pass_whoever_signed_them() -> None:
    forged = forge(read_kept_file(), lambda _kind, _content: None)
    assert verify(forged, [FORGER.verifier]).outcome is Outcome.PASSED
    assert verify(forged, KEYS).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        (say("hand.recorded", stacks=[1, 2, 3]), "figure-differs", "content/stacks"),
        (say("hand.recorded", id="01a1fa84-64a0-7085-97f3-8afdbd6ebc27"), "event-content", "events"),
        (say("hand.withdrawn", number=1), "event-content", "number"),
        (say("hand.withdrawn", reason="another"), "figure-differs", "settlement/reason"),
        (say("hand.withdrawn", digest="00" * 32), "event-content", "digest"),
        (say("hand.withdrawn", departures=[2]), "event-content", "departures"),
        (say("round.corrected", hands_before=[]), "event-content", "hands_before"),
        (say("round.corrected", recorded=[]), "event-content", "recorded"),
        (say("round.opened", correction_window_minutes=10**30), "event-content", "events"),
        (say("round.corrected", revision=7), "event-content", "revision"),
        (say("round.corrected", hands=[]), "event-content", "hands"),
        (say("round.corrected", document={"ruleset": "turbo"}), "field-missing", "seats"),
        (say("departure.recorded", seat=3), "figure-differs", "departures"),
        (say("departure.recorded", seat="three"), "not-an-integer", "seat"),
        (say("round.closed", after_hand=1), "closed-after-hand", "closed"),
        (say("round.opened", point_value=7), "event-content", "point_value"),
        (say("round.opened", seats=[]), "list-length", "seats"),
        (say("round.opened", ruleset_digest="00" * 32), "ruleset-differs", "related"),
        (say("ruleset.added", low_middle=True), "ruleset-differs", "related"),
        (say("ruleset.added", name="other"), "ruleset-differs", "related"),
        (say("table.created", name="attic"), "figure-differs", "document/table"),
        (say("table.created", id="01a1fa84-64a0-7085-97f3-8afdbd6ebc27"), "table-missing", "related"),
    ],
)
def test_events_that_contradict_each_other_or_the_figures_fail(change: Change, code: str, place: str) -> None:
    report = verify(forge(read_kept_file(), change), [FORGER.verifier])
    found = [(each["code"], each["where"]) for each in report.document["failed"]]
    assert [where for said, where in found if said == code and place in where], found


@pytest.mark.parametrize(
    "kind", ["round.opened", "hand.recorded", "hand.withdrawn", "departure.recorded", "round.closed"]
)
def test_a_history_without_some_of_its_events_fails_though_it_is_signed(kind: str) -> None:
    forged = forge(read_kept_file(), lambda _kind, _content: None, without=kind)
    assert verify(forged, [FORGER.verifier]).failed


def test_an_event_of_a_kind_that_a_later_release_knows_leaves_the_file_incomplete() -> None:
    last = "round.closed"
    assert events_of(read_kept_file())[-1].kind == last
    forged = forge(read_kept_file(), lambda _kind, _content: None, kind={last: "round.blessed"})
    report = verify(forged, [FORGER.verifier])
    assert f"/events/{len(forged['events']) - 1} is round.blessed, which this release does not know" in report.unchecked


# --- events from before they told everything ---


def test_what_earlier_events_did_not_tell_could_not_be_checked() -> None:
    untold = {
        "round.opened": ("ruleset_digest", "correction_window_minutes"),
        "hand.recorded": ("id", "stacks", "scorer"),
    }

    def forget(kind: str, content: Document) -> None:
        for name in untold.get(kind, ()):
            del content[name]

    report = verify(forge(read_kept_file(), forget), [FORGER.verifier])
    assert report.failed == []
    assert report.outcome is Outcome.INCOMPLETE
    assert "/revisions/0/hands/0/id is not told by the events" in report.unchecked


def test_a_correction_that_does_not_tell_its_document_leaves_the_figures_unchecked() -> None:
    def forget(kind: str, content: Document) -> None:
        if kind == "round.corrected":
            content["document"] = "7d" * 32

    report = verify(forge(read_kept_file(), forget), [FORGER.verifier])
    assert (report.failed, report.outcome) == ([], Outcome.INCOMPLETE)
    assert "the correction was recorded before its event told the document" in report.unchecked[0]
