"""Searches in containers: with this machine's programs mounted into one, and with nothing but busybox."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import Any

import pytest

from hermes_tools_terminal.environments.docker.environment import DockerEnvironment
from hermes_tools_terminal.files.filesystem import FileInfo
from hermes_tools_terminal.search.query import Request
from hermes_tools_terminal.search.search import SearchContext, search

Engine = Any  # conftest's TestEngine: test folders cannot be imported from
Opens = Callable[..., DockerEnvironment]
_MADE = """
cd /workspace && mkdir -p .git sub/deep ignored && printf 'ignored/\\n*.log\\n' >.gitignore
printf 'one\\nhit 1\\nthree\\n' >a.txt; printf 'hit 2' >"sub/b c.py"; printf 'hit\\0' >sub/binary
for f in .hidden x.log ignored/y sub/deep/-e; do printf 'a hit {}\\n' >"$f"; done
"""
_HOST = ["/usr:/usr:ro", "/lib:/lib:ro", "/lib64:/lib64:ro"]


def find(place: DockerEnvironment, pattern: str, engine: str = "", seconds: float = 60, **more: Any) -> dict[str, Any]:
    found = FileInfo(asked="/workspace", path="/workspace", kind="folder")
    scene = SearchContext(
        environment=place, found=found, engine=engine, shown_as="/workspace", seconds=seconds, home="/root"
    )
    return search(Request(pattern=pattern, **more), scene)


def test_a_container_with_nothing_but_busybox_is_searched_by_grep(engine: Engine, opened: Opens) -> None:
    place = opened(engine.settings())
    place.run(_MADE)
    told = find(place, r"hit\b", context=1)
    assert told["engine"] == "grep"
    assert told["matches"] == [
        {"path": "/workspace/a.txt", "line": 2, "content": "hit 1", "before": ["one"], "after": ["three"]},
        {"path": "/workspace/sub/b c.py", "line": 1, "content": "hit 2", "before": [], "after": []},
        {"path": "/workspace/sub/deep/-e", "line": 1, "content": "a hit {}", "before": [], "after": []},
    ]
    assert find(place, "hit {}", mode="count")["counts"] == {"/workspace/sub/deep/-e": 1}
    assert find(place, "*.py", names=True)["files"] == ["/workspace/sub/b c.py"]
    assert find(place, r"[\Wx]\d", mode="count")["total_count"] == 2


def test_all_engines_find_the_same_in_a_container(only_docker: Engine, opened: Opens) -> None:
    if shutil.which("rg") is None or shutil.which("python3", path="/usr/bin") is None:
        pytest.skip("There is no rg or no python3 in /usr/bin: install ripgrep and python3.")
    place = opened(only_docker.settings(volumes=_HOST))
    place.run(_MADE)
    for options in ({"context": 1}, {"mode": "count"}, {"mode": "files_only", "hidden": True}, {"glob": "*.py"}):
        answers = [find(place, "h.t", name, **options) for name in ("ripgrep", "python", "grep")]
        assert [answer.pop("engine") for answer in answers] == ["ripgrep", "python", "grep"]
        assert answers[0] == answers[1] == answers[2], options
        assert answers[0]["total_count"] > 0
    newest = [find(place, "*", name, names=True, newest_first=True)["files"] for name in ("ripgrep", "grep")]
    assert newest[0] == newest[1]
    assert find(place, "h.t")["engine"] == "ripgrep"


def test_a_search_that_never_ends_is_ended_in_the_container(only_docker: Engine, opened: Opens) -> None:
    if shutil.which("python3", path="/usr/bin") is None:
        pytest.skip("There is no python3 in /usr/bin: install python3.")
    place = opened(only_docker.settings(volumes=_HOST))
    place.run("head -c 5000 /dev/zero | tr '\\0' a >/workspace/bad")
    told = find(place, "(?:a+)+b", "python", seconds=3)
    assert told["limit_reason"] == "time"
    deadline = time.monotonic() + 20
    while b"python3" in place.run("ps -o comm"):
        assert time.monotonic() < deadline
