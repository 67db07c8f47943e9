"""Logs of a few events that submit checkpoints to a witness, and a witness that stores what it has seen in memory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evidence import Checkpoint, SigningKey, sign_note
from evidence.witness import Decision, Seen, Submission
from tests.evidence import naive

ORIGIN = "tablestakes/clubs/0193f0c0-0000-7000-8000-000000000001"


@dataclass
class MemoryStore:
    """The newest tree of each log, and every checkpoint that was cosigned."""

    seen: dict[str, Seen] = field(default_factory=dict)
    cosigned: list[Checkpoint] = field(default_factory=list)

    def decide(self, submission: Submission, decide: Callable[[Seen], Decision]) -> Decision:
        tree = submission.checkpoint
        decision = decide(self.seen.get(tree.origin, Seen()))
        if decision.is_cosigned:
            self.seen[tree.origin] = Seen(tree.size, tree.root)
            self.cosigned.append(tree)
        return decision


def submit(leaves: Sequence[bytes], old: int, key: SigningKey, origin: str = ORIGIN) -> Submission:
    """Return what an honest log with these events submits to a witness that has seen the first of them."""
    tree = Checkpoint(origin, len(leaves), naive.mth(leaves))
    proof = naive.proof(old, leaves) if 0 < old <= len(leaves) else []
    return Submission(old, tuple(proof), sign_note(tree.text, [key]), tree)
