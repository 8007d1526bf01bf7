"""Certificates of every kind, made once."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import which

import pytest

_CA = """
[ca]
default_ca = own
[own]
database = {folder}/index.txt
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[names]
subjectAltName = DNS:secure.test,IP:127.0.0.1
"""
_PAST = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]
_NOW = ["-days", "2"]


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Where a certificate for `secure.test` lies that signs itself, with its key: `valid` or `expired`."""
    openssl = which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with (Debian package: openssl)")
    folder = tmp_path_factory.mktemp("tls")
    key, request = folder / "key.pem", folder / "request.pem"
    (folder / "index.txt").touch()
    (folder / "ca.cnf").write_text(_CA.format(folder=folder))

    def run(*words: object) -> None:
        subprocess.run([openssl, *map(str, words)], check=True, capture_output=True, timeout=60)

    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=secure.test"]
    run("req", "-new", *kind, "-keyout", key, "-out", request)
    for name, dates in {"valid": _NOW, "expired": _PAST}.items():
        made = folder / f"{name}.pem"
        (folder / "index.txt").write_text("")  # the same name is signed twice
        own = ["-batch", "-selfsign", "-notext", "-config", folder / "ca.cnf", "-keyfile", key]
        run("ca", *own, "-in", request, *dates, "-out", made)
        made.write_text(made.read_text() + key.read_text())
    return lambda name: folder / f"{name}.pem"


@pytest.fixture
def serving_tls(certificate: Callable[[str], Path]) -> Callable[..., ssl.SSLContext]:
    """Makes what a server encrypts with."""

    def make(name: str = "valid") -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate(name))
        return context

    return make


@pytest.fixture
def trusting(certificate: Callable[[str], Path]) -> Callable[..., ssl.SSLContext]:
    """Makes what a client verifies with, when it trusts a certificate."""
    return lambda name="valid": ssl.create_default_context(cafile=certificate(name))
