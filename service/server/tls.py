"""The certificate of `ofc-server up`, checked before anything is started."""

import ssl
from pathlib import Path

from service.server.address import UpError


def check_certificate(certificate: Path, key: Path) -> None:
    """
    Check that the web server can use a certificate and its private key.

    Raises:
        UpError: a file cannot be read, is not PEM or is encrypted, or the key is that of another certificate.
    """
    _check_file("--tls-cert", certificate, "CERTIFICATE", "a certificate")
    _check_file("--tls-key", key, "PRIVATE KEY", "a private key")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=_refuse_password)
    except _EncryptedError:
        raise UpError(
            f"The private key {key} of --tls-key is encrypted; expected one without a passphrase, for example of"
            f" `openssl pkey -in {key.name} -out plain.key`."
        ) from None
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise UpError(
                f"The private key {key} does not belong to the certificate {certificate}; expected the key with which"
                " the certificate was requested."
            ) from None
        raise UpError(
            f"The certificate {certificate} and the key {key} cannot be used ({error.reason or error}); expected PEM"
            " files of a certificate and its private key."
        ) from None


class _EncryptedError(Exception):
    """The private key is encrypted."""


def _refuse_password() -> str:
    raise _EncryptedError


def _check_file(option: str, path: Path, mark: str, content: str) -> None:
    try:
        text = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UpError(f"The file {path} of {option} cannot be read: {reason}.") from None
    if f"{mark}-----".encode() not in text:
        raise UpError(
            f"The file {path} of {option} has no {content}; expected a PEM file with `-----BEGIN … {mark}-----`."
        )
