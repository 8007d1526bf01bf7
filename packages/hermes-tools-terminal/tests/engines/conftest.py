"""Apptainer with a small image made here, and a registry on loopback that has the image, too."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hermes_tools_terminal.environments.singularity import environment as singularity


@pytest.fixture(scope="session")
def image_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file system with busybox, and the bash of this machine."""
    busybox, bash = shutil.which("busybox"), shutil.which("bash")
    if busybox is None or bash is None:
        pytest.skip("busybox is missing (Debian: busybox-static)")
    root = tmp_path_factory.mktemp("image") / "root"
    for folder in ("bin", "tmp", "var/tmp", "proc", "sys", "dev", "etc", "root"):
        (root / folder).mkdir(parents=True)
    shutil.copy(busybox, root / "bin/busybox")
    for applet in subprocess.check_output([busybox, "--list"], text=True).split():
        if applet not in ("busybox", "bash"):
            (root / "bin" / applet).symlink_to("busybox")
    shutil.copy(bash, root / "bin/bash")
    for library in re.findall(r"/\S+", subprocess.check_output(["ldd", bash], text=True)):
        inside = root / library.lstrip("/")
        inside.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, inside)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")
    return root


@pytest.fixture(scope="session")
def image(image_root: Path) -> Path:
    """That file system as an image."""
    path = image_root.parent / "small.sif"
    subprocess.run(
        ["apptainer", "--quiet", "build", str(path), str(image_root)], check=True, capture_output=True, timeout=120
    )
    return path


@pytest.fixture(autouse=True)
def engine_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The engine's own folder: what it remembers of instances and what it caches is no business of the user's."""
    folder = tmp_path / "engine"
    for name in ("APPTAINER_CONFIGDIR", "APPTAINER_CACHEDIR"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setattr(singularity, "_unsupported", {})
    yield folder
    if shutil.which("apptainer") is not None:
        left = subprocess.check_output(["apptainer", "instance", "list", "--json"], text=True)
        assert '"instances": []' in left, left


_MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def _digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Registry:
    """One image, `small:1`, made of a folder.

    Attributes:
        asked: The paths that were asked for.
    """

    def __init__(self, root: Path) -> None:
        self.asked: list[str] = []
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            tar.add(root, arcname=".")
        layer = gzip.compress(archive.getvalue(), 1)
        config = json.dumps(
            {
                "architecture": "amd64",
                "os": "linux",
                "config": {"Env": ["FROM_IMAGE=yes"]},
                "rootfs": {"type": "layers", "diff_ids": [_digest(archive.getvalue())]},
            }
        ).encode()
        self._blobs = {_digest(blob): blob for blob in (layer, config)}
        kinds = ("application/vnd.oci.image.config.v1+json", "application/vnd.oci.image.layer.v1.tar+gzip")
        parts = [
            {"mediaType": kind, "digest": _digest(blob), "size": len(blob)}
            for kind, blob in zip(kinds, (config, layer), strict=True)
        ]
        self._manifest = json.dumps(
            {"schemaVersion": 2, "mediaType": _MANIFEST, "config": parts[0], "layers": parts[1:]}
        ).encode()

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """The kind and the bytes of what is at a path."""
        self.asked.append(path)
        kind, _, name = path.removeprefix("/v2/small/").partition("/")
        if path == "/v2/":
            return "application/json", b"{}"
        if kind == "manifests" and name in ("1", _digest(self._manifest)):
            return _MANIFEST, self._manifest
        if kind == "blobs" and name in self._blobs:
            return "application/octet-stream", self._blobs[name]
        return None

    @contextmanager
    def served(self) -> Iterator[str]:
        """Its address, while it runs."""
        registry = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                found = registry.answer(self.path)
                self.send_response(200 if found else 404)
                kind, body = found or ("text/plain", b"")
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Docker-Content-Digest", _digest(body))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


@pytest.fixture
def registry(image_root: Path) -> Registry:
    """A registry that has the image."""
    return Registry(image_root)
