"""The demo step of this family, and the local server that it shares with the health checks."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hermes_core.demo import Demo, DemoStep

_PAGE = """<!doctype html><html><head><title>Opening hours</title></head><body><nav><a href="/">Home</a></nav><main>
<h1>Opening hours</h1><p>The museum is open from ten to six, every day but Monday. Admission is free on Sundays, and the
garden stays open until dusk in summer.</p></main></body></html>"""


def demo_steps() -> list[DemoStep]:
    """Return the demo steps."""
    settings = {"security": {"allow_private_urls": True}}
    return [DemoStep(title="A page from the web", run=_read_page, settings=settings, order=20)]


def _read_page(demo: Demo) -> None:
    with serve_site(lambda _path: ("text/html; charset=utf-8", _PAGE)) as address:
        demo.say("The demo runs a web server on this machine. Its page comes back as Markdown, marked as untrusted:")
        answer = demo.call("web_extract", {"urls": [f"{address}/hours"]})
        demo.require("open from ten to six" in json.dumps(answer), "the page was not read")


@contextlib.contextmanager
def serve_site(respond: Callable[[str], tuple[str, str]]) -> Iterator[str]:
    """Serve pages on a free port, and yield its URL; `respond` returns the content type and text of a path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, text = respond(self.path)
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(5)
