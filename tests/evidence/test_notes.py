"""Signed checkpoints: read by whoever reads signed notes, and no other key's signature passes."""

from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from evidence import (
    EMPTY_ROOT,
    Checkpoint,
    EvidenceError,
    SignedNote,
    SigningKey,
    VerifierKey,
    read_note,
    sign_note,
    verify_note,
)

# The key and the note that Go's golang.org/x/mod/sumdb/note, where the form comes from, tests itself with.
GO_KEY = VerifierKey.read("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
GO_SIGNATURE = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
CHECKPOINT = Checkpoint("tablestakes/clubs/home", 3, EMPTY_ROOT)
OLD, NEW = SigningKey.make("tablestakes"), SigningKey.make("tablestakes")


def encoded_in(secret: str) -> str:
    """Take what must stay secret from a key's line; it may have a plus itself."""
    return secret.split("+", 4)[4]


def test_a_note_that_another_implementation_signed_is_verified() -> None:
    note = read_note(f"{GO_TEXT}\n{GO_SIGNATURE}")
    assert note.text == GO_TEXT
    assert verify_note(note, [OLD.verifier, GO_KEY]) == [GO_KEY]
    assert note.written == f"{GO_TEXT}\n{GO_SIGNATURE}"


def test_a_checkpoint_is_read_as_it_was_signed() -> None:
    note = read_note(sign_note(CHECKPOINT.text, [OLD]).written)
    assert verify_note(note, [OLD.verifier]) == [OLD.verifier]
    assert Checkpoint.read(note.text) == CHECKPOINT


def test_a_note_may_be_signed_by_several_and_one_known_key_is_enough() -> None:
    note = sign_note(CHECKPOINT.text, [OLD, NEW])
    assert verify_note(note, [NEW.verifier]) == [NEW.verifier]
    assert verify_note(note, [NEW.verifier, OLD.verifier]) == [OLD.verifier, NEW.verifier]


def test_a_note_that_only_others_signed_proves_nothing() -> None:
    with pytest.raises(EvidenceError, match="no known key signed the note"):
        verify_note(sign_note(CHECKPOINT.text, [OLD]), [NEW.verifier])


def test_a_signature_under_a_known_name_that_is_not_its_own_spoils_the_note() -> None:
    signed = sign_note(CHECKPOINT.text, [OLD, NEW])
    other = Checkpoint("tablestakes/clubs/home", 4, EMPTY_ROOT)
    forged = SignedNote(other.text, (*sign_note(other.text, [OLD]).signatures, signed.signatures[1]))
    with pytest.raises(EvidenceError, match="is not by the key"):
        verify_note(forged, [OLD.verifier, NEW.verifier])


@given(place=st.integers(0), byte=st.characters(codec="ascii"))
def test_no_byte_of_a_signed_text_can_be_changed(place: int, byte: str) -> None:
    note = sign_note(CHECKPOINT.text, [OLD])
    place %= len(note.text)
    changed = note.text[:place] + byte + note.text[place + 1 :]
    if changed != note.text:
        with pytest.raises(EvidenceError):
            verify_note(SignedNote(changed, note.signatures), [OLD.verifier])


@pytest.mark.parametrize(
    "written",
    [
        "",
        "text\n",
        "text\n\n",
        "text\n\nno signature\n",
        "text\n\n— name AAAA\n",
        "text\n\n— name !!!!\n",
        "text\n\n— name AAAAAAB=\n",
        "text\n\n— two names AAAAAAAA\n",
        "te\txt\n\n— name AAAAAAAA\n",
        "text\n\n— name AAAAAAAA",
        f"{'x' * 100_000}\n\n— name AAAAAAAA\n",
    ],
)
def test_an_invalid_note_is_refused(written: str) -> None:
    with pytest.raises(EvidenceError):
        read_note(written)


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"origin\n03\n{b64encode(EMPTY_ROOT).decode()}\n",
        f"origin\n-3\n{b64encode(EMPTY_ROOT).decode()}\n",
        f"origin\n3\n{b64encode(EMPTY_ROOT).decode()}",
        f"origin\n3\n{b64encode(EMPTY_ROOT[1:]).decode()}\n",
        f"origin\n3\n{b64encode(EMPTY_ROOT).decode()}\n\n",
        f"origin\n3\n{b64encode(EMPTY_ROOT).decode()}\nrounds\n",
        "origin\n3\nA\n",
    ],
)
def test_an_invalid_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(EvidenceError, match="expected three lines"):
        Checkpoint.read(text)


def test_a_signing_key_is_read_from_its_line_and_signs_the_same() -> None:
    again = SigningKey.read(OLD.secret)
    assert again.verifier == OLD.verifier
    assert again.sign(b"text") == OLD.sign(b"text")


def test_a_signing_key_is_shown_by_its_public_part_only() -> None:
    assert encoded_in(OLD.secret) not in f"{OLD} {OLD!r} {[OLD]}"
    assert OLD.verifier.written in repr(OLD)


def test_a_signing_key_made_elsewhere_has_the_same_form() -> None:
    private = Ed25519PrivateKey.generate()
    verifier = VerifierKey("example.org", private.public_key().public_bytes_raw())
    encoded = b64encode(b"\x01" + private.private_bytes_raw()).decode()
    assert SigningKey.read(f"PRIVATE+KEY+example.org+{verifier.id.hex()}+{encoded}").verifier == verifier


@pytest.mark.parametrize("name", ["", "two names", "one+two", "x" * 121, "line\n"])
def test_a_key_has_a_name_that_fits_in_a_note(name: str) -> None:
    with pytest.raises(EvidenceError, match="is not a valid key name"):
        SigningKey.make(name)


def test_a_line_that_is_no_key_is_refused_and_not_repeated() -> None:
    secret = OLD.secret
    for spoilt in (secret[:-9] + "AAAAAAAA=", secret + " ", secret.replace("PRIVATE", "SECRET"), secret[:-4], ""):
        with pytest.raises(EvidenceError) as refused:
            SigningKey.read(spoilt)
        assert encoded_in(secret)[:12] not in str(refused.value)
    with pytest.raises(EvidenceError, match="do not belong together"):
        VerifierKey.read(GO_KEY.written.replace("c74f20a3", "c74f20a4"))
    with pytest.raises(EvidenceError, match="for Ed25519"):
        VerifierKey.read("name+c74f20a3+AAAA")
    with pytest.raises(EvidenceError, match="is not a valid key name"):
        VerifierKey.read(f"{'x' * 121}+c74f20a3+{GO_KEY.written.rpartition('+')[2]}")


@pytest.mark.parametrize("length", [0, 63, 65])
def test_a_signature_of_another_length_is_no_signature(length: int) -> None:
    assert OLD.verifier.has_signed(b"text", OLD.sign(b"text"))
    assert not OLD.verifier.has_signed(b"text", (OLD.sign(b"text") + b"\0")[:length])


def test_signatures_are_those_of_another_implementation() -> None:
    private = Ed25519PrivateKey.generate()
    verifier = VerifierKey("example.org", private.public_key().public_bytes_raw())
    assert verifier.has_signed(b"text", private.sign(b"text"))
    seed = b64encode(b"\x01" + private.private_bytes_raw()).decode()
    own = SigningKey.read(f"PRIVATE+KEY+example.org+{verifier.id.hex()}+{seed}")
    assert own.sign(b"text") == private.sign(b"text")
    assert not verifier.has_signed(b"another text", private.sign(b"text"))
