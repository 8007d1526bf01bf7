"""Searches that meet trouble: no time, no memory, changing trees, hostile patterns."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo
from hermes_tools_terminal.search.query import Request
from hermes_tools_terminal.search.search import SearchContext, search

Searcher = Any  # conftest's: test folders cannot be imported from
Makes = Callable[[str], Searcher]
Looks = Callable[[Path], FileInfo]


def test_an_expression_that_never_ends_is_ended_and_what_was_found_is_told(folder: Path, searcher: Makes) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "good.txt").write_text("aab\n")
    (folder / "bad.txt").write_text("a" * 5_000 + "\n")
    searching = searcher("python")
    began = time.monotonic()
    told = searching("(?:a+)+b", scene={"seconds": 2.0})
    assert time.monotonic() - began < 60
    assert told["limit_reason"] == "time"
    assert told["total_is_exact"] is False
    assert told["truncated"] is True


def test_no_process_is_left_behind_by_a_search_that_took_too_long(folder: Path, searcher: Makes) -> None:
    (folder / "bad.txt").write_text("a" * 5_000 + "\n")
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = set(children.read_text().split())
    searcher("python")("(?:a+)+b", scene={"seconds": 1.0})
    assert set(children.read_text().split()) <= before


def test_many_matches_are_counted_and_not_kept(searching: Searcher, folder: Path) -> None:
    (folder / "many").write_bytes(b"hit\n" * 300_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    told = searching("hit", offset=299_990)
    assert told["total_count"] == 300_000
    assert [match["line"] for match in told["matches"]] == list(range(299_991, 300_001))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # in KB


def test_a_folder_put_in_the_place_of_the_searched_one_is_not_searched(
    searching: Searcher, folder: Path, look: Looks
) -> None:
    (folder / "sub").mkdir()
    looked = look(folder / "sub")
    (folder / "sub").rename(folder / "away")
    (folder / "sub").mkdir()
    with pytest.raises(ChangedError):
        search(
            Request(pattern="x"),
            SearchContext(environment=searching.environment, found=looked, engine=searching.engine),
        )


def test_a_link_put_in_the_place_of_the_searched_folder_is_not_followed(
    searching: Searcher, folder: Path, look: Looks
) -> None:
    (folder / "sub").mkdir()
    looked = look(folder / "sub")
    (folder / "sub").rmdir()
    (folder / "sub").symlink_to("/etc")
    with pytest.raises(OSError):
        search(
            Request(pattern="root"),
            SearchContext(environment=searching.environment, found=looked, engine=searching.engine),
        )


def test_a_link_put_in_the_place_of_a_file_that_was_counted_is_not_followed(
    searching: Searcher, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hit of somebody else\n")
    (folder / "a").write_text("hit\n")
    from hermes_tools_terminal.search import search as module

    page = module._parts

    def swapped(*args: object) -> object:
        (folder / "a").unlink()
        (folder / "a").symlink_to(secret)
        return page(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_parts", swapped)
    told = searching("hit")
    assert told["matches"] == []


def test_another_name_of_a_protected_file_is_protected(
    searching: Searcher, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_rsa").write_text("hit\n")
    os.link(home / ".ssh" / "id_rsa", folder / "innocent.txt")
    told = searching("hit", scene={"home": str(home)})
    assert (told["matches"], told["skipped_protected"]) == ([], 1)


def test_a_folder_that_may_not_be_entered_is_passed_over(folder: Path, searcher: Makes) -> None:
    (folder / "closed").mkdir()
    (folder / "closed" / "a").write_text("hit\n")
    (folder / "open.txt").write_text("hit\n")
    (folder / "closed").chmod(0)
    try:
        for engine in ("ripgrep", "python", "grep"):
            files = [path for path, _, _ in searcher(engine).lines("hit")]
            assert files[-1] == "open.txt", engine
    finally:
        (folder / "closed").chmod(0o755)


def test_more_names_than_a_pipe_holds_are_no_trouble(folder: Path, searcher: Makes) -> None:
    for number in range(1500):
        (folder / f"{number:04}-{'x' * 90}").write_text("hit\n")
    assert searcher("grep")("hit")["total_count"] == 1500


def test_settings_of_ripgrep_s_own_are_not_heeded(
    folder: Path, searcher: Makes, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = folder / ".rc"
    settings.write_text("--invert-match\n--follow\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(settings))
    (folder / "a").write_text("hit\nmiss\n")
    assert searcher("ripgrep").lines("hit") == [("a", 1, "hit")]


def test_the_part_that_runs_elsewhere_needs_no_new_python() -> None:
    import ast

    from hermes_tools_terminal.search import python_engine as script

    for name, source in script._sources():
        ast.parse(source, name, feature_version=(3, 8))
        assert "removeprefix(" not in source, name
        assert "removesuffix(" not in source.replace("no removesuffix", ""), name


def test_importing_the_package_imports_nothing_of_this() -> None:
    code = "import hermes_tools_terminal.plugin, sys; print([n for n in sys.modules if '_terminal.search' in n])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_lies_too_deep_to_be_opened_by_its_path_is_passed_over(searching: Searcher, folder: Path) -> None:
    code = "import os\nfor _ in range(18): os.mkdir('d' * 250); os.chdir('d' * 250); open('f', 'w').write('needle')"
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    told = searching("needle", limit=100)
    assert (told["total_count"], len(told["matches"])) == (16, 16)
    assert searching("f", names=True)["total_count"] == 16
    subprocess.run(["rm", "-rf", str(folder)], check=True)
