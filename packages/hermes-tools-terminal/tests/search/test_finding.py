"""What a search finds, and how it tells it, whichever engine there is."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Searcher = Any  # conftest's: test folders cannot be imported from


def test_lines_are_told_with_file_and_number(searching: Searcher, folder: Path) -> None:
    (folder / "b").mkdir()
    (folder / "b" / "two.txt").write_text("no\nfoo bar\n")
    (folder / "a.txt").write_text("foo\n")
    assert searching.lines("fo+") == [("a.txt", 1, "foo"), ("b/two.txt", 2, "foo bar")]


def test_nothing_found_is_no_error(searching: Searcher, folder: Path) -> None:
    (folder / "a").write_text("text\n")
    told = searching("absent")
    assert (told["total_count"], told["matches"], told["truncated"]) == (0, [], False)


def test_pages_follow_one_another_without_gap_or_overlap(searching: Searcher, folder: Path) -> None:
    for number in range(6):
        (folder / f"{number}.txt").write_text("".join(f"hit {number}.{line}\nmiss\n" for line in range(5)))
    pages = [searching("hit", limit=7, offset=start) for start in range(0, 35, 7)]
    found = [match["content"] for page in pages for match in page["matches"]]
    assert found == [f"hit {number}.{line}" for number in range(6) for line in range(5)]
    assert {page["total_count"] for page in pages} == {30}
    assert [page["truncated"] for page in pages] == [True, True, True, True, False]
    assert "offset=7" in pages[0]["hint"]


def test_an_offset_behind_the_last_says_so(searching: Searcher, folder: Path) -> None:
    (folder / "a").write_text("hit\n")
    told = searching("hit", offset=5)
    assert told["matches"] == []
    assert "only 1" in told["hint"]


def test_context_comes_before_and_after_and_may_overlap(searching: Searcher, folder: Path) -> None:
    (folder / "a").write_text("1\n2\nhit 3\n4\nhit 5\n6\n7\n8\nhit 9")
    first, second, third = searching("hit", context=2)["matches"]
    assert (first["before"], first["after"]) == (["1", "2"], ["4", "hit 5"])
    assert (second["before"], second["after"]) == (["hit 3", "4"], ["6", "7"])
    assert (third["before"], third["after"]) == (["7", "8"], [])
    (only,) = searching("hit", context=2, offset=1, limit=1)["matches"]
    assert only == second


def test_files_and_counts_are_told_on_demand(searching: Searcher, folder: Path) -> None:
    (folder / "a").write_text("hit\nhit\n")
    (folder / "b").write_text("hit\n")
    (folder / "c").write_text("miss\n")
    assert searching("hit", mode="files_only")["files"] == ["a", "b"]
    told = searching("hit", mode="count")
    assert (told["counts"], told["total_count"], told["total_files"]) == ({"a": 2, "b": 1}, 3, 2)
    told = searching("hit", mode="count", limit=1, offset=1)
    assert (told["counts"], told["truncated"]) == ({"b": 1}, False)


def test_a_file_is_searched_by_its_name_whatever_is_said_of_it(searching: Searcher, folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".gitignore").write_text("*.log\n")
    (folder / ".a [b]*.log").write_text("hit\n")
    (folder / "other.log").write_text("hit\n")
    assert searching.lines("hit", ".a [b]*.log") == [(".a [b]*.log", 1, "hit")]


def test_hidden_files_are_found_on_demand_and_git_s_own_never(searching: Searcher, folder: Path) -> None:
    for name in (".hidden", ".config/x", ".git/HEAD", "seen", "sub/.git/HEAD"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("hit\n")
    assert searching("hit", mode="files_only")["files"] == ["seen"]
    assert searching("hit", mode="files_only", hidden=True)["files"] == [".config/x", ".hidden", "seen"]


def test_ignore_files_of_the_folder_below_and_above_count(searching: Searcher, folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".gitignore").write_text("*.log\n/top/build/\n")
    (folder / "top" / "build").mkdir(parents=True)
    (folder / "top" / "sub").mkdir()
    (folder / "top" / "sub" / ".ignore").write_text("!kept.log\nsecond.txt\n")
    for name in ("a.log", "build/x.txt", "sub/kept.log", "sub/second.txt", "sub/third.txt"):
        (folder / "top" / name).write_text("hit\n")
    expected = ["top/sub/kept.log", "top/sub/third.txt"]
    assert searching("hit", mode="files_only")["files"] == expected
    assert searching("hit", "top", mode="files_only")["files"] == expected
    assert searching.files("*") == expected or sorted(searching.files("*")) == expected


def test_a_glob_narrows_the_search(searching: Searcher, folder: Path) -> None:
    (folder / "sub").mkdir()
    for name in ("a.py", "sub/b.py", "sub/c.ts", "d.txt", ".e.py"):
        (folder / name).write_text("hit\n")
    expected = {
        "*.py": ["a.py", "sub/b.py"],
        "sub/*": ["sub/b.py", "sub/c.ts"],
        "**/*.{ts,py}": ["a.py", "sub/b.py", "sub/c.ts"],
        "!*.py": ["d.txt", "sub/c.ts"],
        "./sub/**": ["sub/b.py", "sub/c.ts"],
        "[ad].*": ["a.py", "d.txt"],
    }
    assert {glob: searching("hit", mode="files_only", glob=glob)["files"] for glob in expected} == expected


def test_a_glob_lets_nothing_in_that_is_ignored(searching: Searcher, folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".gitignore").write_text("ignored.py\n")
    for name in ("ignored.py", "seen.py"):
        (folder / name).write_text("hit\n")
    assert searching("hit", mode="files_only", glob="*.py")["files"] == ["seen.py"]


def test_files_are_found_by_glob_or_by_a_part_of_the_name(searching: Searcher, folder: Path) -> None:
    (folder / "src").mkdir()
    for name in ("src/main.py", "src/Main_test.py", "readme.md", "domain.txt"):
        (folder / name).touch()
    assert sorted(searching.files("*.py")) == ["src/Main_test.py", "src/main.py"]
    assert sorted(searching.files("main")) == ["domain.txt", "src/main.py"]
    assert sorted(searching.files("main", ignore_case=True)) == ["domain.txt", "src/Main_test.py", "src/main.py"]
    assert searching.files("src/main.py") == ["src/main.py"]


def test_the_newest_files_come_first_on_demand(searching: Searcher, folder: Path) -> None:
    for age, name in enumerate(("new", "b-old", "a-old", "oldest")):
        (folder / name).write_text("hit\n")
        when = 1_700_000_000 - 100 * (age if age < 2 else age - 1 if age == 2 else age)
        os.utime(folder / name, (when, when))
    assert searching.files("*", newest_first=True) == ["new", "a-old", "b-old", "oldest"]
    assert searching("hit", mode="files_only", newest_first=True)["files"] == ["new", "a-old", "b-old", "oldest"]
    assert searching.files("*", newest_first=False) == ["a-old", "b-old", "new", "oldest"]


def test_case_and_meaning_can_be_ignored(searching: Searcher, folder: Path) -> None:
    (folder / "a").write_text("Foo.Bar(\nfooxbar(\n")
    assert [line for _, line, _ in searching.lines("foo.bar", ignore_case=True)] == [1, 2]
    assert [line for _, line, _ in searching.lines("Foo.Bar(", literal=True)] == [1]
    assert [line for _, line, _ in searching.lines("foo.bar(", literal=True, ignore_case=True)] == [1]


def test_patterns_and_names_never_become_options(searching: Searcher, folder: Path) -> None:
    (folder / "-e").write_text("--files\n-v\n")
    (folder / "--help").write_text("-v\n")
    assert searching.lines("--files") == [("-e", 1, "--files")]
    assert searching.lines("-v") == [("--help", 1, "-v"), ("-e", 2, "-v")]
    assert searching.lines("-v", "--help") == [("--help", 1, "-v")]


def test_files_that_are_no_text_are_passed_over(searching: Searcher, folder: Path) -> None:
    (folder / "binary").write_bytes(b"hit\n\0")
    (folder / "late").write_bytes(b"hit\n" * 20_000 + b"\0")
    (folder / "text").write_text("hit\n")
    found = searching("hit", mode="files_only")["files"]
    assert "text" in found
    assert "binary" not in found
    assert "late" not in found


def test_encodings_are_understood(searching: Searcher, folder: Path) -> None:
    for name, encoding in (("a", "utf-8"), ("b", "utf-8-sig"), ("c", "utf-16"), ("d", "utf-16-be"), ("e", "latin-1")):
        mark = "\ufeff" if encoding == "utf-16-be" else ""
        (folder / name).write_bytes(f"{mark}größe hit\r\n".encode(encoding))
    found = searching.lines("^gr.*hit")
    assert [path for path, _, _ in found] == ["a", "b", "c", "d"]
    assert {content for _, _, content in found} == {"größe hit"}
    assert searching.lines("hit", "e") == [("e", 1, "gr\\xf6\\xdfe hit")]


def test_names_that_are_no_text_are_readable(searching: Searcher, folder: Path) -> None:
    for name in (b"bad\xff.txt", b"line\nfeed.txt", b'quote".txt'):
        (Path(os.fsdecode(os.fsencode(folder) + b"/" + name))).write_text("hit\n")
    told = searching("hit", scene={"guarded": False})
    text = json.dumps(told)
    assert "\\udc" not in text
    assert [match["path"] for match in json.loads(text)["matches"]] == ["bad\\xff.txt", "line\nfeed.txt", 'quote".txt']


def test_long_lines_are_cut_around_the_match(searching: Searcher, folder: Path) -> None:
    (folder / "a").write_text("x" * 5_000 + "needle" + "é" * 5_000 + "\n")
    ((_, _, content),) = searching.lines("needle")
    assert "needle" in content
    assert len(content) <= 500
    assert content.startswith("…x")
    assert content.endswith("é…")


def test_a_line_of_many_megabytes_is_cut_and_not_kept(searching: Searcher, folder: Path) -> None:
    (folder / "a").write_bytes(b"x" * 9_000_000 + b"needle" + b"y" * 3_000_000 + b"\nsecond needle\n")
    first, second = searching.lines("needle")
    assert "xneedley" in first[2]
    assert len(first[2]) <= 500
    assert second == ("a", 2, "second needle")


def test_secrets_in_lines_are_not_told(searching: Searcher, folder: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    (folder / "notes.txt").write_text(f"before\ntoken = {token}\nafter\n")
    told = searching("token|after", context=1)
    assert token not in json.dumps(told)
    assert told["total_count"] == 2


def test_protected_files_do_not_show_up(searching: Searcher, folder: Path) -> None:
    (folder / "sub").mkdir()
    for name in ("id_rsa", "sub/.env", "sub/server.pem", "plain.txt"):
        (folder / name).write_text("hit\n")
    told = searching("hit", hidden=True)
    assert [match["path"] for match in told["matches"]] == ["plain.txt"]
    assert (told["total_count"], told["skipped_protected"]) == (1, 3)
    assert searching("hit", hidden=True, mode="count")["counts"] == {"plain.txt": 1}
    assert searching("hit", hidden=True, mode="files_only")["files"] == ["plain.txt"]


def test_what_was_asked_for_by_name_was_decided_before(searching: Searcher, folder: Path) -> None:
    (folder / "id_rsa").write_text("hit\n")
    assert searching.lines("hit", "id_rsa") == [("id_rsa", 1, "hit")]


def test_links_are_never_followed(searching: Searcher, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("hit\n")
    (folder / "folder").symlink_to(outside)
    (folder / "file").symlink_to(outside / "secret")
    (folder / "own").write_text("hit\n")
    (folder / "to-own").symlink_to("own")
    assert searching.lines("hit") == [("own", 1, "hit")]
    assert searching.files("*") == ["own"]


def test_pipes_and_sockets_do_not_hold_it_up(searching: Searcher, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()
        os.chdir(folder)  # a socket's path has room for 108 characters
        try:
            listening.bind("socket")
        finally:
            os.chdir(here)
        (folder / "a").write_text("hit\n")
        assert searching.lines("hit") == [("a", 1, "hit")]


def test_much_text_is_told_in_parts(searching: Searcher, folder: Path) -> None:
    (folder / "a").write_text("".join(f"hit {number} {'x' * 400}\n" for number in range(600)))
    first = searching("hit", limit=1000)
    assert first["limit_reason"] == "size"
    assert len(json.dumps(first)) < 100_000
    second = searching("hit", limit=1000, offset=len(first["matches"]))
    assert second["matches"][0]["line"] == len(first["matches"]) + 1


@pytest.mark.parametrize(
    ("pattern", "position", "hint"),
    [
        ("foo(", 4, "literal"), ("a)", 2, "\\)"), ("[a", 1, "literal"), ("*a", 1, "\\*"), ("(?=a)", 1, "(?:"),
        (r"(a)\1", 4, ""), (r"\pL", 1, "\\w"), (r"a\z", 2, "$"), ("a\\nb", 2, "line by line"),
        ("a\nb", 2, "line by line"), ("a**", 3, "(?:"), ("\ud800", 1, ""), ("x{9999}", 1, "*"), ("[z-a]", 2, ""),
        ("a\\", 2, "\\\\"), ("(?P<1>a)", 1, ""), ("x" * 20_000, 5_001, ""),
    ],
)  # fmt: skip
def test_a_pattern_that_cannot_be_searched_for_says_where_and_why(
    searcher: Callable[[str], Searcher], pattern: str, position: int, hint: str
) -> None:
    told = searcher("python")(pattern)
    assert f"at character {position} " in told["error"]
    assert hint in told.get("hint", "")
    json.dumps(told).encode()


def test_a_glob_that_cannot_be_read_says_so(searching: Searcher, folder: Path) -> None:
    assert "glob" in searching("x", glob="{a")["error"]
    assert "glob" in searching("[", names=True)["error"]
    assert "glob" in searching("x", glob="\ud800")["error"]


def test_a_nul_in_a_pattern_finds_nothing(searching: Searcher, folder: Path) -> None:
    (folder / "a").write_text("text\n")
    assert searching("\0")["total_count"] == 0


def test_braces_of_code_need_no_backslash(searching: Searcher, folder: Path) -> None:
    (folder / "a.js").write_text("if (x) { return {}; }\n")
    assert searching.lines(r"\) { return {};") == [("a.js", 1, "if (x) { return {}; }")]
