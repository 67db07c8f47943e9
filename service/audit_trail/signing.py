"""
The signing key of checkpoints, in a file that only the service reads.

The first line of the file is the private key. Each further line is the public key of an earlier one, newest first, by
which `ofc-server verify` recognizes the service's own published keys.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evidence import EvidenceError, SigningKey, VerifierKey
from service.errors import OperatorError
from service.files import SECRET, atomic_write

NAME: Final = "tablestakes"
"""The default name of a key."""
SIGNING_KEY: Final = "signing-key"
"""The default file of the key, in the data directory."""


@dataclass(frozen=True, slots=True)
class SigningKeys:
    """The current signing key, and the public keys of the earlier ones, newest first."""

    current: SigningKey
    earlier: tuple[VerifierKey, ...] = ()

    @property
    def verifiers(self) -> tuple[VerifierKey, ...]:
        """All public keys, newest first."""
        return (self.current.verifier, *self.earlier)


def read_signing_key(file: Path) -> SigningKey:
    """
    Read the current key from a file. A rotated key is used from the next checkpoint on.

    Raises:
        OperatorError: the file has no valid key; its content is not shown.
    """
    return read_signing_keys(file).current


def read_signing_keys(file: Path) -> SigningKeys:
    """
    Read the current key and the public keys of the earlier ones from a file.

    Raises:
        OperatorError: a line is not a valid key; its content is not shown.
    """
    try:
        first, *others = file.read_text(encoding="utf-8").strip().split("\n")
        earlier = [VerifierKey.read(line.strip()) for line in others if line.strip()]
        return SigningKeys(SigningKey.read(first.strip()), tuple(earlier))
    except OSError as error:
        raise OperatorError(f"The signing key in {file} cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, EvidenceError):
        remedy = "to replace it with a new key, run `ofc-server signing-key rotate`"
        raise OperatorError(f"The file {file} has no valid signing key; {remedy}.") from None


def make_signing_key(file: Path, name: str = NAME) -> SigningKey:
    """
    Write a new key to a file that does not exist.

    Raises:
        OperatorError: the file exists, or cannot be written.
    """
    if file.exists():
        raise OperatorError(f"The file {file} already exists; to replace its key, run `ofc-server signing-key rotate`.")
    return _write(file, SigningKeys(_make(name))).current


def replace_signing_key(file: Path, name: str = NAME) -> SigningKey:
    """
    Replace the key in a file by a new one, and keep the public key of the old one in the file.

    Raises:
        OperatorError: the file cannot be written, or the name is invalid.
    """
    try:
        earlier = read_signing_keys(file).verifiers
    except OperatorError:
        # The file has no valid key or does not exist: there is no public key to keep.
        earlier = ()
    return _write(file, SigningKeys(_make(name), earlier)).current


def record_earlier_key(file: Path, key: VerifierKey) -> SigningKeys:
    """
    Add the public key of an earlier key whose file was lost, unless the file has it.

    Raises:
        OperatorError: the file has no valid key, or cannot be written.
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
    """Write keys to a file that only its owner can read, atomically."""
    lines = (keys.current.secret, *(key.written for key in keys.earlier))
    try:
        with atomic_write(file, SECRET) as writer:
            writer.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise OperatorError(f"The signing key cannot be written to {file}: {error.strerror}.") from error
    return keys
