"""Verify the proof of one event from its file alone: what a player retains of a hand."""

from collections.abc import Sequence

from evidence import Event, EvidenceError, VerifierKey, read_event, verify_note
from evidence.events import HandRecorded, decode_event
from evidence.files import EvidenceFile
from evidence.hands import decode_hand
from evidence.log_proof import LogProof, read_log_proof
from evidence.notes import read_note
from evidence.policy import Policy
from schemas.fields import show_time
from schemas.verification.cosigners import check_policy
from schemas.verification.findings import Finding, FindingCode
from schemas.verification.report import Report


def verify_log_proof(written: str, keys: Sequence[VerifierKey] = (), policy: Policy | None = None) -> Report:
    """
    Verify the proof of an event: that it is in the tree of the checkpoint, and who has signed that.

    Args:
        written: the file.
        keys: the service's public keys from another source.
        policy: the logs and witnesses that must have signed.
    """
    report = Report()
    try:
        proof = read_log_proof(written)
        tree = proof.checkpoint
        proof.verify_inclusion()
        event = read_event(proof.extra)
        number = _hand_number(event)
    except EvidenceError as error:
        report.fail(error.mistakes)
        return report
    if not tree.origin.endswith(f"/{event.club}"):
        value, expected = f"a checkpoint of {tree.origin}", f"one of club {event.club}"
        report.failed.append(Finding.of_difference(FindingCode.ORIGIN_DIFFERS, ("checkpoint",), value, expected))
    what = f"event {proof.index + 1} of the {tree.size} of the checkpoint is {event.kind} of {show_time(event.at)}"
    of_hand = "" if number is None else f", hand {number} of round {event.round_id}"
    report.verified.append(f"{what}{of_hand}")
    if policy is not None:
        check_policy(report, proof.note, tree.origin, policy)
    if keys:
        try:
            [by, *_] = verify_note(proof.note, keys)
            report.verified.append(f"the checkpoint is signed by a key that you gave, {by.written}")
        except EvidenceError as error:
            report.fail(error.mistakes, "checkpoint")
    elif policy is None or not policy.logs:
        report.unchecked.append(
            "nobody has said which key the club signs with; give the key that you trust with --key KEY"
        )
    report.extent, report.is_complete = f"signed as of checkpoint {tree.size}", True
    return report


def find_hand_proof(file: EvidenceFile, number: int) -> LogProof | None:
    """
    Return the proof of the newest event that recorded a hand; None if there is none, or it is not signed yet.

    The signatures are all those of the file's checkpoint.
    """
    if file.checkpoint is None:
        return None
    for each in reversed(file.events):
        if _hand_number(read_event(each.event)) == number:
            is_signed = each.position is not None and each.proof is not None
            return (
                LogProof(each.event, each.position or 0, each.proof or (), read_note(file.checkpoint))
                if is_signed
                else None
            )
    return None


def _hand_number(event: Event) -> int | None:
    """Return the number of the hand that an event recorded; None for another event."""
    payload = decode_event(event.kind, event.content)
    return decode_hand(payload.hand)[0].number if isinstance(payload, HandRecorded) else None
