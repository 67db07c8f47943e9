"""Trust policies: what they accept, and that every other line is refused."""

import re

import pytest

from evidence import Checkpoint, EvidenceError, SigningKey, sign_note
from evidence.cosignatures import CosigningKey
from evidence.notes import SignedNote
from evidence.policy import Policy, read_policy
from tests.evidence import naive

TREE = Checkpoint("tablestakes/clubs/home", 1, naive.mth([b"a"]))
LOG = SigningKey.make("tablestakes")
WITNESSES = {name: CosigningKey.make(f"{name}.example/witness") for name in ("X1", "X2", "X3", "Y1", "Y2", "Y3")}
LINES = "".join(f"witness {name} {key.verifier.written}\n" for name, key in WITNESSES.items())
V1, V2 = (WITNESSES[name].verifier.written for name in ("X1", "X2"))
# The example of the specification.
EXAMPLE = f"""log {LOG.verifier.written}
# comment
\t # another comment

{LINES}
group X-witnesses 2 X1 X2 X3
  group\tY-witnesses any Y1 Y2 Y3
group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
"""


def cosigned(*names: str) -> SignedNote:
    return sign_note(TREE.text, [LOG, *(WITNESSES[name] for name in names)])


def is_met(policy: Policy, note: SignedNote) -> bool:
    return policy.is_met_by(policy.cosignatures(note))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("X1 X2 Y1", True),
        ("X1 X3 Y2 Y3", True),
        ("X1 X2 X3 Y1 Y2 Y3", True),
        ("X1 X2 X3", False),
        ("X1 Y1 Y2 Y3", False),
        ("", False),
    ],
)
def test_the_quorum_of_the_example_needs_two_of_three_and_one_of_three(names: str, expected: bool) -> None:
    assert is_met(read_policy(EXAMPLE.encode()), cosigned(*names.split())) is expected


def test_a_witness_that_signs_twice_counts_once() -> None:
    policy = read_policy(f"{LINES}group two 2 X1 X2\nquorum two\n".encode())
    assert not is_met(policy, cosigned("X1", "X1"))
    assert is_met(policy, cosigned("X1", "X2"))


def test_an_invalid_cosignature_counts_for_nothing_and_spoils_no_other() -> None:
    policy = read_policy(f"{LINES}group any-of any X1 X2\nquorum any-of\n".encode())
    other = sign_note("other\n", [WITNESSES["X1"]]).signatures
    assert not is_met(policy, SignedNote(TREE.text, other))
    assert is_met(policy, SignedNote(TREE.text, (*other, *cosigned("X2").signatures)))


def test_a_policy_without_witnesses_needs_none() -> None:
    assert is_met(read_policy(b"quorum none\n"), cosigned())


def test_names_are_octets_and_keywords_are_names() -> None:
    read_policy(b"witness K\xe2\x84\xaa\x80 " + V1.encode() + b" https://w1.example\nquorum K\xe2\x84\xaa\x80")
    read_policy(f"witness all {V1}\nwitness any {V2}\ngroup group 2 all any\nquorum group\n".encode())


@pytest.mark.parametrize(
    ("policy", "detail"),
    [
        ("quorum none\n\x01", "the octet 0x01"),
        ("quorum none\r\n", "the octet 0x0d"),
        ("quibble w1\nquorum none\n", "is not a keyword"),
        ("witness w1 V1 https://w1.example # comment\nquorum w1\n", "expected `witness NAME KEY"),
        ("log\nquorum none\n", "expected `log KEY"),
        ("log garbage\nquorum none\n", "not a verifier key"),
        ("log V1\nquorum none\n", "for Ed25519"),
        ("log LOG\nlog LOG https://log.example\nquorum none\n", "already in"),
        ("witness w1\nquorum w1\n", "expected `witness NAME KEY"),
        ("witness w1 LOG\nquorum w1\n", "for cosignatures"),
        ("witness none V1\nquorum none\n", "already in use"),
        ("witness w1 V1\nwitness w1 V2\nquorum w1\n", "already in use"),
        ("witness w1 V1\nwitness w2 V1\nquorum w1\n", "already in the policy"),
        ("witness w1 V1\ngroup w1 any w1\nquorum w1\n", "already in use"),
        ("witness w1 V1\ngroup g1 1\nquorum w1\n", "expected `group NAME"),
        ("witness w1 V1\ngroup none any w1\nquorum none\n", "already in use"),
        ("witness w1 V1\ngroup g1 0 w1\nquorum g1\n", "the threshold is `0`"),
        ("witness w1 V1\ngroup g1 -1 w1\nquorum g1\n", "the threshold is `-1`"),
        ("witness w1 V1\ngroup g1 2 w1\nquorum g1\n", "or 1 to 1"),
        ("witness w1 V1\ngroup g1 any w2\nquorum g1\n", "not defined"),
        ("group g1 any w1\nwitness w1 V1\nquorum g1\n", "not defined"),
        ("witness w1 V1\ngroup g1 any g1\nquorum g1\n", "not defined"),
        ("witness w1 V1\ngroup g1 any none w1\nquorum g1\n", "not defined"),
        ("witness w1 V1\ngroup g1 all w1 w1\nquorum g1\n", "is a member already"),
        ("witness w1 V1\ngroup g1 any w1\ngroup g2 any w1\nquorum g1\n", "is a member already"),
        ("witness w1 V1\n", "no quorum"),
        ("witness w1 V1\nquorum w1\nquorum w1\n", "a second quorum"),
        ("quorum w1\nwitness w1 V1\n", "not defined"),
        ("quorum\n", "expected `quorum NAME`"),
        ("quorum none extra\n", "expected `quorum NAME`"),
    ],
)
def test_an_invalid_line_is_refused(policy: str, detail: str) -> None:
    with pytest.raises(EvidenceError, match=detail):
        read_policy(_with_keys(policy).encode())


def _with_keys(policy: str) -> str:
    keys = {"LOG": LOG.verifier.written, "V1": V1, "V2": V2}
    return re.sub("LOG|V1|V2", lambda match: keys[match[0]], policy)
