"""The demo step of this family: extract a page from a local server."""

from __future__ import annotations

import json

from hermes_core.demo import Demo, DemoStep
from hermes_tools_web.local_site import serve_site

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
