import os
from pathlib import Path
from typing import Any

import click

from evidence import EvidenceError, SigningKey, VerifierKey
from service.audit_trail.signing import (
    NAME,
    SIGNING_KEY,
    make_signing_key,
    read_signing_key,
    record_earlier_key,
    replace_signing_key,
)
from service.commands.options import Commands, data_option, json_option
from service.commands.output import print_json, print_message
from service.config import Hosting
from service.errors import OperatorError

_name_option = click.option("--name", default=NAME, show_default=True, help="Name of the key in signatures.")


@click.group("signing-key", cls=Commands)
def signing_key() -> None:
    """
    Create, show and rotate the key that signs checkpoints.

    The key is in the file OFC_SIGNING_KEY_FILE, or in `signing-key` in the data directory. Every server that signs
    needs the same key. The output of the commands contains no secrets.

    \b
    Examples:
      ofc-server signing-key create
      ofc-server signing-key show
    """


@signing_key.command()
@_name_option
@data_option
@json_option
def create(name: str, directory: Path | None, as_json: bool) -> None:
    """
    Create a signing key; `ofc-server up` with the embedded PostgreSQL does so itself.

    \b
    Examples:
      ofc-server signing-key create
      OFC_SIGNING_KEY_FILE=/etc/ofc/signing-key ofc-server signing-key create --name example.org/ofc
    """
    file = signing_key_file(directory)
    key = make_signing_key(file, name)
    _show(key, file, as_json, f"Created the signing key in {file}.")


@signing_key.command()
@data_option
@json_option
def show(directory: Path | None, as_json: bool) -> None:
    """
    Show the public key of the file, in the format for verifiers.

    \b
    Examples:
      ofc-server signing-key show
      ofc-server signing-key show --json
    """
    file = signing_key_file(directory)
    _show(read_signing_key(file), file, as_json)


@signing_key.command()
@_name_option
@data_option
@json_option
def rotate(name: str, directory: Path | None, as_json: bool) -> None:
    """
    Replace the signing key by a new one; the file retains the public key of the old one.

    The next checkpoint is signed with the new key. Earlier checkpoints stay valid, because their public keys stay
    listed. Copy the file to every server that signs.

    \b
    Examples:
      ofc-server signing-key rotate
    """
    file = signing_key_file(directory)
    key = replace_signing_key(file, name)
    _show(key, file, as_json, f"A new signing key is in {file}.")


@signing_key.command("record")
@click.argument("public_key", metavar="PUBLIC_KEY")
@data_option
@json_option
def record(public_key: str, directory: Path | None, as_json: bool) -> None:
    """
    Record the public key of an earlier signing key whose file was lost.

    `ofc-server verify` reports every published key that is neither the current one nor recorded here. `rotate` records
    the key that it replaces; this command is for a key that can no longer be rotated.

    \b
    Examples:
      ofc-server signing-key record tablestakes+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW
    """
    file = signing_key_file(directory)
    try:
        key = VerifierKey.read(public_key.strip())
    except EvidenceError as error:
        raise OperatorError(f"PUBLIC_KEY is not a public key: {error}.") from error
    keys = record_earlier_key(file, key)
    _show(keys.current, file, as_json, f"{file} records {len(keys.earlier)} earlier public keys.")


def signing_key_file(directory: Path | None) -> Path:
    """Return the path of the key file, which may not exist."""
    named = os.environ.get("OFC_SIGNING_KEY_FILE")
    return Path(named) if named else Hosting.from_environment(directory=directory).directory / SIGNING_KEY


def configured_key_file(directory: Path | None) -> Path | None:
    """Return the path of the key file; None for an external database without OFC_SIGNING_KEY_FILE."""
    if not os.environ.get("OFC_SIGNING_KEY_FILE") and os.environ.get("OFC_DATABASE_URL"):
        return None
    return signing_key_file(directory)


def _show(key: SigningKey, file: Path, as_json: bool, *sentences: str) -> None:
    public: dict[str, Any] = {"name": key.name, "id": key.verifier.id.hex(), "verifier": key.verifier.written}
    if as_json:
        print_json({"file": str(file), **public})
        return
    for sentence in sentences:
        print_message(sentence)
    print_message(f"Public key: {key.verifier.written}")
