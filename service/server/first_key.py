from pathlib import Path

from service.audit_trail.signing import SIGNING_KEY, make_signing_key
from service.clubs.actions import create_club_with_key
from service.config import Config
from service.files import SECRET, atomic_write
from service.server.address import UpError

API_KEY = "api-key"
"""The file of the first key in the data directory."""
HOME = "home"
"""The club that the first start creates."""


def ensure_key(config: Config, directory: Path) -> Path:
    """
    Create the key of the first club in `DIR/api-key`, unless the file exists.

    If a start is interrupted between creating and writing the key, the next start creates another one.

    Raises:
        UpError: the directory cannot be written.
    """
    file = directory / API_KEY
    if file.exists():
        return file
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic_write(file, SECRET) as writer:
            writer.write(create_club_with_key(config.owner_url, HOME) + "\n")
    except OSError as error:
        raise UpError(
            f"The data directory {directory} cannot be written: {error.strerror}; choose another with --data or"
            " OFC_DATA."
        ) from error
    return file


def ensure_signing_key(config: Config, directory: Path) -> Path:
    """
    Create the signing key `DIR/signing-key` at the first start, unless another file is configured.

    Raises:
        OperatorError: the file cannot be written.
    """
    file = config.signing_key_file or directory / SIGNING_KEY
    if config.signing_key_file is None and not file.exists():
        make_signing_key(file)
    return file


def read_key(file: Path) -> str:
    """
    Read the key in a file.

    Raises:
        UpError: the file cannot be read, or contains no key.
    """
    remedy = f"move {file} away and start again to get a new one"
    try:
        key = file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise UpError(f"The key cannot be read: {error.strerror}; {remedy}.") from error
    except UnicodeDecodeError as error:
        raise UpError(f"The file {file} contains no key; {remedy}.") from error
    if not key.isprintable():
        raise UpError(f"The file {file} contains no key; {remedy}.")
    return key
