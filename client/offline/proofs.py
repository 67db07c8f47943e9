"""Whether events are those that were recorded: their chain, their places in the tree, and who signed that."""

from collections.abc import Sequence
from dataclasses import dataclass

from client.offline.findings import Finding, Report
from schemas.base import WireError
from schemas.evidence import (
    Checkpoint,
    Event,
    EvidenceError,
    SignedNote,
    VerifierKey,
    hash_event,
    read_event,
    read_note,
    verify_consistency,
    verify_inclusion,
    verify_note,
)
from schemas.evidence_files import EvidenceFile, ProvedEvent


def read_events(report: Report, given: Sequence[ProvedEvent], place: str) -> list[Event]:
    """Read the events of the file; those that are none are left out, and the report says so."""
    events = []
    for index, proved in enumerate(given):
        try:
            events.append(read_event(proved.event))
        except EvidenceError as error:
            report.fail(error.mistakes, place, index, "event")
    return events


def check_chain(report: Report, file: EvidenceFile, events: Sequence[Event]) -> None:
    """See that the events are all of one round, numbered without a gap, each naming the hash of the one before it."""
    before, wrong = b"", len(report.failed)
    for index, (event, proved) in enumerate(zip(events, file.events, strict=True)):
        expected = {
            "club": (event.club, file.club),
            "round": (event.round_id, file.round),
            "sequence": (event.sequence, index + 1),
            "previous": (event.previous.hex(), before.hex()),
        }
        for name, (found, right) in expected.items():
            if found != right:
                path = ("events", index, "event", name)
                report.failed.append(Finding("chain-broken", path, str(found), str(right)))
        before = hash_event(proved.event)
    if len(report.failed) == wrong:
        report.verified.append(f"the {len(events)} events of round {file.round} are one chain")


@dataclass(frozen=True, slots=True)
class SignedTree:
    """A checkpoint, and the note that it was read from."""

    note: SignedNote
    checkpoint: Checkpoint


def read_signed(written: str) -> SignedTree:
    """
    Read a signed checkpoint; who signed it is not checked yet.

    Raises:
        EvidenceError: it is none.
    """
    note = read_note(written)
    return SignedTree(note, Checkpoint.read(note.text))


def check_tree(report: Report, file: EvidenceFile, keys: Sequence[VerifierKey], kept: SignedTree | None) -> None:
    """See that every event is in the tree of the checkpoint, that it is signed, and that it follows one kept before."""
    if file.checkpoint is None:
        report.unchecked.append("the file has no checkpoint: nothing in it was signed yet")
        if kept is not None:
            report.unchecked.append("there is nothing to hold the kept checkpoint against")
        return
    try:
        signed = read_signed(file.checkpoint)
    except EvidenceError as error:
        report.fail(error.mistakes, "checkpoint")
        return
    if not signed.checkpoint.origin.endswith(f"/{file.club}"):
        report.failed.append(Finding("origin-differs", ("checkpoint",), signed.checkpoint.origin, f"…/{file.club}"))
    _check_inclusion(report, file, signed.checkpoint)
    _check_signature(report, file, signed, keys)
    if kept is not None:
        _check_kept(report, file, signed.checkpoint, kept, keys)


def _check_inclusion(report: Report, file: EvidenceFile, checkpoint: Checkpoint) -> None:
    proved = 0
    for place, given in (("events", file.events), ("related", file.related)):
        for index, each in enumerate(given):
            if each.position is None or each.proof is None:
                report.unchecked.append(f"/{place}/{index} had not joined the tree of the checkpoint yet")
                continue
            leaf = hash_event(each.event)
            try:
                verify_inclusion(leaf, each.position, checkpoint.size, each.proof, checkpoint.root)
                proved += 1
            except EvidenceError as error:
                report.fail(error.mistakes, place, index, "proof")
    if proved:
        report.verified.append(f"{proved} events are among the {checkpoint.size} that the checkpoint stands for")


def _check_signature(report: Report, file: EvidenceFile, signed: SignedTree, keys: Sequence[VerifierKey]) -> None:
    own = []
    for index, written in enumerate(file.keys):
        try:
            own.append(VerifierKey.read(written))
        except EvidenceError as error:
            report.fail(error.mistakes, "keys", index)
    try:
        [by, *_] = verify_note(signed.note, keys or own)
    except WireError as error:
        report.fail(error.mistakes, "checkpoint")
        return
    if keys:
        report.verified.append(f"the checkpoint is signed by the key that you gave, {by.written}")
    else:
        report.unchecked.append(
            f"the checkpoint is signed by {by.written}, which stands in the file itself;"
            " with --key KEY it is held against a key that you trust"
        )


def _check_kept(
    report: Report, file: EvidenceFile, newer: Checkpoint, kept: SignedTree, keys: Sequence[VerifierKey]
) -> None:
    older = kept.checkpoint
    if keys:
        try:
            verify_note(kept.note, keys)
        except EvidenceError as error:
            report.fail(error.mistakes, "kept")
            return
    if older.origin != newer.origin:
        report.failed.append(Finding("origin-differs", ("checkpoint",), newer.origin, older.origin))
    elif older.size == newer.size:
        if older.root != newer.root:
            report.failed.append(Finding("root-differs", ("checkpoint",), newer.root.hex(), older.root.hex()))
        else:
            report.verified.append("the checkpoint is the one that you kept")
    elif file.consistency is None or file.consistency.size != older.size:
        wanted = ""
        if older.size < newer.size:
            wanted = f"; fetch the file with --since {older.size} (over HTTP, ?since={older.size})"
        report.unchecked.append(
            f"your checkpoint is of {older.size} events, the file's of {newer.size}, and the file does not prove that"
            f" one grew into the other{wanted}"
        )
    else:
        try:
            verify_consistency(older.size, newer.size, file.consistency.proof, older.root, newer.root)
            report.verified.append(f"the checkpoint has grown from the one of {older.size} events that you kept")
        except EvidenceError as error:
            report.fail(error.mistakes, "consistency")
