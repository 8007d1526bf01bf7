"""A page is read with the libraries that can be imported; the missing one is named."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

ARTICLE = "<!doctype html><html><head><title>Otters &amp; rivers</title><style>p {color: red}</style></head><body>"
ARTICLE += (
    "<main><h1>Otters</h1><p>Otters sleep on their backs, and hold each other by the paws.</p></main></body></html>"
)
FEED = "<rss version='2.0'><channel><title>News</title><item><title>An otter was seen</title></item></channel></rss>"

READ = """
import json, sys

class Broken:
    def find_spec(self, name, path=None, target=None):
        if name in {blocked!r}:
            raise ImportError(f"{{name}} is broken here")

sys.meta_path.insert(0, Broken())
from hermes_tools_web.documents.document import UnreadableError
from hermes_tools_web.documents.reader import read_document

try:
    found = read_document({body!r}, content_type={kind!r}, url="https://site.example/page", links=True)
except UnreadableError as error:
    print(json.dumps({{"error": error.reason, "hint": error.hint}}))
else:
    print(json.dumps({{"kind": found.kind, "title": found.title, "text": found.markdown, "notes": found.notes}}))
"""


def read_without(*blocked: str, body: bytes, kind: str = "text/html") -> dict[str, Any]:
    """Read a document in a process in which some modules cannot be imported."""
    program = READ.format(blocked=blocked, body=body, kind=kind)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("module", ["lxml_html_clean", "justext", "trafilatura"])
def test_a_page_is_read_without_trafilatura(module: str) -> None:
    found = read_without(module, body=ARTICLE.encode())
    assert found["title"] == "Otters & rivers"
    assert "# Otters" in found["text"]
    assert "hold each other by the paws" in found["text"]
    (note,) = found["notes"]
    assert "trafilatura could not be imported" in note


def test_a_page_is_read_without_a_note_when_every_library_is_there() -> None:
    assert read_without(body=ARTICLE.encode())["notes"] == []


@pytest.mark.parametrize(
    ("library", "body", "said"),
    [("lxml", ARTICLE, "hold each other by the paws"), ("feedparser", FEED, "An otter was seen")],
)
def test_the_bare_text_is_read_without_the_library(library: str, body: str, said: str) -> None:
    found = read_without(library, f"{library}.etree", body=body.encode())
    assert said in found["text"]
    assert "<" not in found["text"]
    assert "color" not in found["text"]
    assert library in found["notes"][-1]


def test_a_pdf_needs_its_library_and_the_error_names_it() -> None:
    found = read_without("pypdf", body=b"%PDF-1.4\n...", kind="application/pdf")
    assert "pypdf is broken here" in found["error"]
    assert "install hermes-tools-web again" in found["hint"]
