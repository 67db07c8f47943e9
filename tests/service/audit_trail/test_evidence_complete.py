"""Evidence files without the newest events, combined with proofs of other files."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from evidence import Checkpoint, Event, read_event, sign_note, write_event
from evidence.events import EventKind
from schemas.verification.evidence_file import verify
from schemas.verification.proofs import SignedTree, read_signed
from schemas.verification.report import Outcome, Report
from service.audit_trail.actions import join_events
from service.audit_trail.queries import trees
from tests.service.audit_trail.test_api_evidence import FIRST, KEY, SECOND, SWAPPED, evidence_of, sign
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.sample_rounds import HIGH, LOW, MID, Document, correct_round, hand, play, start_round
from tests.support.worker_process import rounds_to_import

CORRECTED = {"reason": "misread", "patch": [SWAPPED]}


def check(file: Mapping[str, Any], checkpoint: SignedTree | None = None) -> Report:
    return verify(file, [KEY.verifier], checkpoint)


def codes(report: Report) -> set[str]:
    assert report.outcome is Outcome.FAILED, report
    return {finding.code for finding in report.failed}


def graft(old: Document, new: Document, **more: Any) -> Document:
    """Copy the proofs of a newer file to an older one, which has fewer events and revisions."""
    proved = {each["event"]: each for part in ("events", "related") for each in new[part]}
    return {
        **old,
        **{part: [proved[each["event"]] for each in old[part]] for part in ("events", "related")},
        "checkpoint": new["checkpoint"],
        "sealed": new["sealed"],
        "keys": new["keys"],
        "consistency": new["consistency"],
        **more,
    }


def seal_of(file: Document) -> Event:
    """Read the last event of the file's checkpoint."""
    return read_event(b64decode(file["sealed"]["event"]))


def played(api: Api, house: House) -> tuple[str, Document]:
    """Play two hands of a round, and return its evidence with all events signed."""
    round_id = start_round(api, "pineapple-qq")
    play(api, round_id, FIRST, SECOND)
    sign(house, api)
    return round_id, evidence_of(api, round_id)


def corrected(api: Api, house: House) -> tuple[str, Document, Document]:
    """Correct a round, and return its evidence from before and after."""
    round_id, old = played(api, house)
    assert correct_round(api, round_id, CORRECTED).status == 201
    sign(house, api)
    return round_id, old, evidence_of(api, round_id)


def test_a_file_states_the_checkpoint_up_to_which_it_is_complete(api: Api, house: House) -> None:
    _, file = played(api, house)
    report = check(file)
    size = read_signed(file["checkpoint"]).checkpoint.size
    assert report.outcome is Outcome.PASSED
    assert report.extent == f"complete as of checkpoint {size} of {seal_of(file).at:%Y-%m-%dT%H:%M:%S.%f}Z"
    assert file["sealed"]["position"] == size - 1
    assert seal_of(file).kind == EventKind.CHECKPOINT_SEALED


def test_an_old_file_with_the_proofs_of_a_newer_one_fails(api: Api, house: House) -> None:
    _, old, new = corrected(api, house)
    assert (check(old).outcome, check(new).outcome) == (Outcome.PASSED, Outcome.PASSED)
    checkpoint = read_signed(new["checkpoint"])
    for report in (
        check(graft(old, new, newest=new["newest"])),
        check(graft(old, new, newest=new["newest"]), checkpoint),
    ):
        assert codes(report) == {"events-omitted"}
        assert report.failed[0].detail == (
            "the file's signed events end with event 3, and the round had 4 when the checkpoint was signed: later"
            " events are left out"
        )
    assert codes(check(graft(old, new, newest=old["newest"]), checkpoint)) == {"newest-event-unproved"}
    assert check(old, checkpoint).outcome is Outcome.INCOMPLETE
    assert "the file is older than your checkpoint" in check(old, checkpoint).unchecked[0]


def test_without_the_proof_later_events_are_not_excluded(api: Api, house: House) -> None:
    _, old, new = corrected(api, house)
    report = check(graft(old, new, newest=None), read_signed(new["checkpoint"]))
    assert report.outcome is Outcome.PASSED_SO_FAR
    assert report.extent is not None
    assert report.extent.startswith("complete up to event 3 of 20")
    assert report.extent.endswith("Z; later events are not excluded")
    lacking = {name: value for name, value in old.items() if name != "newest"}
    assert check(lacking).outcome is Outcome.PASSED_SO_FAR


def test_an_entry_that_names_the_old_event_is_not_in_the_new_map(api: Api, house: House) -> None:
    _, old, new = corrected(api, house)
    for proof in (old["newest"]["proof"], new["newest"]["proof"]):
        for sequence in (old["newest"]["sequence"], new["newest"]["sequence"]):
            mixed = {"sequence": sequence, "event": old["newest"]["event"], "proof": proof}
            assert codes(check(graft(old, new, newest=mixed))) == {"newest-event-unproved"}


def test_another_round_s_proof_fails(api: Api, house: House) -> None:
    _, old, new = corrected(api, house)
    other = start_round(api, "pineapple-qq", name="other")
    play(api, other, FIRST, SECOND)
    sign(house, api)
    elsewhere = evidence_of(api, other)
    assert codes(check({**elsewhere, "newest": new["newest"]})) == {"newest-event-unproved"}
    assert codes(check(graft(old, new, newest=elsewhere["newest"]))) == {"newest-event-unproved"}


def test_another_club_s_proof_and_checkpoint_fail(api: Api, house: House) -> None:
    _, old, new = corrected(api, house)
    stranger = house.new_client()
    _, elsewhere = played(stranger, house)
    assert codes(check(graft(old, new, newest=elsewhere["newest"]))) == {"newest-event-unproved"}
    moved = graft(old, new, **{name: elsewhere[name] for name in ("newest", "sealed", "checkpoint")})
    assert codes(check(moved)) >= {"origin-differs", "newest-event-unproved"}


def test_without_the_last_event_of_the_checkpoint_nothing_is_the_newest(api: Api, house: House) -> None:
    _, old, new = corrected(api, house)
    assert codes(check({**new, "sealed": None})) == {"newest-event-unproved"}
    lacking = {name: value for name, value in new.items() if name != "sealed"}
    assert codes(check(lacking)) == {"newest-event-unproved"}
    assert check({**lacking, "newest": None}).outcome is Outcome.PASSED_SO_FAR
    for other in (old["sealed"], new["events"][-1]):
        assert codes(check({**new, "sealed": other})) >= {"seal-differs", "newest-event-unproved"}


def test_an_event_that_only_looks_like_the_last_one_of_the_checkpoint_fails(api: Api, house: House) -> None:
    _, _, new = corrected(api, house)
    event = seal_of(new)
    for changes in ({"kind": "club.changed"}, {"club": UUID(int=1)}, {"content": b'{"map_root":"00"}'}):
        written = b64encode(write_event(replace(event, **changes))).decode()
        report = check({**new, "sealed": {**new["sealed"], "event": written}})
        assert "inclusion-unproved" in codes(report)


def test_an_older_checkpoint_claimed_as_newer_fails(api: Api, house: House) -> None:
    _, old, new = corrected(api, house)
    newer = read_signed(new["checkpoint"]).checkpoint
    lines = old["checkpoint"].split("\n")
    lines[1] = str(newer.size)
    assert "signature-wrong" in codes(check({**old, "checkpoint": "\n".join(lines)}))
    # Another root for the same size is another checkpoint, also with the signature of the service.
    forked = sign_note(Checkpoint(newer.origin, newer.size, bytes(32)).text, [KEY]).written
    assert "checkpoint-differs" in codes(check({**new, "checkpoint": forked}, read_signed(new["checkpoint"])))


def test_the_last_event_of_an_older_checkpoint_does_not_prove_the_newest_event_of_a_newer_one(
    api: Api, house: House
) -> None:
    """The operator would hide the correction with the map from before it."""
    round_id, old, new = corrected(api, house)
    position = old["sealed"]["position"]
    proved = evidence_of(api, round_id)["events"]
    size = read_signed(new["checkpoint"]).checkpoint.size
    response = api.get(f"/v1/checkpoints/inclusion?position={position}&size={size}")
    proof = [b64encode(bytes.fromhex(part)).decode() for part in response["proof"]]
    sealed = {"event": old["sealed"]["event"], "position": position, "proof": proof}
    assert len(proved) == len(old["events"]) + 1
    report = check(graft(old, new, newest=old["newest"], sealed=sealed))
    assert codes(report) >= {"seal-differs", "newest-event-unproved"}


def test_unsigned_events_are_reported_and_prevent_a_pass(api: Api, house: House) -> None:
    round_id, before = played(api, house)
    play(api, round_id, hand(3, 3, {1: LOW, 2: MID, 3: HIGH}))
    waiting = evidence_of(api, round_id)
    report = check(waiting)
    assert report.outcome is Outcome.PASSED_SO_FAR
    assert (report.unchecked, report.unsigned) == ([], ["#/events/3: event 4 is not signed yet"])
    assert "complete up to event 3 of " in str(report.extent)
    assert check(before).outcome is Outcome.PASSED
    sign(house, api)
    assert check(evidence_of(api, round_id)).outcome is Outcome.PASSED


def test_evidence_is_as_of_the_newest_checkpoint_while_later_events_join_and_are_mapped(api: Api, house: House) -> None:
    round_id, before = played(api, house)
    club = club_of(house, api)
    for number in range(3):
        start_round(api, "pineapple-qq", name=f"beside {number}")
        assert join_events(database_of(house), club, None) > 0
        with database_of(house).transaction(club) as transaction:
            head = trees.lock_head(transaction)
            assert trees.update_round_map(transaction, head, 1).mapped_size < head.size
            assert trees.update_round_map(transaction, head, 10_000).mapped_size == head.size
        assert evidence_of(api, round_id)["newest"] == before["newest"]
        assert check(evidence_of(api, round_id)).outcome is Outcome.PASSED
    sign(house, api)
    after = evidence_of(api, round_id)
    assert after["newest"]["proof"] != before["newest"]["proof"]
    assert check(after).outcome is Outcome.PASSED


def test_imported_rounds_are_complete_as_of_a_checkpoint(api: Api, house: House) -> None:
    club = club_of(house, api)
    import_all(house, club, lines_of(rounds_to_import(40)), is_final=True)
    sign(house, api)
    for round_ in api.get("/v1/rounds")["rounds"]:
        report = check(evidence_of(api, round_["id"]))
        assert report.outcome is Outcome.PASSED, report
