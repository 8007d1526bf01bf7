"""`hermes web`, as people use it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hermes_tools_web.cli.commands import web
from hermes_tools_web.cli.output import address_user

PROGRAM = "from hermes_core.cli.main import main; raise SystemExit(main())"
FOUND = {
    "results": [
        {"url": "https://example.org/a", "title": "<b>Ay</b>", "content": "It says\n a.", "score": 2},
        {"url": "https://example.org/b", "title": "", "content": "", "score": 1},
    ]
}
PAGE = (
    b"<!doctype html><html><head><title>A page</title></head><body><main><h1>A page</h1>"
    b"<p>This page has a paragraph that says quite a lot about nothing at all.</p></main></body></html>"
)
OPEN = {"security": {"allow_private_urls": True}}


def http(body: bytes, kind: str = "application/json", status: str = "200 OK") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@pytest.fixture(autouse=True)
def no_plugins_but_those_of_the_test() -> None:
    """The family is installed, and found as users find it."""


@pytest.fixture
def config(home: Path) -> Callable[..., None]:
    """Writes the user's settings."""

    def write(**sections: Any) -> None:
        (home / "config.yaml").write_text(json.dumps(sections))

    return write


@pytest.fixture
def run() -> Callable[..., Result]:
    """Runs `hermes web`."""
    return lambda *words: CliRunner().invoke(web, words)


@pytest.fixture
def searxng(network: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A SearXNG that is there for whoever reads its variable."""
    server = network.serve(http(json.dumps(FOUND).encode()))
    monkeypatch.setenv("SEARXNG_URL", server.url)
    return server


# -- search --------------------------------------------------------------------------------------------------------


def test_a_search_prints_what_was_found(searxng: Any, run: Any) -> None:
    done = run("search", "letters", "of", "the alphabet")
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "1. Ay\n   https://example.org/a\n   It says a.\n\n2. https://example.org/b\n   https://example.org/b\n\n"
        "2 results by searxng\n"
    )
    assert "q=letters+of+the+alphabet" in searxng.paths[0]


def test_a_search_as_json_is_what_a_model_gets(searxng: Any, run: Any) -> None:
    done = run("search", "--json", "--limit", "1", "x")
    told = json.loads(done.stdout)
    assert [row["url"] for row in told["data"]["web"]] == ["https://example.org/a"]
    assert "UNTRUSTED" in told["data"]["web"][0]["description"]


def test_another_search_is_answered_from_the_cache(searxng: Any, run: Any) -> None:
    run("search", "x")
    assert "(cached)" in run("search", "x").stdout
    before = len(searxng.requests)
    assert json.loads(run("cache", "--json").stdout)["searches"] == 1
    assert run("cache", "--clear").stdout == "Removed 1 entries.\n"
    run("search", "x")
    assert len(searxng.requests) > before


def test_a_provider_can_be_chosen_for_once(searxng: Any, run: Any) -> None:
    done = run("search", "--provider", "tavily", "x")
    assert done.exit_code == 5
    assert "web.search_backend is tavily, which cannot be used" in done.stderr
    assert "hint: Run 'hermes config set web.tavily_api_key -'" in done.stderr
    assert done.stdout == ""
    assert "HERMES_WEB__SEARCH_BACKEND" not in os.environ


def test_a_query_with_a_key_is_not_allowed(searxng: Any, run: Any) -> None:
    done = run("search", "ghp_" + "aB3dE6gH9kLmN0pQrS7tUvW2xYz4aB3dE6gH")
    assert done.exit_code == 4
    assert "looks like a key" in done.stderr
    assert searxng.requests == []


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        ("Ask the user to set web.x.", "Set web.x."),
        ("Wait; or ask the user to set up another.", "Wait; or set up another."),
        ("Try other words.", "Try other words."),
    ],
)
def test_a_person_is_not_told_to_ask_the_user(hint: str, said: str) -> None:
    assert address_user(hint) == said


def test_an_error_is_one_in_json_too(searxng: Any, run: Any) -> None:
    done = run("search", "--json", "--provider", "tavily", "x")
    assert done.exit_code == 5
    assert json.loads(done.stdout)["code"] == "unavailable"


def test_a_service_that_fails_ends_with_1(network: Any, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server = network.serve(http(b"<html>", "text/html", "403 Forbidden"))
    monkeypatch.setenv("SEARXNG_URL", server.url)
    done = run("search", "--provider", "searxng", "x")
    assert done.exit_code == 1
    assert "hermes: error: SearXNG does not return JSON." in done.stderr


def test_policy_holds_address_user_too(searxng: Any, run: Any, config: Any) -> None:
    config(policy={"rules": [{"name": "no-web", "match": {"tool": "web_search"}, "action": "deny"}]})
    done = run("search", "x")
    assert done.exit_code == 4
    assert searxng.requests == []


@pytest.mark.parametrize("words", [("search",), ("search", "--limit", "0", "x"), ("extract",), ("crawl",)])
def test_wrong_usage_ends_with_2(run: Any, words: tuple[str, ...]) -> None:
    assert run(*words).exit_code == 2


# -- extract -------------------------------------------------------------------------------------------------------


def test_a_page_is_printed_as_markdown(network: Any, run: Any, config: Any) -> None:
    config(**OPEN)
    server = network.serve(http(PAGE, "text/html"))
    done = run("extract", server.url)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(f"# A page\n\n<{server.url}>\n\n")
    assert "says quite a lot" in done.stdout
    assert "UNTRUSTED" not in done.stdout


def test_pages_that_cannot_be_read_are_complained_of(network: Any, run: Any, config: Any) -> None:
    config(**OPEN)
    good = network.serve(http(PAGE, "text/html"))
    bad = network.serve(http(b"gone", "text/plain", "404 Not Found"))
    done = run("extract", good.url, bad.url)
    assert done.exit_code == 1
    assert "says quite a lot" in done.stdout
    assert f"hermes: {bad.url}: " in done.stderr


@pytest.mark.parametrize("form", [(), ("--json",), ("--raw",)])
def test_the_exit_code_does_not_depend_on_the_form(network: Any, run: Any, config: Any, form: tuple[str, ...]) -> None:
    config(**OPEN)
    good = network.serve(http(PAGE, "text/html")).url
    bad = network.serve(http(b"gone", "text/plain", "404 Not Found")).url
    assert [run("extract", *form, *urls).exit_code for urls in ([good], [bad], [good, bad])] == [0, 1, 1]


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_call_whose_every_page_failed_ends_with_1(
    network: Any, config: Any, home: Path, form: tuple[str, ...]
) -> None:
    config(**OPEN)
    good = network.serve(http(PAGE, "text/html")).url
    bad = network.serve(http(b"gone", "text/plain", "404 Not Found")).url
    codes = []
    for urls in ([good], [bad], [good, bad]):
        words = [sys.executable, "-c", PROGRAM, "call", "web_extract", *form, *(f"urls={url}" for url in urls)]
        env = {**os.environ, "HERMES_HOME": str(home)}
        codes.append(subprocess.run(words, env=env, capture_output=True, timeout=60, check=False).returncode)
    assert codes == [0, 1, 0]


def test_private_pages_stay_refused(network: Any, run: Any) -> None:
    server = network.serve(http(PAGE, "text/html"))
    done = run("extract", server.url)
    assert done.exit_code == 1
    assert server.requests == []
    assert f"hermes: {server.url}: " in done.stderr


def test_pages_as_json_are_what_a_model_gets(network: Any, run: Any, config: Any) -> None:
    config(**OPEN)
    done = run("extract", "--json", network.serve(http(PAGE, "text/html")).url)
    [page] = json.loads(done.stdout)["results"]
    assert page["title"] == "A page"
    assert "UNTRUSTED" in page["content"]


def test_a_title_is_printed_once(network: Any, run: Any, config: Any) -> None:
    config(**OPEN)
    url = network.serve(http(PAGE, "text/html")).url
    assert run("extract", url).stdout.startswith(f"# A page\n\n<{url}>\n\nThis page has a paragraph")


# -- crawl ---------------------------------------------------------------------------------------------------------


def site(request: bytes) -> bytes:
    path = request.split(b" ", 2)[1]
    if path == b"/robots.txt" or path.endswith(b".xml"):
        return http(b"", "text/plain", "404 Not Found")
    link = b'<p>A paragraph with quite a few words before <a href="/next">the next page</a> comes.</p></main>'
    said = b"<p>Here is what %s says and no other page does.</p>" % path
    return http(PAGE.replace(b"</main>", said + link), "text/html")


def test_a_site_is_printed_page_by_page(network: Any, run: Any, config: Any) -> None:
    config(**OPEN, web={"crawl": {"delay_seconds": 0}})
    server = network.serve(site)
    done = run("crawl", server.url, "--depth", "1", "--limit", "2", "--instructions", "letters")
    assert done.exit_code == 0, done.output
    assert f"<{server.url}>" in done.stdout
    assert f"<{server.url}next>" in done.stdout
    assert "\n---\n" in done.stdout
    assert "2 pages of " in done.stderr


def test_a_site_as_json_is_what_a_model_gets(network: Any, run: Any, config: Any) -> None:
    config(**OPEN, web={"crawl": {"delay_seconds": 0}})
    told = json.loads(run("crawl", "--json", "--limit", "1", network.serve(site).url).stdout)
    assert [page["depth"] for page in told["pages"]] == [0]


# -- providers and cache -------------------------------------------------------------------------------------------


def test_providers_say_who_does_what_and_how_to_get_others(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXA_API_KEY", "a-key-that-nobody-sees")
    done = run("providers")
    assert done.exit_code == 0
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line and not line.startswith(" ")}
    assert "used for search and extract" in lines["exa"]
    assert "ready" in lines["ddgs"]
    assert "ready" in lines["direct"]
    assert "needs TAVILY_API_KEY" in lines["tavily"]
    assert "hermes config set web.tavily_api_key -; see https://app.tavily.com" in done.stdout
    assert "a-key-that-nobody-sees" not in done.output


def test_what_else_a_provider_lacks_is_told_in_its_own_words(run: Any, config: Any) -> None:
    config(web={"searxng_url": "localhost:8080"})
    assert "web.searxng_url is not a URL such as https://search.example.org" in run("providers").stdout


def test_a_choice_that_cannot_be_used_is_told(run: Any, config: Any) -> None:
    config(web={"search_backend": "exa"})
    done = run("providers")
    assert done.exit_code == 1
    assert "hermes: web.search_backend is exa, which cannot be used" in done.stderr


def test_providers_as_json_are_for_programs(run: Any) -> None:
    told = json.loads(run("providers", "--json").stdout)
    rows = {row["name"]: row for row in told["providers"]}
    assert rows["ddgs"]["chosen_for"] == ["web_search"]
    assert rows["brave"]["ready"] is False
    assert rows["brave"]["setup"]["variables"] == ["BRAVE_SEARCH_API_KEY"]
    assert told["problems"] == []


def test_the_cache_says_what_it_holds(run: Any, home: Path, config: Any) -> None:
    done = run("cache")
    assert done.stdout.startswith("0 pages and 0 searches, 0.0 of 100 MB, in ")
    config(web={"cache": {"enabled": False}})
    assert "web.cache.enabled is off" in run("cache").stdout
    assert run("cache", "--clear").stdout == "Removed 0 entries.\n"


def test_a_cache_that_cannot_be_used_is_told(run: Any, home: Path) -> None:
    (home / "cache").mkdir()
    (home / "cache" / "web").touch()
    done = run("cache")
    assert done.exit_code == 1
    assert "hermes: the cache cannot be used" in done.stderr
    assert json.loads(run("cache", "--json").stdout)["problem"]


# -- as a program --------------------------------------------------------------------------------------------------


def hermes(*words: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", PROGRAM, *words]
    return subprocess.run(program, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False)


def test_the_program_ends_as_the_command_ends(searxng: Any) -> None:
    done = hermes("web", "search", "x")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "1. Ay")
    assert hermes("web", "search", "--provider", "tavily", "x").returncode == 5


def test_a_broken_setting_is_told_with_its_key(home: Path) -> None:
    (home / "config.yaml").write_text("web: {cache: {max_mb: lots}}\n")
    for words in (("web", "search", "x"), ("web", "providers"), ("web", "cache")):
        done = hermes(*words)
        assert done.returncode != 0
        assert "web.cache.max_mb" in done.stderr


def on_a_terminal(*words: str, environ: dict[str, str]) -> str:
    """What a person sees."""
    ours, theirs = pty.openpty()
    seen: list[bytes] = []

    def read() -> None:
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                return
            if not part:
                return
            seen.append(part)

    reader = threading.Thread(target=read)
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, **environ},
    ) as child:
        os.close(theirs)
        reader.start()
        assert child.wait(60) == 0
    reader.join(10)
    os.close(ours)
    return b"".join(seen).decode()


def test_on_a_terminal_it_looks_nice(searxng: Any, network: Any, config: Any) -> None:
    colors = {"TERM": "xterm-256color", "COLUMNS": "100"}
    shown = on_a_terminal("web", "search", "x", environ=colors)
    assert "\x1b[1m1. Ay\x1b[0m" in shown
    assert "https://example.org/a" in shown
    config(**OPEN)
    page = network.serve(http(PAGE, "text/html"))
    assert "\x1b[1mA page\x1b[0m" in on_a_terminal("web", "extract", page.url, environ=colors)
    assert "pages read" in on_a_terminal("web", "crawl", "--limit", "1", network.serve(site).url, environ=colors)
    assert "\x1b[1mA page" not in on_a_terminal("web", "extract", "--raw", page.url, environ=colors)
    assert "\x1b[1m" not in on_a_terminal("web", "providers", environ={**colors, "NO_COLOR": "1"})


def test_ctrl_c_ends_a_search_with_130(network: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, over = threading.Event(), threading.Event()

    def hang(_: bytes) -> bytes:
        asked.set()
        over.wait(60)
        return http(b"{}")

    monkeypatch.setenv("SEARXNG_URL", network.serve(hang).url)
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "web", "search", "x"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        try:
            assert asked.wait(30)
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=30)
        finally:
            over.set()
    assert child.returncode == 130
