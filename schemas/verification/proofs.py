"""Verify the hash chain of events, their Merkle proofs, signatures, and whether events are missing at the end."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from evidence import (
    Checkpoint,
    Event,
    EvidenceError,
    MapEntry,
    SignedNote,
    VerifierKey,
    hash_event,
    read_event,
    read_note,
    verify_consistency,
    verify_entry,
    verify_inclusion,
    verify_note,
)
from evidence.events import CheckpointSealed, decode_event
from evidence.files import EvidenceFile, NewestEvent, ProvedEvent
from evidence.policy import Policy
from schemas.fields import show_time
from schemas.verification.cosigners import check_policy
from schemas.verification.findings import Finding, FindingCode
from schemas.verification.report import Report


def read_events(report: Report, entries: Sequence[ProvedEvent], place: str) -> list[Event]:
    """Decode the events of the file. Invalid ones are left out and reported."""
    events = []
    for index, proved in enumerate(entries):
        try:
            events.append(read_event(proved.event))
        except EvidenceError as error:
            report.fail(error.mistakes, place, index, "event")
    return events


def check_chain(report: Report, file: EvidenceFile, events: Sequence[Event]) -> None:
    """Check that the events are of one round, numbered without gaps, and contain the hash of the previous one."""
    before, wrong = b"", len(report.failed)
    for index, (event, proved) in enumerate(zip(events, file.events, strict=True)):
        expected = {
            "club": (event.club, file.club),
            "round": (event.round_id, file.round),
            "sequence": (event.sequence, index + 1),
            "previous": (event.previous.hex(), before.hex()),
        }
        for name, (value, right) in expected.items():
            if value != right:
                path = ("events", index, "event", name)
                report.failed.append(Finding.of_difference(FindingCode.CHAIN_BROKEN, path, str(value), str(right)))
        before = hash_event(proved.event)
    if len(report.failed) == wrong:
        report.verified.append(f"{_count_events(len(events))} of round {file.round} {_form(len(events))} one chain")


def _count_events(number: int) -> str:
    return f"{number} event{'' if number == 1 else 's'}"


def _form(number: int) -> str:
    return "forms" if number == 1 else "form"


@dataclass(frozen=True, slots=True)
class SignedTree:
    """A checkpoint, and the note that it was read from."""

    note: SignedNote
    checkpoint: Checkpoint


def read_signed(written: str) -> SignedTree:
    """
    Parse a signed checkpoint. The signature is not verified here.

    Raises:
        EvidenceError: the text is not a signed checkpoint.
    """
    note = read_note(written)
    return SignedTree(note, Checkpoint.read(note.text))


def check_tree(
    report: Report,
    file: EvidenceFile,
    keys: Sequence[VerifierKey],
    retained: SignedTree | None,
    policy: Policy | None = None,
) -> None:
    """
    Check that every event is in the tree of the checkpoint, and that no later event of the round is missing.

    Check also that the checkpoint is signed, by the policy too, and that it is consistent with the retained one.
    """
    if file.checkpoint is None:
        if policy is not None:
            detail = f"the file has no checkpoint; expected one with the quorum `{policy.quorum}`"
            report.failed.append(Finding(FindingCode.QUORUM_MISSING, ("checkpoint",), detail))
        report.unchecked.append("the file has no checkpoint, so nothing in it is signed")
        if retained is not None:
            report.unchecked.append("your checkpoint cannot be compared, because the file has none")
        return
    try:
        signed = read_signed(file.checkpoint)
    except EvidenceError as error:
        report.fail(error.mistakes, "checkpoint")
        return
    if not signed.checkpoint.origin.endswith(f"/{file.club}"):
        value = f"a checkpoint of {signed.checkpoint.origin}"
        expected = f"one of club {file.club}"
        report.failed.append(Finding.of_difference(FindingCode.ORIGIN_DIFFERS, ("checkpoint",), value, expected))
    _check_inclusion(report, file, signed.checkpoint)
    check_extent(report, file, signed.checkpoint, _read_seal(report, file, signed.checkpoint))
    _check_signature(report, file, signed, keys or (policy.logs if policy else ()))
    if policy is not None:
        check_policy(report, _with_cosignatures(signed.note, retained), signed.checkpoint.origin, policy)
    if retained is not None:
        _check_retained(report, file, signed.checkpoint, retained, keys)


def _with_cosignatures(note: SignedNote, retained: SignedTree | None) -> SignedNote:
    """Return the file's note with the signatures of the retained one, if both are of one tree."""
    if retained is None or retained.note.text != note.text:
        return note
    return SignedNote(note.text, (*note.signatures, *retained.note.signatures))


def _check_inclusion(report: Report, file: EvidenceFile, checkpoint: Checkpoint) -> None:
    proved = 0
    for place, events in (("events", file.events), ("related", file.related)):
        for index, each in enumerate(events):
            if each.position is None or each.proof is None:
                if place == "related":
                    report.unchecked.append(f"#/related/{index}: the event is not signed yet")
                continue
            leaf = hash_event(each.event)
            try:
                verify_inclusion(leaf, each.position, checkpoint.size, each.proof, checkpoint.root)
                proved += 1
            except EvidenceError as error:
                report.fail(error.mistakes, place, index, "proof")
    if proved:
        report.verified.append(
            f"{_count_events(proved)} {'is' if proved == 1 else 'are'} among the {checkpoint.size} of the checkpoint"
        )


@dataclass(frozen=True, slots=True)
class _Seal:
    """The last event of a checkpoint: the root of the map of rounds, and when the checkpoint was signed."""

    map_root: bytes
    at: datetime


def _read_seal(report: Report, file: EvidenceFile, checkpoint: Checkpoint) -> _Seal | None:
    """Return the last event of the checkpoint; None if the file does not have it, or it is reported."""
    if file.sealed is None:
        return None
    last, wrong = checkpoint.size - 1, len(report.failed)
    try:
        verify_inclusion(hash_event(file.sealed.event), last, checkpoint.size, file.sealed.proof or (), checkpoint.root)
    except EvidenceError as error:
        report.fail(error.mistakes, "sealed", "proof")
    try:
        event = read_event(file.sealed.event)
        payload = decode_event(event.kind, event.content)
    except EvidenceError as error:
        report.fail(error.mistakes, "sealed", "event")
        return None
    for name, value, expected in (
        ("position", file.sealed.position, last),
        ("club", event.club, file.club),
        ("kind", event.kind, CheckpointSealed.kind.value),
    ):
        if value != expected:
            path = ("sealed", name) if name == "position" else ("sealed", "event", name)
            report.failed.append(Finding.of_difference(FindingCode.SEAL_DIFFERS, path, str(value), str(expected)))
    if len(report.failed) > wrong or not isinstance(payload, CheckpointSealed):
        return None
    return _Seal(payload.map_root, event.at)


def _check_signature(report: Report, file: EvidenceFile, signed: SignedTree, keys: Sequence[VerifierKey]) -> None:
    own = []
    for index, written in enumerate(file.keys):
        try:
            own.append(VerifierKey.read(written))
        except EvidenceError as error:
            report.fail(error.mistakes, "keys", index)
    try:
        [by, *_] = verify_note(signed.note, keys or own)
    except EvidenceError as error:
        report.fail(error.mistakes, "checkpoint")
        return
    if keys:
        report.verified.append(f"the checkpoint is signed by a key that you gave, {by.written}")
    else:
        report.unchecked.append(
            f"the checkpoint is signed by {by.written}, a key that only the file contains; give the key that you"
            " trust with --key KEY"
        )


def _check_retained(
    report: Report, file: EvidenceFile, newer: Checkpoint, retained: SignedTree, keys: Sequence[VerifierKey]
) -> None:
    older = retained.checkpoint
    if keys:
        try:
            verify_note(retained.note, keys)
        except EvidenceError as error:
            report.fail(error.mistakes, "retained")
            return
    if older.origin != newer.origin:
        value, expected = f"a checkpoint of {newer.origin}", f"one of {older.origin}, as yours is"
        report.failed.append(Finding.of_difference(FindingCode.ORIGIN_DIFFERS, ("checkpoint",), value, expected))
    elif older.size == newer.size:
        _check_same(report, newer, older)
    elif older.size > newer.size:
        report.unchecked.append(
            f"your checkpoint has {_count_events(older.size)} and the file's has {newer.size}: the file is older"
            " than your checkpoint; fetch the evidence again"
        )
    elif file.consistency is None or file.consistency.size != older.size:
        report.unchecked.append(
            f"your checkpoint has {_count_events(older.size)} and the file's has {newer.size}, and the file does"
            f" not prove that they are consistent; fetch it with --since {older.size} (over HTTP,"
            f" ?since={older.size})"
        )
    else:
        try:
            verify_consistency(older.size, newer.size, file.consistency.proof, older.root, newer.root)
            report.verified.append(f"the checkpoint is consistent with yours of {_count_events(older.size)}")
        except EvidenceError as error:
            report.fail(error.mistakes, "consistency")


def _check_same(report: Report, newer: Checkpoint, retained: Checkpoint) -> None:
    """Compare two checkpoints of the same size: a service signs one for each size."""
    if newer.root == retained.root:
        report.verified.append("the checkpoint is identical to the one that you retained")
        return
    values = f"the root {newer.root.hex()}", f"{retained.root.hex()}, as in your checkpoint of the same size"
    report.failed.append(Finding.of_difference(FindingCode.CHECKPOINT_DIFFERS, ("checkpoint",), *values))


def check_extent(report: Report, file: EvidenceFile, checkpoint: Checkpoint, seal: _Seal | None) -> None:
    """
    Check whether the last signed event of the file is the newest one of the round at the checkpoint.

    If the file does not prove that, the report says that later events are not excluded.
    """
    signed = _count_signed(report, file)
    if not signed:
        report.unchecked.append("no event of the round is signed yet")
        return
    last = file.events[signed - 1].event
    try:
        until = f"complete up to event {signed} of {show_time(read_event(last).at)}; later events are not excluded"
    except EvidenceError:
        return
    for index in range(signed, len(file.events)):
        report.unsigned.append(f"#/events/{index}: event {index + 1} is not signed yet")
    if file.newest is None:
        report.extent = until
        return
    if seal is None:
        detail = "without a valid event `checkpoint.sealed`, the file cannot prove which event is the newest"
        report.failed.append(Finding(FindingCode.NEWEST_EVENT_UNPROVED, ("newest",), detail))
        return
    if not _is_newest(report, file, file.newest, seal, MapEntry.of(file.round, signed, hash_event(last))):
        return
    if report.unsigned:
        report.extent = until
        return
    report.extent = f"complete as of checkpoint {checkpoint.size} of {show_time(seal.at)}"
    report.is_complete = True
    report.verified.append(f"event {signed} is the newest event of the round as of the checkpoint")


def _count_signed(report: Report, file: EvidenceFile) -> int:
    """Count the signed events of the round from the first one. Report an unsigned event before a signed one."""
    signed = [index for index, each in enumerate(file.events, 1) if each.position is not None]
    newest = signed[-1] if signed else 0
    for index in range(newest):
        if file.events[index].position is None:
            report.unchecked.append(f"#/events/{index}: the event is not signed, though a later one is")
    return newest


def _is_newest(report: Report, file: EvidenceFile, newest: NewestEvent, seal: _Seal, last: MapEntry) -> bool:
    """Verify the entry of the round in the map of the checkpoint, and that it is the last signed event of the file."""
    entry = MapEntry.of(file.round, newest.sequence, newest.event)
    try:
        verify_entry(entry, newest.proof, seal.map_root)
    except EvidenceError as error:
        report.fail(error.mistakes, "newest", "proof")
        return False
    if entry == last:
        return True
    if entry.sequence > last.sequence:
        detail = (
            f"the file's signed events end with event {last.sequence}, and the round had {entry.sequence} when the"
            " checkpoint was signed: later events are left out"
        )
        report.failed.append(Finding(FindingCode.EVENTS_OMITTED, ("events",), detail))
    else:
        detail = (
            f"the checkpoint's map of rounds names event {entry.sequence} with the hash {entry.event.hex()} as the"
            f" newest; the file has event {last.sequence} with the hash {last.event.hex()}"
        )
        report.failed.append(Finding(FindingCode.NEWEST_EVENT_DIFFERS, ("newest",), detail))
    return False
