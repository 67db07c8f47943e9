"""The configuration of a witness, and its key file."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from client.errors import UnreadableError
from evidence import EvidenceError, VerifierKey
from evidence.cosignatures import CosigningKey

DEFAULT_LISTEN: Final = "127.0.0.1:8090"
_EXPECTED: Final = "expected `key_file`, `database`, optionally `listen`, and [[log]] with `origin` and `keys`"
_NAMES: Final = {"key_file", "database", "listen", "log"}
_LOG_NAMES: Final = {"origin", "keys"}


@dataclass(frozen=True, slots=True)
class WitnessConfiguration:
    """
    The configuration of a witness.

    Attributes:
        key: the private key of the witness.
        database: the file of the store.
        listen: the address and the port.
        logs: the public keys of each log, by its origin.
    """

    key: CosigningKey
    database: Path
    listen: str
    logs: Mapping[str, tuple[VerifierKey, ...]]


def read_configuration(file: Path) -> WitnessConfiguration:
    """
    Read a configuration file. Relative names in it are relative to its folder.

    Raises:
        UnreadableError: the file, or the key file, is not readable or not valid.
    """
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableError(f"{file}: {(error.strerror or str(error)).lower()}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnreadableError(f"{file} is not valid TOML: {error}") from None
    unknown = read.keys() - _NAMES
    logs = read.get("log")
    texts = [read.get("key_file"), read.get("database"), read.get("listen", DEFAULT_LISTEN)]
    if unknown or not isinstance(logs, list) or not logs or not all(isinstance(text, str) and text for text in texts):
        raise UnreadableError(f"{file} is not the configuration of a witness; {_EXPECTED}")
    key_file, database, listen = texts
    return WitnessConfiguration(
        key=read_witness_key(file.parent / key_file),
        database=file.parent / database,
        listen=listen,
        logs=_read_logs(file, logs),
    )


def _read_logs(file: Path, logs: list[Any]) -> dict[str, tuple[VerifierKey, ...]]:
    read: dict[str, tuple[VerifierKey, ...]] = {}
    for number, log in enumerate(logs, 1):
        origin, keys = (log.get("origin"), log.get("keys")) if isinstance(log, Mapping) else (None, None)
        if not isinstance(origin, str) or not isinstance(keys, list) or not keys or log.keys() - _LOG_NAMES:
            raise UnreadableError(f"{file}: [[log]] number {number} is not valid; {_EXPECTED}")
        if origin in read:
            raise UnreadableError(f"{file}: the log {origin} occurs twice; expected each origin once")
        try:
            read[origin] = tuple(VerifierKey.read(str(key).strip()) for key in keys)
        except EvidenceError as error:
            raise UnreadableError(f"{file}: the log {origin}: {error}") from None
    return read


def read_witness_key(file: Path) -> CosigningKey:
    """
    Read the private key of a witness.

    Raises:
        UnreadableError: the file has no valid key; its content is not shown.
    """
    try:
        return CosigningKey.read(file.read_text(encoding="utf-8").strip())
    except OSError as error:
        raise UnreadableError(f"{file}: {(error.strerror or str(error)).lower()}") from None
    except (UnicodeDecodeError, EvidenceError):
        raise UnreadableError(f"{file} has no valid key of a witness; `ofc witness create-key` writes one") from None


def make_witness_key(file: Path, name: str) -> str:
    """
    Write a new private key to a file that does not exist, and return its public key in one line.

    Raises:
        UnreadableError: the name is invalid, or the file exists or cannot be written.
    """
    try:
        key = CosigningKey.make(name)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as writer:
            writer.write(f"{key.secret}\n")
            writer.flush()
            os.fsync(writer.fileno())
    except EvidenceError as error:
        raise UnreadableError(str(error)) from None
    except FileExistsError:
        raise UnreadableError(f"{file} already exists; expected the name of a new file") from None
    except OSError as error:
        raise UnreadableError(f"{file} cannot be written: {(error.strerror or str(error)).lower()}") from None
    return key.verifier.written
