"""Cosign the checkpoints of a service that the witness fetches itself: for machines that cannot be reached."""

import time
from dataclasses import dataclass

from client.api import Client
from client.errors import UnreadableError
from client.offline.witness.configuration import WitnessConfiguration
from client.offline.witness.proving import prove, send_cosignature
from client.offline.witness.store import SqliteStore
from evidence import Checkpoint, EvidenceError, SignedNote, read_note
from evidence.notes import read_signatures
from evidence.witness import Decision, Seen, Submission, add_checkpoint, read_tree


@dataclass(frozen=True, slots=True)
class WatchedCheckpoint:
    """A checkpoint that the service returned, and what the witness decided."""

    note: SignedNote
    tree: Checkpoint
    decision: Decision


def watch_once(client: Client, configuration: WitnessConfiguration, store: SqliteStore) -> WatchedCheckpoint | None:
    """
    Cosign the newest checkpoint of a club, add the cosignature to it, and return the decision.

    Returns:
        None if there is no checkpoint, or the newest one has the cosignature.

    Raises:
        ApiError, TransportError: the service refuses, or does not respond.
        UnreadableError: the service did not return a checkpoint.
    """
    record = next(client.list_checkpoints(limit=1), None)
    if record is None:
        return None
    try:
        note = read_note(client.get_checkpoint(record["id"]))
        tree = read_tree(note)
        seen = store.seen(tree.origin)
        own = configuration.key.verifier
        if seen == Seen(tree.size, tree.root) and own.written in {each["witness"] for each in record["cosignatures"]}:
            return None
        proof = prove(client, seen.size, tree.size)
    except EvidenceError as error:
        raise UnreadableError(f"the service did not return a checkpoint or a proof: {error}") from None
    submission = Submission(seen.size, proof, note, tree)
    decision = add_checkpoint(submission.written.encode(), configuration.logs, configuration.key, time.time, store)
    if decision.is_cosigned:
        [line] = read_signatures(decision.body)
        send_cosignature(client, record["id"], own, line)
    return WatchedCheckpoint(note, tree, decision)
