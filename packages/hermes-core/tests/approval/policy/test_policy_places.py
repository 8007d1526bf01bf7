"""Paths and URLs in all the spellings that mean the same place."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from hermes_core.approval.policy.hosts import compile_host, hosts_in
from hermes_core.approval.policy.mistake import Mistake
from hermes_core.approval.policy.paths import compile_under


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("{home}/.ssh", True),
        ("{home}/.ssh/", True),
        ("{home}/.ssh/id_rsa", True),
        ("~/.ssh/id_rsa", True),
        ("~/.ssh/../.ssh/./id_rsa", True),
        ("{home}//.ssh//x", True),
        ("~/x/../.ssh/id_rsa", True),
        ("~/link/id_rsa", True),
        ("~/.ssh/../notes", False),
        ("~/.sshx/id_rsa", False),
        ("~", False),
        ("/", False),
        ("", False),
        ("a text that is no path at all", False),
    ],
)
def test_a_path_is_under_a_folder_however_it_is_spelt(
    path: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / ".ssh")
    spelt = path.format(home=tmp_path)
    assert compile_under("~/.ssh", strict=True)(spelt) is expected
    assert compile_under("~/.ssh", strict=False)(spelt) is expected


def test_a_link_out_of_a_folder_does_not_count_as_inside_when_that_would_be_milder(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "out").symlink_to("/etc")
    path = str(tmp_path / "inside" / "out" / "passwd")
    assert compile_under(str(tmp_path / "inside"), strict=True)(path)
    assert not compile_under(str(tmp_path / "inside"), strict=False)(path)
    assert compile_under("/etc", strict=True)(path)


def test_a_link_followed_by_two_dots_is_read_both_ways(tmp_path: Path) -> None:
    for folder in ("inside", "elsewhere", "elsewhere/deep"):
        (tmp_path / folder).mkdir()
    (tmp_path / "inside" / "link").symlink_to(tmp_path / "elsewhere" / "deep")
    path = str(tmp_path / "inside" / "link" / ".." / "secret")
    assert not compile_under(str(tmp_path / "inside"), strict=False)(path), "the system opens elsewhere/secret"
    assert compile_under(str(tmp_path / "inside"), strict=True)(path)
    assert compile_under(str(tmp_path / "elsewhere"), strict=True)(path)


def test_a_folder_that_cannot_be_is_refused() -> None:
    with pytest.raises(Mistake, match="not a folder"):
        compile_under("/a\0b", strict=True)


def test_a_folder_behind_a_link_is_the_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    assert compile_under(str(tmp_path / "alias"), strict=False)(str(tmp_path / "real" / "x"))


def test_everything_is_under_the_root_and_relative_paths_start_where_the_process_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compile_under("/", strict=False)("/etc")
    monkeypatch.chdir(tmp_path)
    assert compile_under(str(tmp_path), strict=False)("notes.txt")
    assert not compile_under(str(tmp_path), strict=False)("../notes.txt")


def test_a_path_with_a_nul_is_a_doubt(tmp_path: Path) -> None:
    path = f"{tmp_path}\0/../../etc"
    assert compile_under(str(tmp_path), strict=True)(path)
    assert not compile_under(str(tmp_path), strict=False)(path)


def test_a_very_long_path_costs_little() -> None:
    under = compile_under(os.path.expanduser("~/.ssh"), strict=True)
    started = time.perf_counter()
    assert not under("/a" * 500_000)
    assert not under("a/../" * 200_000 + "b")
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "https://example.org/path?q#f",
        "HTTPS://EXAMPLE.ORG/",
        "https://example.org.",
        "https://example.org:8443/x",
        "https://user:password@example.org/x",
        "https://other.com@example.org/x",
        "https://a@b@example.org/",
        "  https://example.org/ ",
        "https:example.org",
        "https:///example.org/x",
        "ht\ntps://example.org",
        "//example.org/x",
        "example.org",
        "example.org/path",
        "example.org:80",
        "ftp://example.org",
        "git+ssh://git@example.org/repo",
        "https://ｅｘａｍｐｌｅ。org/",
    ],
)
def test_a_url_belongs_to_its_host_however_it_is_spelt(url: str) -> None:
    assert compile_host("example.org", strict=True)(url)
    assert not compile_host("*.example.org", strict=True)(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org.evil.com/",
        "https://example.org@evil.com/",
        "https://evil.com/example.org",
        "https://evil.com?@example.org",
        "https://evil.com#@example.org",
        "https://notexample.org",
        "https://sub.example.org",
        "curl https://example.org",
        "/example.org",
        "file:///example.org",
        "",
        "https://",
    ],
)
def test_a_url_that_only_mentions_a_host_does_not_belong_to_it(url: str) -> None:
    assert not compile_host("example.org", strict=True)(url)
    assert not compile_host("example.org", strict=False)(url)


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("*.example.org", "https://a.example.org", True),
        ("*.example.org", "https://a.b.EXAMPLE.org.:1/", True),
        ("*.example.org", "https://badexample.org", False),
        ("*", "https://anything", True),
        ("*", "https:///", False),
        ("Example.ORG.", "https://example.org", True),
        ("bücher.example", "https://xn--bcher-kva.example/", True),
        ("xn--bcher-kva.example", "https://BÜCHER.example/", True),
        ("127.0.0.1", "http://2130706433/", True),
        ("127.0.0.1", "http://0x7f.1:80/", True),
        ("127.0.0.1", "http://[::ffff:127.0.0.1]/", True),
        ("::1", "http://[0:0:0:0:0:0:0:1]:8080/", True),
        ("[::1]", "http://[::1%25eth0]/", True),
        ("localhost", "localhost:8080", True),
    ],
)
def test_patterns_and_names_are_brought_to_one_spelling(pattern: str, url: str, expected: bool) -> None:
    assert compile_host(pattern, strict=True)(url) is expected
    assert compile_host(pattern, strict=False)(url) is expected


@pytest.mark.parametrize("url", ["http://example.org\\@evil.com/", "http://ex%61mple.org/"])
def test_where_readers_disagree_one_reading_is_enough_for_a_guard_and_not_for_a_pass(url: str) -> None:
    assert compile_host("example.org", strict=True)(url)
    assert not compile_host("example.org", strict=False)(url)


@pytest.mark.parametrize(
    "pattern", ["https://example.org", "example.org/x", "example.org:80", "a.*.org", "*example.org", "", 5, "abc.de:80"]
)
def test_what_is_no_host_is_refused(pattern: object) -> None:
    with pytest.raises(Mistake, match="is not a host"):
        compile_host(pattern, strict=True)


def test_long_texts_are_read_in_linear_time() -> None:
    started = time.perf_counter()
    for text in ("http://" + "a" * 1_000_000, "http://" + "@" * 1_000_000, "é" * 1_000_000, "a." * 500_000):
        hosts_in(text)
    assert time.perf_counter() - started < 5
