"""Submit a checkpoint to witnesses, as a log does, and collect their cosignatures."""

import re
from dataclasses import dataclass
from typing import Final

import httpx2

from client.api import Client
from client.errors import UnreadableError
from client.offline.witness.proving import prove
from evidence import EvidenceError, SignedNote, read_note
from evidence.cosignatures import cosignatures_of
from evidence.notes import Signature, read_signatures
from evidence.policy import Policy
from evidence.witness import Submission, Verdict, read_tree

_ATTEMPTS: Final = 3
_SECONDS: Final = 10
_MOST_BYTES: Final = 65_536
_LONGEST_SHOWN: Final = 200
_SIZE: Final = re.compile(r"(0|[1-9][0-9]{0,18})\n")


@dataclass(frozen=True, slots=True)
class CollectedCosignatures:
    """A checkpoint with the cosignatures of witnesses, whether they are the quorum of the policy, and what failed."""

    note: str
    names: tuple[str, ...]
    is_quorum: bool
    failures: tuple[str, ...]


def collect(written: str, policy: Policy, client: Client) -> CollectedCosignatures:
    """
    Submit a checkpoint to every witness of a policy that has a URL there.

    A witness that does not respond, or does not cosign, is reported; the others are asked all the same.

    Raises:
        UnreadableError: the text is not a checkpoint.
    """
    try:
        note = read_note(written)
        submit = _Submitter(note, read_tree(note).size, client)
    except EvidenceError as error:
        raise UnreadableError(f"the checkpoint cannot be read: {error}") from None
    failures: list[str] = []
    for name, url in policy.urls.items():
        key = policy.witnesses[name]
        try:
            cosigned = SignedNote(note.text, submit.to(url))
            [cosignature] = cosignatures_of(cosigned, frozenset([key]))
        except (EvidenceError, _NotCosignedError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            failures.append(f"{key.name} at {url}: {str(error)[:_LONGEST_SHOWN]}")
        except ValueError:
            failures.append(f"{key.name} at {url}: the response has no valid cosignature with the key of the policy")
        else:
            note = SignedNote(note.text, (*note.signatures, cosignature.signature))
    cosignatures = policy.cosignatures(note)
    names = tuple(each.key.name for each in cosignatures)
    return CollectedCosignatures(note.written, names, policy.is_met_by(cosignatures), tuple(failures))


class _NotCosignedError(Exception):
    """The witness did not cosign."""


@dataclass(frozen=True, slots=True)
class _Submitter:
    """Sends one checkpoint to several witnesses, each with the proof from the size that it has seen."""

    note: SignedNote
    size: int
    client: Client

    def to(self, url: str) -> tuple[Signature, ...]:
        """Return the signature lines of the response."""
        old = self.size
        for _ in range(_ATTEMPTS):
            proof = prove(self.client, old, self.size)
            submission = Submission(old, proof, self.note, read_tree(self.note))
            status, body = _post(f"{url.rstrip('/')}/add-checkpoint", submission.written.encode())
            if status == Verdict.COSIGNED:
                return read_signatures(body)
            if status != Verdict.OTHER_SIZE or not _SIZE.fullmatch(body):
                raise _NotCosignedError(f"status {status}: {body.strip()}")
            old = int(body)
            if old > self.size:
                raise _NotCosignedError(f"it has seen {old} events, more than the {self.size} of the checkpoint")
        raise _NotCosignedError("other checkpoints are submitted to it at the same time")


def _post(url: str, body: bytes) -> tuple[int, str]:
    with httpx2.stream("POST", url, content=body, timeout=_SECONDS, headers={"Content-Type": "text/plain"}) as response:
        read = b""
        for part in response.iter_bytes():
            read += part
            if len(read) > _MOST_BYTES:
                raise _NotCosignedError(f"the response is longer than {_MOST_BYTES} bytes")
        return response.status_code, read.decode(errors="replace")
