"""The key that checkpoints are signed with: one line in a file that only the service reads."""

import os
from pathlib import Path
from typing import Final

from schemas.evidence import EvidenceError, SigningKey
from service.errors import OperatorError

NAME: Final = "tablestakes"
"""What a key is called unless its maker says otherwise."""
SIGNING_KEY: Final = "signing-key"
"""The file in the data directory that holds it, unless another is named."""


def read_signing_key(file: Path) -> SigningKey:
    """
    Read the key that stands in a file now: one that was rotated is used from the next checkpoint on.

    Raises:
        OperatorError: there is none; what stands there instead is not said.
    """
    try:
        return SigningKey.read(file.read_text(encoding="utf-8").strip())
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
    return replace_signing_key(file, name)


def replace_signing_key(file: Path, name: str = NAME) -> SigningKey:
    """
    Write a new key in the place of the one before, if any, which is gone then; nobody ever reads half a key.

    Raises:
        OperatorError: it cannot be written, or nothing can be called so.
    """
    unfinished = file.with_name(f"{file.name}.unfinished")
    try:
        key = SigningKey.make(name)
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as writer:
            writer.write(key.secret + "\n")
            writer.flush()
            os.fsync(descriptor)
        unfinished.rename(file)
    except OSError as error:
        raise OperatorError(f"The signing key cannot be written to {file}: {error.strerror}.") from error
    except EvidenceError as error:
        raise OperatorError(f"{error}.") from error
    return key
