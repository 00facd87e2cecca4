"""A certificate of this computer's own, for browsers that give their camera to pages by TLS alone."""

from __future__ import annotations

import ipaddress
import os
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from web.files import cause

CHAIN, KEY = "certificate.pem", "certificate.key"
VALID = timedelta(days=397)
"""Browsers take none that is valid for longer."""
RENEWED = timedelta(days=30)


class CertificateError(ValueError):
    """No certificate can be made; one sentence."""


def local_certificate(home: Path, host: str, now: datetime | None = None) -> tuple[Path, Path]:
    """The certificate and its key kept under a folder; made anew where it ends soon or does not name the host.

    Raises ``CertificateError``.
    """
    now = now or datetime.now(UTC)
    chain, key = home / "dashboard" / CHAIN, home / "dashboard" / KEY
    names = _names(host)
    if _serves(chain, key, names, now):
        return chain, key
    try:
        chain.parent.mkdir(parents=True, exist_ok=True)
        made, private = _made(names, now)
        key.unlink(missing_ok=True)
        handle = os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # never readable for others
        with os.fdopen(handle, "wb") as opened:
            opened.write(
                private.private_bytes(
                    serialization.Encoding.PEM,
                    serialization.PrivateFormat.PKCS8,
                    serialization.NoEncryption(),
                )
            )
        chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    except OSError as error:
        raise CertificateError(f"{chain.parent} cannot take a certificate: {cause(error)}.") from error
    return chain, key


def fingerprint(chain: Path) -> str:
    """What a browser shows of a certificate, SHA-256, so that people can compare."""
    digest = x509.load_pem_x509_certificate(chain.read_bytes()).fingerprint(hashes.SHA256())
    return ":".join(f"{byte:02X}" for byte in digest)


def addresses(host: str) -> tuple[str, ...]:
    """The addresses under which others reach a program that listens there."""
    if host not in {"0.0.0.0", "::"}:  # noqa: S104  it is compared, not listened at
        return (host,)
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    except OSError:
        found = set()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:  # nothing is sent: the way there is looked up
        try:
            probe.connect(("192.0.2.1", 9))
            found.add(str(probe.getsockname()[0]))
        except OSError:
            pass
    return tuple(sorted(one for one in found if not ipaddress.ip_address(one).is_loopback)) or ("127.0.0.1",)


def _names(host: str) -> frozenset[str]:
    names = {"localhost", "127.0.0.1", socket.gethostname().lower(), *addresses(host)}
    return frozenset(name for name in names if name and name.isascii())  # a certificate holds no other


def _serves(chain: Path, key: Path, names: frozenset[str], now: datetime) -> bool:
    try:
        kept = x509.load_pem_x509_certificate(chain.read_bytes())
        serialization.load_pem_private_key(key.read_bytes(), None)
        told = kept.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, TypeError, x509.ExtensionNotFound):
        return False
    known = {*told.get_values_for_type(x509.DNSName), *map(str, told.get_values_for_type(x509.IPAddress))}
    return names <= known and now + RENEWED < kept.not_valid_after_utc


def _made(names: frozenset[str], now: datetime) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tileref on this computer")])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + VALID - timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([_alternative(name) for name in sorted(names)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(private, hashes.SHA256())
    )
    return made, private


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
