"""What hostile servers do to a call of `web_extract`: each page has its error, and the good one is read."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from typing import Any

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
GOOD = b"<html><head><title>Good</title></head><body><p>The page that is worth the while.</p></body></html>"
WEB = {"extract_backend": "direct", "extract": {"seconds": 1.0, "max_mb": 1}, "cache": {"enabled": False}}


def test_four_hostile_servers_and_a_good_one(agent: Any, network: Any) -> None:
    def endless(_: bytes) -> Iterator[bytes]:
        yield HEAD + b"Connection: close\r\n\r\n"
        while not network.over.is_set():
            yield b"<p>more" * 1000

    def loris(_: bytes) -> Iterator[bytes]:
        yield HEAD
        while not network.over.wait(0.02):
            yield b"X"

    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join([*(packer.compress(bytes(1_000_000)) for _ in range(50)), packer.flush()])
    servers = [
        network.serve(endless),
        network.serve(loris),
        network.serve(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb) + bomb),
        network.serve(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"),
        network.serve(HEAD + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(GOOD) + GOOD),
    ]
    started = time.monotonic()
    told = agent(web=WEB).call("web_extract", {"urls": [server.url for server in servers]})
    assert time.monotonic() - started < 60
    rows = told["results"]
    assert [row["url"] for row in rows] == [server.url for server in servers]
    words = ["larger than", "in time", "larger than", "redirects to a refused URL"]
    for row, said in zip(rows[:4], words, strict=True):
        assert said in row["error"]
        assert not row["content"]
    assert rows[3]["blocked_by_policy"]["rule"] == "metadata"
    assert "worth the while" in rows[4]["content"]
    assert not rows[4]["error"]
