"""
The key that checkpoints are signed with, in a file that only the service reads.

The first line of the file is the private key. Each further line is the public key of an earlier one, the newest first:
they are how `ofc-server verify` tells the service's own published keys from somebody else's.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evidence import EvidenceError, SigningKey, VerifierKey
from service.errors import OperatorError
from service.files import SECRET, atomic_write

NAME: Final = "tablestakes"
"""What a key is called unless its maker says otherwise."""
SIGNING_KEY: Final = "signing-key"
"""The file in the data directory that holds it, unless another is named."""


@dataclass(frozen=True, slots=True)
class SigningKeys:
    """The key that signs now, and the public keys of the earlier ones, the newest first."""

    current: SigningKey
    earlier: tuple[VerifierKey, ...] = ()

    @property
    def verifiers(self) -> tuple[VerifierKey, ...]:
        """Every public key, the newest first."""
        return (self.current.verifier, *self.earlier)


def read_signing_key(file: Path) -> SigningKey:
    """
    Read the key that stands in a file now: one that was rotated is used from the next checkpoint on.

    Raises:
        OperatorError: there is none; what stands there instead is not said.
    """
    return read_signing_keys(file).current


def read_signing_keys(file: Path) -> SigningKeys:
    """
    Read the key that stands in a file now, and the public keys of the earlier ones.

    Raises:
        OperatorError: a line is none; what stands there instead is not said.
    """
    try:
        first, *others = file.read_text(encoding="utf-8").strip().split("\n")
        earlier = [VerifierKey.read(line.strip()) for line in others if line.strip()]
        return SigningKeys(SigningKey.read(first.strip()), tuple(earlier))
    except OSError as error:
        raise OperatorError(f"The signing key in {file} cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, EvidenceError):
        remedy = "`ofc-server signing-key rotate` puts a new one there"
        raise OperatorError(f"The file {file} holds no signing key; {remedy}.") from None


def make_signing_key(file: Path, name: str = NAME) -> SigningKey:
    """
    Write a new key where none is yet.

    Raises:
        OperatorError: a file is there, or none can be written.
    """
    if file.exists():
        raise OperatorError(f"{file} is there already; `ofc-server signing-key rotate` puts a new key in its place.")
    return _write(file, SigningKeys(_make(name))).current


def replace_signing_key(file: Path, name: str = NAME) -> SigningKey:
    """
    Write a new key in the place of the one before, if any, of which the file retains the public key.

    Raises:
        OperatorError: it cannot be written, or nothing can be called so.
    """
    try:
        earlier = read_signing_keys(file).verifiers
    except OperatorError:
        # The file holds no key, or is not there: no public key of it can be recorded.
        earlier = ()
    return _write(file, SigningKeys(_make(name), earlier)).current


def record_earlier_key(file: Path, key: VerifierKey) -> SigningKeys:
    """
    Record the public key of an earlier key whose file was lost; one that is recorded already is recorded once.

    Raises:
        OperatorError: the file holds no key, or cannot be written.
    """
    keys = read_signing_keys(file)
    if key in keys.verifiers:
        return keys
    return _write(file, SigningKeys(keys.current, (*keys.earlier, key)))


def _make(name: str) -> SigningKey:
    try:
        return SigningKey.make(name)
    except EvidenceError as error:
        raise OperatorError(f"{error}.") from error


def _write(file: Path, keys: SigningKeys) -> SigningKeys:
    """Write keys into a file that only its owner reads; nobody ever reads half of it."""
    lines = (keys.current.secret, *(key.written for key in keys.earlier))
    try:
        with atomic_write(file, SECRET) as writer:
            writer.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise OperatorError(f"The signing key cannot be written to {file}: {error.strerror}.") from error
    return keys
