"""Submit a checkpoint to witnesses, as a log does, and collect their cosignatures."""

import re
from dataclasses import dataclass
from typing import Final

import httpx2

from client.api import Client
from client.errors import UnreadableError
from client.offline.witness.proving import prove, send_cosignature
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
    """The witnesses whose cosignatures a checkpoint has, whether they are the quorum of the policy, and what failed."""

    names: tuple[str, ...]
    is_quorum: bool
    failures: tuple[str, ...]


def collect(address: str, policy: Policy, client: Client) -> CollectedCosignatures:
    """
    Submit a checkpoint to every witness of a policy that has a URL there, and add the cosignatures to it.

    A witness that does not respond, or does not cosign, is reported; the others are asked all the same.

    Args:
        address: the checkpoint's id.
        policy: with the keys and the URLs of the witnesses.
        client: of the service.

    Raises:
        ApiError, TransportError: the service refuses, or does not respond.
        UnreadableError: the text is not a checkpoint.
    """
    try:
        note = read_note(client.get_checkpoint(address))
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
            send_cosignature(client, address, key, cosignature.signature)
    note = read_note(client.get_checkpoint(address))
    cosignatures = policy.cosignatures(note)
    names = tuple(each.key.name for each in cosignatures)
    return CollectedCosignatures(names, policy.is_met_by(cosignatures), tuple(failures))


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
