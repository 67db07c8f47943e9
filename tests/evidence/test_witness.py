"""A witness cosigns trees that grow, and never two that contradict each other."""

import json
from base64 import b64encode
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import Checkpoint, SigningKey, sign_note, verify_note
from evidence.cosignatures import CosignerKey, CosigningKey, cosign_note
from evidence.notes import SignedNote, read_note
from evidence.witness import Seen, Submission, Verdict, add_checkpoint, judge, read_submission
from tests.evidence import naive
from tests.evidence.test_tree import LEAVES
from tests.evidence.witness_logs import ORIGIN, MemoryStore, submit

LOG, OTHER = SigningKey.make("tablestakes"), SigningKey.make("tablestakes")
WITNESS = CosigningKey.make("witness.example/w1")
LOGS = {ORIGIN: [LOG.verifier]}
NOW = 1_700_000_000
VECTORS = Path(__file__).parent / "witness_vectors.json"
EVENTS = st.lists(st.binary(max_size=2), max_size=20)


def send(store: MemoryStore, submission: Submission) -> Verdict:
    return add_checkpoint(submission.written.encode(), LOGS, WITNESS, lambda: NOW, store).verdict


@given(events=EVENTS, sizes=st.lists(st.integers(0, 20), max_size=8))
def test_every_growing_tree_of_an_honest_log_is_cosigned(events: list[bytes], sizes: list[int]) -> None:
    store = MemoryStore()
    for old, new in pairwise([0, *sorted(min(size, len(events)) for size in sizes)]):
        submission = submit(events[:new], old, LOG)
        decision = add_checkpoint(submission.written.encode(), LOGS, WITNESS, lambda: NOW, store)
        assert decision.verdict is Verdict.COSIGNED
        note = read_note(submission.note.written + decision.body)
        assert verify_note(note, [WITNESS.verifier, LOG.verifier]) == [LOG.verifier, WITNESS.verifier]


@given(forks=st.lists(EVENTS, min_size=2, max_size=4), data=st.data())
def test_all_checkpoints_that_a_witness_cosigned_are_of_one_tree(forks: list[list[bytes]], data: st.DataObject) -> None:
    """A log with several histories submits any of them, at any size, with honest, other and changed proofs."""
    store, histories = MemoryStore(), {}
    for _ in range(data.draw(st.integers(1, 12))):
        fork = data.draw(st.sampled_from(forks))
        leaves = fork[: data.draw(st.integers(0, len(fork)))]
        old = data.draw(st.one_of(st.just(store.seen.get(ORIGIN, Seen()).size), st.integers(0, 20)))
        submission = submit(leaves, old, LOG)
        if data.draw(st.booleans()):
            other = data.draw(st.sampled_from(forks))
            size = min(old, len(other))
            submission = replace(submission, proof=tuple(naive.proof(size, other)) if size else (bytes(32),))
        if send(store, submission) is Verdict.COSIGNED:
            histories[naive.mth(leaves)] = leaves
    cosigned = [histories[tree.root] for tree in store.cosigned]
    assert all(newer[: len(older)] == older for older, newer in pairwise(cosigned))


@given(events=st.lists(st.binary(max_size=2), min_size=2, max_size=20), data=st.data())
def test_a_tree_that_shrinks_or_was_rewritten_is_never_cosigned(events: list[bytes], data: st.DataObject) -> None:
    store = MemoryStore()
    assert send(store, submit(events, 0, LOG)) is Verdict.COSIGNED
    shrunk = submit(events[: data.draw(st.integers(0, len(events) - 1))], 0, LOG)
    assert send(store, shrunk) is Verdict.OTHER_SIZE
    assert send(store, replace(shrunk, old_size=len(events))) is Verdict.UNREADABLE
    changed = data.draw(st.integers(0, len(events) - 1))
    rewritten = [*events[:changed], events[changed] + b"!", *events[changed + 1 :]]
    assert send(store, submit(rewritten, len(events), LOG)) is Verdict.INCONSISTENT
    assert send(store, submit([*rewritten, b"next"], len(events), LOG)) is Verdict.INCONSISTENT
    assert store.seen[ORIGIN] == Seen(len(events), naive.mth(events))


@given(events=st.lists(st.binary(max_size=2), min_size=3, max_size=20), data=st.data())
def test_a_changed_proof_is_never_accepted(events: list[bytes], data: st.DataObject) -> None:
    store, old = MemoryStore(), data.draw(st.integers(1, len(events) - 1))
    assert send(store, submit(events[:old], 0, LOG)) is Verdict.COSIGNED
    submission = submit(events, old, LOG)
    index = data.draw(st.integers(0, len(submission.proof) - 1))
    proofs = [
        submission.proof[:index],
        (*submission.proof, bytes(32)),
        (*submission.proof[:index], bytes(32), *submission.proof[index + 1 :]),
    ]
    for proof in proofs:
        assert send(store, replace(submission, proof=proof)) is Verdict.INCONSISTENT
    assert send(store, submission) is Verdict.COSIGNED
    assert send(store, submission) is Verdict.OTHER_SIZE


def test_the_same_tree_is_cosigned_again_with_a_new_time() -> None:
    store = MemoryStore()
    assert send(store, submit([b"a"], 0, LOG)) is Verdict.COSIGNED
    assert send(store, submit([b"a"], 1, LOG)) is Verdict.COSIGNED


def test_a_checkpoint_of_another_key_or_another_origin_changes_nothing() -> None:
    store = MemoryStore()
    assert send(store, submit([b"a"], 0, OTHER)) is Verdict.UNSIGNED
    assert send(store, submit([b"a"], 0, LOG, "tablestakes/clubs/other")) is Verdict.UNKNOWN_LOG
    forged = submit([b"a"], 0, LOG)
    bad = replace(forged.note.signatures[0], signature=bytes(64))
    note = SignedNote(forged.note.text, (*forged.note.signatures, bad))
    assert send(store, replace(forged, note=note)) is Verdict.UNSIGNED
    assert store == MemoryStore()


def test_the_conflict_names_the_size_that_the_witness_has_seen() -> None:
    decision = judge(Seen(7, bytes(32)), submit([b"a"], 0, LOG), WITNESS, NOW)
    assert (decision.verdict, decision.body, decision.media_type) == (409, "7\n", "text/x.tlog.size")


def test_an_empty_tree_has_the_root_of_the_empty_tree() -> None:
    store = MemoryStore()
    wrong = Checkpoint(ORIGIN, 0, bytes(32))
    assert send(store, Submission(0, (), sign_note(wrong.text, [LOG]), wrong)) is Verdict.INCONSISTENT
    assert send(store, submit([], 0, LOG)) is Verdict.COSIGNED


def test_lines_after_the_root_are_signed_too() -> None:
    tree = Checkpoint(ORIGIN, 1, naive.mth([b"a"]))
    note = sign_note(f"{tree.text}further line\n", [LOG])
    decision = add_checkpoint(f"old 0\n\n{note.written}".encode(), LOGS, WITNESS, lambda: NOW, MemoryStore())
    assert verify_note(read_note(note.written + decision.body), [WITNESS.verifier]) == [WITNESS.verifier]


HASH = b64encode(bytes(32)).decode()
NOTE = submit([b"a"], 0, LOG).note.written
EMPTY_LINE = sign_note(f"{ORIGIN}\n1\n\n{HASH}\n", [LOG]).written
TOO_LARGE = sign_note(f"{ORIGIN}\n9223372036854775808\n{HASH}\n", [LOG]).written


@pytest.mark.parametrize(
    "body",
    [
        "",
        "old 0\n\n",
        "NOTE",
        "old 00\n\nNOTE",
        "old -1\n\nNOTE",
        "old 1e3\n\nNOTE",
        "old  0\n\nNOTE",
        "Old 0\n\nNOTE",
        "old 0\r\n\r\nNOTE",
        "old 9223372036854775808\n\nNOTE",
        "old 0\nAAAA\n\nNOTE",
        "old 0\n HASH\n\nNOTE",
        "old 0\nHASH=\n\nNOTE",
        "old 0\n" + 64 * "HASH\n" + "\nNOTE",
        "old 0\n\nNOTE\udcff",
        "old 0\n\nNOTEno signature\n",
        "old 0\n\nEMPTY_LINE",
        "old 0\n\nTOO_LARGE",
        "old 0\n\nLONG",
    ],
)
def test_a_request_that_is_not_a_submission_is_refused(body: str) -> None:
    texts = {"NOTE": NOTE, "HASH": HASH, "EMPTY_LINE": EMPTY_LINE, "TOO_LARGE": TOO_LARGE, "LONG": 200_000 * "x"}
    for name, text in texts.items():
        body = body.replace(name, text)
    request = body.encode(errors="surrogateescape")
    assert add_checkpoint(request, LOGS, WITNESS, lambda: NOW, MemoryStore()).verdict is Verdict.UNREADABLE


def test_63_lines_of_a_proof_are_read() -> None:
    proof = 63 * f"{HASH}\n"
    assert len(read_submission(f"old 1\n{proof}\n{NOTE}".encode()).proof) == 63


def test_the_responses_are_those_of_the_published_vectors() -> None:
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    key = CosigningKey.read(vectors["witness"])
    log = SigningKey.read(vectors["log"])
    logs = {vectors["origin"]: [log.verifier]}
    store = MemoryStore()
    for each in vectors["exchanges"]:
        decision = add_checkpoint(each["request"].encode(), logs, key, iter([each["now"]]).__next__, store)
        assert [decision.verdict, decision.media_type, decision.body] == [
            each["status"],
            each["content_type"],
            each["response"],
        ]


def make_vectors() -> str:
    """
    Return the vectors: run `python -m tests.evidence.test_witness > tests/evidence/witness_vectors.json`.

    The leaves are those of `test_tree.py`; the keys were drawn once.
    """
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    key, log = CosigningKey.read(vectors["witness"]), SigningKey.read(vectors["log"])
    store, exchanges = MemoryStore(), []
    forked = submit([*LEAVES[:5], b"other", *LEAVES[6:]], 6, log)
    sent = [
        submit(LEAVES[:0], 0, log),
        submit(LEAVES[:3], 0, log),
        submit(LEAVES[:6], 2, log),
        submit(LEAVES[:6], 3, log),
        submit(LEAVES[:6], 6, log),
        submit(LEAVES[:6], 7, log),
        forked,
        submit(LEAVES, 6, log, "tablestakes/clubs/unknown"),
        submit(LEAVES, 6, SigningKey.make(log.name)),
        submit(LEAVES, 6, log),
    ]
    for now, submission in enumerate(sent, NOW):
        decision = add_checkpoint(
            submission.written.encode(), {ORIGIN: [log.verifier]}, key, iter([now]).__next__, store
        )
        exchanges.append(
            {
                "now": now,
                "request": submission.written,
                "status": decision.verdict.value,
                "content_type": decision.media_type,
                "response": decision.body,
            }
        )
    document = {"origin": ORIGIN, "log": log.secret, "witness": key.secret, "exchanges": exchanges}
    return json.dumps(document, indent=2, ensure_ascii=False)


def test_a_cosignature_is_bound_to_its_text_time_and_key() -> None:
    note = cosign_note("one\n", WITNESS, NOW)
    [signed] = note.signatures
    late = replace(signed, signature=(NOW + 1).to_bytes(8, "big") + signed.signature[8:])
    for changed in (SignedNote("two\n", note.signatures), SignedNote("one\n", (late,))):
        assert not WITNESS.verifier.has_signed(changed.text.encode(), changed.signatures[0].signature)
    assert not CosignerKey(WITNESS.name, OTHER.verifier.public).has_signed(b"one\n", signed.signature)
    assert not WITNESS.verifier.has_signed(b"one\n", WITNESS.cosign(b"one\n", 0))
    assert not LOG.verifier.has_signed(b"one\n", signed.signature)


if __name__ == "__main__":
    print(make_vectors())
