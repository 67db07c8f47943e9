"""Ed25519 keys that sign checkpoints, in the one-line format of C2SP signed notes."""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar, Final, Self

from evidence.errors import refuse

if TYPE_CHECKING:
    from nacl import signing

# PyNaCl is imported where it is used: the rules in a browser import this package without it.
_ED25519: Final = b"\x01"
COSIGNATURE: Final = b"\x04"
_KINDS: Final = {_ED25519: "Ed25519", COSIGNATURE: "cosignatures"}
_KEY_BYTES: Final = 32
_NAME: Final = re.compile(r"[^\s+\x00-\x1f\x7f]{1,120}")
_PUBLIC: Final = re.compile(r"(?P<name>[^\s+]+)\+(?P<id>[0-9a-f]{8})\+(?P<key>[A-Za-z0-9+/]+=*)")
_PRIVATE: Final = re.compile(rf"PRIVATE\+KEY\+{_PUBLIC.pattern}")


@dataclass(frozen=True)
class VerifierKey:
    """
    A public key, which verifies signatures of the private key.

    >>> read = VerifierKey.read("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
    >>> read.name, read.id.hex(), read.written
    ('PeterNeumann', 'c74f20a3', 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW')
    """

    kind: ClassVar[bytes] = _ED25519

    name: str
    public: bytes

    def __post_init__(self) -> None:
        _check(self.name, self.public)

    @classmethod
    def read(cls, written: str) -> Self:
        """
        Parse the line that `written` returns.

        Raises:
            EvidenceError: the line is not a public key, or has the id of another key.
        """
        name, key_id, public = _read(_PUBLIC, written, "a verifier key", cls.kind)
        key = cls(name, public)
        _check_id(key, key_id)
        return key

    @cached_property
    def id(self) -> bytes:
        """Four bytes that tell keys of the same name apart."""
        return sha256(self.name.encode() + b"\n" + self.kind + self.public).digest()[:4]

    @cached_property
    def written(self) -> str:
        """The key in one line: its name, its id and itself."""
        return f"{self.name}+{self.id.hex()}+{b64encode(self.kind + self.public).decode()}"

    def has_signed(self, text: bytes, signature: bytes) -> bool:
        """Return whether a signature of a text was made with this key."""
        from nacl import signing
        from nacl.exceptions import CryptoError

        try:
            signing.VerifyKey(self.public).verify(text, signature)
        except CryptoError:  # also of a signature that has not 64 bytes
            return False
        return True


@dataclass(frozen=True)
class SigningKey:
    """A private key. Only `secret` reveals it; its `repr` shows the public key."""

    verifies: ClassVar[type[VerifierKey]] = VerifierKey

    name: str
    _private: "signing.SigningKey"

    @classmethod
    def make(cls, name: str) -> Self:
        """
        Generate a new key.

        Raises:
            EvidenceError: the name is invalid.
        """
        from nacl import signing

        _check(name, bytes(_KEY_BYTES))
        return cls(name, signing.SigningKey.generate())

    @classmethod
    def read(cls, written: str) -> Self:
        """
        Parse the line that `secret` returns.

        Raises:
            EvidenceError: the line is not a private key; the message does not show it.
        """
        from nacl import signing

        name, key_id, seed = _read(_PRIVATE, written, "a signing key", cls.verifies.kind)
        _check(name, seed)
        key = cls(name, signing.SigningKey(seed))
        _check_id(key.verifier, key_id)
        return key

    @cached_property
    def verifier(self) -> VerifierKey:
        """The public key."""
        return self.verifies(self.name, bytes(self._private.verify_key))

    @property
    def secret(self) -> str:
        """The private key in one line, for its file only."""
        encoded = b64encode(self.verifies.kind + bytes(self._private)).decode()
        return f"PRIVATE+KEY+{self.name}+{self.verifier.id.hex()}+{encoded}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.verifier.written!r})"

    def sign(self, text: bytes) -> bytes:
        """Sign a text by RFC 8032; the same text has the same signature."""
        return self._private.sign(text).signature


def _read(shape: re.Pattern[str], written: str, what: str, kind: bytes) -> tuple[str, str, bytes]:
    match = shape.fullmatch(written)
    if match is None:
        refuse(
            "key-unreadable", f"this is not {what}; expected one line of a name, eight hexadecimal digits and the key"
        )
    try:
        encoded = b64decode(match["key"], validate=True)
    except ValueError:
        encoded = b""
    if encoded[:1] != kind or b64encode(encoded).decode() != match["key"]:
        of = _KINDS[kind]
        refuse("key-unreadable", f"this is not {what} for {of}; expected base64 of a byte of {kind[0]} and the key")
    return match["name"], match["id"], encoded[1:]


def _check(name: str, key: bytes) -> None:
    if not _NAME.fullmatch(name):
        refuse(
            "key-name-invalid",
            f"{name[:60]!r} is not a valid key name; expected up to 120 characters without space or +",
        )
    if len(key) != _KEY_BYTES:
        refuse("key-unreadable", f"the key has {len(key)} bytes; expected {_KEY_BYTES}")


def _check_id(key: VerifierKey, written: str) -> None:
    if key.id.hex() != written:
        refuse(
            "key-unreadable",
            f"the key's id is {key.id.hex()}, and the line says {written}: name, id and key do not belong together",
        )
