"""
The decision of a witness: whether to cosign a checkpoint, as C2SP `tlog-witness` has it.

A witness cosigns only trees that have grown from the one that it cosigned before. So an operator that shows two people
different trees needs a witness that signs both, and an honest one does not.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, Protocol

from evidence.checkpoints import MOST_LEAVES, Checkpoint, read_hash
from evidence.cosignatures import CosigningKey, cosign_note
from evidence.errors import EvidenceError, refuse
from evidence.keys import VerifierKey
from evidence.notes import MOST_BYTES, SignedNote, read_note, verify_note
from evidence.tree import EMPTY_ROOT, verify_consistency

MOST_PROOF_LINES: Final = 63
MOST_REQUEST_BYTES: Final = MOST_BYTES + 4096
_TEXT: Final = "text/plain; charset=utf-8"
_SIZE: Final = "text/x.tlog.size"
_OLD: Final = re.compile(r"old (0|[1-9][0-9]{0,18})")
_CHECKPOINT_LINES: Final = 3


class Verdict(IntEnum):
    """The result of a submission, which is the status of the HTTP response."""

    COSIGNED = 200
    UNREADABLE = 400
    UNSIGNED = 403
    UNKNOWN_LOG = 404
    OTHER_SIZE = 409
    INCONSISTENT = 422


@dataclass(frozen=True, slots=True)
class Seen:
    """The tree of the newest checkpoint of a log that a witness has cosigned."""

    size: int = 0
    root: bytes = EMPTY_ROOT


@dataclass(frozen=True, slots=True)
class Submission:
    """
    A checkpoint that a log submits.

    Attributes:
        old_size: of the tree that the witness is expected to have seen.
        proof: that the tree has grown from that size.
        note: the signed checkpoint, whole.
        checkpoint: its first three lines; further lines are signed, and mean nothing here.
    """

    old_size: int
    proof: tuple[bytes, ...]
    note: SignedNote
    checkpoint: Checkpoint

    @property
    def written(self) -> str:
        """The submission as it is sent."""
        proof = "".join(f"{b64encode(each).decode()}\n" for each in self.proof)
        return f"old {self.old_size}\n{proof}\n{self.note.written}"


@dataclass(frozen=True, slots=True)
class Decision:
    """
    What a witness responds.

    Attributes:
        verdict: the status.
        body: the cosignature line, the size that was seen, or a sentence.
        media_type: of the body.
    """

    verdict: Verdict
    body: str
    media_type: str = _TEXT

    @property
    def is_cosigned(self) -> bool:
        """Whether the body is a cosignature."""
        return self.verdict is Verdict.COSIGNED


class WitnessStore(Protocol):
    """The trees that a witness has seen. A tree is stored before its cosignature leaves the witness."""

    def decide(self, submission: Submission, decide: Callable[[Seen], Decision]) -> Decision:
        """Call `decide` with the tree that was seen, store the outcome in the same transaction, and return it."""


def add_checkpoint(
    body: bytes,
    logs: Mapping[str, Collection[VerifierKey]],
    key: CosigningKey,
    clock: Callable[[], float],
    store: WitnessStore,
) -> Decision:
    """
    Respond to a submission.

    Args:
        body: of the request.
        logs: the public keys of each log that the witness knows, by the log's origin.
        key: of the witness.
        clock: returns the seconds since 1970. It is read while the store is locked: of two cosignatures, that of the
            larger tree has the later time.
        store: of the witness.
    """
    try:
        submission = read_submission(body)
    except EvidenceError as error:
        return Decision(Verdict.UNREADABLE, f"{error}\n")
    keys = logs.get(submission.checkpoint.origin)
    if not keys:
        return Decision(Verdict.UNKNOWN_LOG, "the witness does not know the origin of the checkpoint\n")
    try:
        verify_note(submission.note, keys)
    except EvidenceError as error:
        return Decision(Verdict.UNSIGNED, f"{error}\n")
    verified = replace(submission, note=_with_signatures_by(submission.note, keys))
    return store.decide(verified, lambda seen: judge(seen, verified, key, int(clock())))


def _with_signatures_by(note: SignedNote, keys: Collection[VerifierKey]) -> SignedNote:
    """Return a note without the signatures by other keys: anybody can have added them."""
    known = {(key.name, key.id) for key in keys}
    return SignedNote(note.text, tuple(each for each in note.signatures if (each.name, each.key_id) in known))


def judge(seen: Seen, submission: Submission, key: CosigningKey, now: int) -> Decision:
    r"""
    Decide whether a witness cosigns a checkpoint whose signature is valid.

    Without a stored tree every tree is consistent with it:

    >>> from evidence import SigningKey, sign_note
    >>> key = CosigningKey.make("witness.example/w1")
    >>> empty = Checkpoint("example.com/log", 0, EMPTY_ROOT)
    >>> note = sign_note(empty.text, [SigningKey.make("example.com/log")])
    >>> judge(Seen(), Submission(0, (), note, empty), key, now=1).verdict.name
    'COSIGNED'
    >>> judge(Seen(5, bytes(32)), Submission(0, (), note, empty), key, now=1)
    Decision(verdict=<Verdict.OTHER_SIZE: 409>, body='5\n', media_type='text/x.tlog.size')
    """
    newer = submission.checkpoint
    if submission.old_size > newer.size:
        detail = f"the old size is {submission.old_size}; expected at most {newer.size}, the size of the checkpoint\n"
        return Decision(Verdict.UNREADABLE, detail)
    if submission.old_size != seen.size:
        return Decision(Verdict.OTHER_SIZE, f"{seen.size}\n", _SIZE)
    try:
        verify_consistency(seen.size, newer.size, submission.proof, seen.root, newer.root)
    except EvidenceError as error:
        return Decision(Verdict.INCONSISTENT, f"{error}\n")
    cosigned = cosign_note(submission.note.text, key, now)
    return Decision(Verdict.COSIGNED, cosigned.lines)


def read_submission(body: bytes) -> Submission:
    """
    Parse the body of a request.

    Raises:
        EvidenceError: it is not a submission.
    """
    if len(body) > MOST_REQUEST_BYTES:
        refuse("submission-unreadable", f"the submission is too long; expected at most {MOST_REQUEST_BYTES} bytes")
    try:
        head, blank, written = body.decode().partition("\n\n")
    except UnicodeDecodeError:
        refuse("submission-unreadable", "the submission is not valid UTF-8")
    old, *lines = head.split("\n")
    match = _OLD.fullmatch(old)
    if not blank or match is None or int(match[1]) > MOST_LEAVES:
        refuse(
            "submission-unreadable",
            "the submission cannot be read; expected a line of `old` and a size, lines of a proof, an empty line, and a"
            " signed checkpoint",
        )
    if len(lines) > MOST_PROOF_LINES:
        refuse("submission-unreadable", f"the proof has {len(lines)} lines; expected at most {MOST_PROOF_LINES}")
    proof = [read_hash(line) for line in lines]
    if None in proof:
        refuse("submission-unreadable", "a line of the proof is not a hash; expected 32 bytes in base64")
    note = read_note(written)
    return Submission(int(match[1]), tuple(each for each in proof if each), note, read_tree(note))


def read_tree(note: SignedNote) -> Checkpoint:
    """
    Return the tree of a checkpoint, which may have lines after the root.

    Raises:
        EvidenceError: the text is not a checkpoint.
    """
    lines = note.text.split("\n")[:-1]
    if not all(lines):
        refuse("checkpoint-unreadable", "the text of a checkpoint has an empty line")
    return Checkpoint.read("".join(f"{line}\n" for line in lines[:_CHECKPOINT_LINES]))
