"""A local certificate authority, and certificates that it has signed."""

from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PrivateFormat, PublicFormat

_NAME: Final = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Home game")])


@dataclass(frozen=True)
class Certificate:
    """The files of a certificate for this machine, its key, and the authority that signed it."""

    authority: Path
    certificate: Path
    key: Path
    fingerprint: str
    """The hash of its public key, as Chromium takes it."""


def make_certificate(directory: Path, passphrase: bytes | None = None, name: str = "localhost") -> Certificate:
    """Make a certificate authority, and a certificate for this machine, which can have another name."""
    signer, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = (
        _start(_NAME, signer.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(signer.public_key()), critical=False)
        .sign(signer, hashes.SHA256())
    )
    hosts = [x509.DNSName(name), x509.IPAddress(ip_address("127.0.0.1"))]
    certificate = (
        _start(x509.Name([]), key.public_key())
        .add_extension(x509.SubjectAlternativeName(hosts), critical=True)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
        .sign(signer, hashes.SHA256())
    )
    directory.mkdir(parents=True, exist_ok=True)
    files = Certificate(
        directory / "authority.pem",
        directory / "game.pem",
        directory / "game.key",
        b64encode(
            sha256(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
        ).decode(),
    )
    files.authority.write_bytes(authority.public_bytes(Encoding.PEM))
    files.certificate.write_bytes(certificate.public_bytes(Encoding.PEM))
    encryption = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    files.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))
    return files


def _start(subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(_NAME)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
    )
