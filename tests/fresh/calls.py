"""One table of calls: every tool of every family, with what its answer must be in a fresh installation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Result = Any
"""The JSON that a tool answers with, read."""

ARTICLE = """<!doctype html><html><head><title>Otters</title></head><body>
<nav><a href="/">Home</a> <a href="/rivers">Rivers</a></nav>
<main><h1>Otters</h1><p>Otters sleep on their backs, and hold each other by the paws so as not to drift apart.</p>
<p>They live along <a href="/rivers">rivers</a>, and eat fish.</p></main></body></html>"""
RIVERS = """<!doctype html><html><head><title>Rivers</title></head><body><main><h1>Rivers</h1>
<p>A river is a natural stream of water that flows towards a sea, a lake or another river.</p></main></body></html>"""
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>News of otters</title>
<item><title>An otter was seen in the city</title><link>http://example.org/1</link></item></channel></rss>"""
PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 47>>stream
BT /F1 12 Tf 20 100 Td (A report on otters) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
startxref
0
%%EOF
"""
FOUND = {"results": [{"url": "https://example.org/otters", "title": "All about otters", "content": "They swim."}]}

SITE: Mapping[str, tuple[str, bytes]] = {
    "/": ("text/html; charset=utf-8", ARTICLE.encode()),
    "/rivers": ("text/html; charset=utf-8", RIVERS.encode()),
    "/feed.xml": ("application/rss+xml", FEED.encode()),
    "/report.pdf": ("application/pdf", PDF),
    "/search": ("application/json", json.dumps(FOUND).encode()),
}
"""What the loopback server serves: a site with a feed and a PDF, and the answer of a SearXNG to every question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call, and what must hold for its answer.

    Attributes:
        args: The arguments; `{site}` in a text is the address of the loopback server.
        check: Raises or returns False when the answer is wrong.
        code: The exit code.
    """

    args: Mapping[str, Any]
    check: Callable[[Result], bool]
    code: int = 0


def _page(words: str) -> Callable[[Result], bool]:
    """Check that one page was read, has the words in it, and every library could be imported."""
    return lambda r: words in r["results"][0]["content"] and not r["results"][0].get("notes")


CALLS: Mapping[str, list[Call]] = {
    "write_file": [
        Call(args={"file_path": "notes.txt", "content": "one\ntwo\n"}, check=lambda r: not r.get("error")),
    ],
    "patch": [
        Call(
            args={"path": "notes.txt", "old_string": "two", "new_string": "three"},
            check=lambda r: r["success"] is True,
        ),
        Call(
            args={"path": "notes.txt", "old_string": "nowhere", "new_string": "x"},
            check=lambda r: "not found" in r["error"],
            code=1,
        ),
    ],
    "read_file": [
        Call(args={"file_path": "notes.txt"}, check=lambda r: "three" in r["content"] and "two" not in r["content"]),
        Call(args={"file_path": "missing.txt"}, check=lambda r: "missing.txt" in r["error"], code=1),
    ],
    "search_files": [
        Call(args={"pattern": "thr.e"}, check=lambda r: r["total_count"] == 1 and "notes.txt" in json.dumps(r)),
    ],
    "terminal": [
        Call(args={"command": "echo $((6 * 7)); cat notes.txt"}, check=lambda r: r["output"] == "42\none\nthree\n"),
        Call(args={"command": "exit 3"}, check=lambda r: r["exit_code"] == 3, code=1),
    ],
    "process": [
        Call(args={"action": "list"}, check=lambda r: r["processes"] == []),
    ],
    "execute_code": [
        Call(
            args={"code": "from hermes_tools import read_file\nprint(read_file('notes.txt')['content'].upper())"},
            check=lambda r: "THREE" in r["output"] and r["tool_calls_made"] == 1,
        ),
    ],
    "web_extract": [
        Call(args={"urls": ["{site}/"]}, check=_page("hold each other by the paws")),
        Call(args={"urls": ["{site}/feed.xml"]}, check=_page("An otter was seen in the city")),
        Call(args={"urls": ["{site}/report.pdf"]}, check=_page("A report on otters")),
        Call(args={"urls": ["{site}/missing"]}, check=lambda r: "404" in r["results"][0]["error"], code=1),
    ],
    "web_search": [
        Call(
            args={"query": "otters"},
            check=lambda r: r["provider"] == "searxng" and r["data"]["web"][0]["url"] == "https://example.org/otters",
        ),
    ],
    "web_crawl": [
        Call(
            args={"url": "{site}/"},
            check=lambda r: sorted(page["title"] for page in r["pages"]) == ["Otters", "Rivers"],
        ),
    ],
    "skills_categories": [
        Call(args={}, check=lambda r: r["success"] is True),
    ],
    "skills_list": [
        Call(args={"query": "plugin"}, check=lambda r: r["skills"][0]["name"] == "write-a-plugin"),
    ],
    "skill_manage": [
        Call(
            args={
                "action": "create",
                "name": "feed-otters",
                "content": "---\nname: feed-otters\ndescription: Feeds otters.\n---\nGive them fish.\n",
            },
            check=lambda r: r["success"] is True,
        ),
        Call(
            args={"action": "patch", "name": "feed-otters", "old_string": "fish", "new_string": "fresh fish"},
            check=lambda r: r["replacements"] == 1,
        ),
    ],
    "skill_view": [
        Call(args={"name": "feed-otters"}, check=lambda r: r["content"] == "Give them fresh fish.\n"),
        Call(args={"name": "write-a-skill"}, check=lambda r: "templates" in r["linked_files"]),
        Call(args={"name": "no-such-skill"}, check=lambda r: "no-such-skill" in r["error"], code=2),
    ],
    "tool_search": [
        Call(args={"query": "crawl a site"}, check=lambda r: r["matches"][0]["name"] == "web_crawl"),
    ],
    "tool_describe": [
        Call(args={"name": "web_crawl"}, check=lambda r: "url" in r["parameters"]["properties"]),
    ],
    "tool_call": [
        Call(
            args={"name": "web_crawl", "arguments": {"url": "{site}/rivers"}},
            check=lambda r: "Rivers" in [page["title"] for page in r["pages"]],
        ),
        Call(args={"name": "no_such_tool", "arguments": {}}, check=lambda r: "no_such_tool" in r["error"], code=3),
    ],
}
"""By the name of the tool. They run in this order, in one directory, each in a process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A line of shell, and what it must print; `{site}` is the address of the loopback server."""

    line: str
    prints: str
    code: int = 0


COMMANDS: Mapping[str, list[Command]] = {
    "approval": [
        Command(line="hermes policy check", prints="There is no policy"),
        Command(line="hermes approvals list", prints="No call is allowed without asking"),
    ],
    "audit": [
        Command(line="hermes audit stats", prints="read_file"),
    ],
    "compat": [
        Command(line="hermes toolsets web_tools", prints="web_search"),
    ],
    "guard": [
        Command(line="hermes guard explain 'rm -rf /'", prints="Verdict: refuse", code=4),
        Command(line="hermes-guard explain ls", prints="Verdict: allow"),
    ],
    "kit": [
        Command(line="hermes hooks prove", prints="async batch"),
        Command(line="hermes plugin new dice && hermes plugin check hermes-tools-dice", prints="hermes-tools-dice"),
    ],
    "search": [
        Command(line="hermes search 'read a web page'", prints="web_extract"),
        Command(line="hermes tools cost", prints="TOKENS"),
    ],
    "skills": [
        Command(line="hermes skills list", prints="hermes/write-a-skill"),
        Command(line="hermes skills check", prints="skills checked"),
    ],
    "terminal": [
        Command(line="hermes terminal doctor", prints="local"),
        Command(line="hermes terminal run 'echo $((6 * 7)); exit 5'", prints="42", code=5),
    ],
    "web": [
        Command(line="hermes web extract {site}/rivers", prints="A river is a natural stream"),
        Command(line="hermes web search otters", prints="https://example.org/otters"),
    ],
}
"""By the name of the family's plugin."""


def uncovered(tools: list[str], families: list[str]) -> list[str]:
    """Name the installed tools and families that no table has an entry for."""
    missing = [f"the tool {name} has no entry in CALLS" for name in tools if not CALLS.get(name)]
    missing += [f"the family {name} has no entry in COMMANDS" for name in families if not COMMANDS.get(name)]
    return [f"{line}: see tests/fresh/calls.py" for line in missing]
