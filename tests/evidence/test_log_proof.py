"""Files with the proof of one event: written as C2SP `tlog-proof` has it, read again, and no change passes."""

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import Checkpoint, EvidenceError, SigningKey, sign_note
from evidence.log_proof import LogProof, read_log_proof
from tests.evidence import naive

KEY = SigningKey.make("tablestakes")
HASH = b64encode(bytes(32)).decode()


def prove(events: list[bytes], index: int) -> LogProof:
    tree = Checkpoint("tablestakes/clubs/home", len(events), naive.mth(events))
    return LogProof(events[index], index, tuple(naive.path(index, events)), sign_note(tree.text, [KEY]))


@given(events=st.lists(st.binary(max_size=3), min_size=1, max_size=20), data=st.data())
def test_a_proof_is_read_as_it_was_written_and_proves_its_event_only(events: list[bytes], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(events) - 1))
    proof = read_log_proof(prove(events, index).written)
    assert proof == prove(events, index)
    proof.verify_inclusion()
    other = LogProof(proof.extra + b"!", proof.index, proof.proof, proof.note)
    with pytest.raises(EvidenceError):
        read_log_proof(other.written).verify_inclusion()


def test_the_form_is_that_of_the_specification() -> None:
    note = prove([b"a"], 0).note.written
    assert prove([b"a"], 0).written == f"c2sp.org/tlog-proof@v1\nextra YQ==\nindex 0\n\n{note}"
    assert read_log_proof(f"c2sp.org/tlog-proof@v1\nindex 5\n{HASH}\n\n{note}").proof == (bytes(32),)


@pytest.mark.parametrize(
    "head",
    [
        "wrong-header\nindex 0\n",
        "c2sp.org/tlog-proof@v1\nextra !!notbase64!!\nindex 0\n",
        "c2sp.org/tlog-proof@v1\n",
        "c2sp.org/tlog-proof@v1\nindex notanumber\n",
        "c2sp.org/tlog-proof@v1\nindex -5\n",
        "c2sp.org/tlog-proof@v1\nindex 05\n",
        "c2sp.org/tlog-proof@v1\nindex 0 \n",
        "c2sp.org/tlog-proof@v1\nindex 0\n!!notbase64!!\n",
        f"c2sp.org/tlog-proof@v1\nindex 0\n{b64encode(bytes(64)).decode()}\n",
    ],
)
def test_another_form_is_refused(head: str) -> None:
    with pytest.raises(EvidenceError):
        read_log_proof(f"{head}\n{prove([b'a'], 0).note.written}")
