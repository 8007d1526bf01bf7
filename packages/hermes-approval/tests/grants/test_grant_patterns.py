"""A pattern matches what it says and nothing that only looks like it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from hermes_approval.grants.argument_patterns import checked, covers, describe, matches, under
from hermes_core.errors import ConfigError


def cyclic() -> list[Any]:
    value: list[Any] = [1]
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (None, False, False),
        (0, -0.0, True),
        (2**53 + 1, float(2**53), False),
        ("1", 1, False),
        ("", None, False),
        ({"a": 1, "b": [1, 2]}, {"b": [1.0, 2], "a": 1}, True),
        ([1, 2], [2, 1], False),
        ([1, 2], (1, 2), True),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ([[True]], [[1]], False),
        ({}, [], False),
        ("\ud83d\ude00", "😀", True),
        ("e\u0301", "é", False),
        ("a", "a\0", False),
        ([1, [1]], cyclic(), False),
        (1, float("nan"), False),
        (1, object(), False),
        ("a", b"a", False),
    ],
)
def test_equals_is_equality_of_json(one: object, other: object, same: bool) -> None:
    assert matches({"equals": one}, other) is same


@pytest.mark.parametrize(
    ("glob", "value", "right"),
    [
        ("git push *", "git push origin main", True),
        ("git push *", "git push ", True),
        ("git push *", "git push", False),
        ("git push *", " git push x", False),
        ("git push *", "git pushx y", False),
        ("git push *", "GIT PUSH x", False),
        ("git push *", "git push x\nrm -rf /", False),
        ("git push *", "git push x\rrm -rf /", False),
        ("git push *", "git push x\u2028rm -rf /", False),
        ("git push *", "git push x\0", False),
        ("a*\n*b", "a1\n2b", True),
        ("a*\n*b", "a\n\nb", False),
        ("*", "", True),
        ("*", "\n", False),
        ("***", "abc", True),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("a*b*c", "a b b c", True),
        ("a*bc*c", "abc", False),
        ("*ab*ab*", "abab", True),
        ("*ab*ab*", "aab", False),
        ("a?c", "abc", False),
        ("[ab]*", "ax", False),
        ("[ab]*", "[ab]x", True),
        (".*", "x", False),
        ("*", 1, False),
        ("*", ["x"], False),
        ("*", None, False),
    ],
)
def test_a_star_is_any_text_in_one_line_and_nothing_else_is_special(glob: str, value: object, right: bool) -> None:
    assert matches({"glob": glob}, value) is right


@pytest.mark.parametrize(
    "tail",
    [
        "; rm -rf ~",
        "&& x",
        "& x",
        "| sh",
        "$(x)",
        "`x`",
        "> /etc/x",
        "< x",
        "\nx",
        "\rx",
        "${x}",
        "\\\nx",
        "(x)",
        "\x1b[2K",
    ],
)
def test_a_star_in_a_command_never_crosses_into_another_command(tail: str) -> None:
    assert matches({"command": "git push *"}, "git push origin 'main'")
    assert not matches({"command": "git push *"}, f"git push origin {tail}")
    assert matches({"command": f"git push {tail}"}, f"git push {tail}")


def test_parts_that_end_commands_match_where_they_are_written() -> None:
    assert matches({"command": "make * && make test *"}, "make all && make test fast")
    assert not matches({"command": "make * && make test *"}, "make all; x && make test fast")
    assert not matches({"command": "make * && make test *"}, "make all && x && make test fast")


def test_a_path_is_under_a_folder_however_it_is_written(tmp_path: Path) -> None:
    folder = {"under": f"{tmp_path}//work/"}
    (tmp_path / "work" / "a").mkdir(parents=True)
    root = str(tmp_path)
    for path in ("work", "work/", "work/a", "work/new/deep", "work//a/.", "work/a/../b", "other/../work/a"):
        assert matches(folder, f"{root}/{path}"), path
    assert matches(folder, f"//{root}/work/a")
    for path in ("work/..", "work/../x", "work/a/../../x", "workshop", "work2/a", "WORK/a", "", "x"):
        assert not matches(folder, f"{root}/{path}"), path


@pytest.mark.parametrize(
    "value", ["a", "./a", "", "~", "~/a", "../a", "file:///a", " /srv/a", "/srv/a\0b", 1, None, ["/srv"]]
)
def test_what_is_no_absolute_path_is_under_nothing(value: object) -> None:
    assert not matches({"under": "/"}, value)


def test_links_do_not_lead_out_of_a_folder(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    (inside / "deep").mkdir(parents=True)
    (outside / "deep").mkdir(parents=True)
    (inside / "leak").symlink_to(outside)
    (inside / "leak-deep").symlink_to(outside / "deep")
    (inside / "dangling").symlink_to(outside / "new")
    (inside / "loop").symlink_to("loop")
    (outside / "back").symlink_to(inside)
    (outside / "back-deep").symlink_to(inside / "deep")
    folder = under(str(inside))
    assert not matches(folder, f"{inside}/leak")
    assert not matches(folder, f"{inside}/leak/x")
    assert not matches(folder, f"{inside}/dangling")
    assert not matches(folder, f"{inside}/leak/../in/x/../../out/x")
    assert not matches(folder, f"{inside}/leak-deep/../x"), "the system goes through the link, a normaliser does not"
    assert matches(folder, f"{outside}/back/x"), "it leads into the folder"
    assert not matches(folder, f"{outside}/back/../x")
    assert not matches(folder, f"{outside}/back-deep/../x"), "a normaliser does not go through the link"


def test_a_granted_folder_that_becomes_a_link_holds_nothing(tmp_path: Path) -> None:
    folder, secret = tmp_path / "folder", tmp_path / "secret"
    folder.mkdir()
    secret.mkdir()
    pattern = under(str(folder))
    assert matches(pattern, f"{folder}/file")
    folder.rmdir()
    folder.symlink_to(secret)
    assert not matches(pattern, f"{folder}/file")
    assert describe(under(str(folder))) == f'is a path in "{os.path.realpath(secret)}"'
    assert matches(under(str(folder)), f"{folder}/file"), "whoever grants the link now means where it leads"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (None, "one key"),
        ("x", "one key"),
        ({}, "one key"),
        ({"equals": 1, "any": True}, "one key"),
        ({"regex": ".*"}, "not a kind of pattern"),
        ({1: 2}, "not a kind of pattern"),
        ({"any": 1}, "any"),
        ({"any": False}, "any"),
        ({"equals": float("nan")}, "not JSON"),
        ({"equals": {1: 2}}, "not JSON"),
        ({"equals": [b"x"]}, "bytes"),
        ({"equals": cyclic()}, "deeper"),
        ({"equals": [0] * 30_000}, "more than"),
        ({"equals": 10**5000}, "digits"),
        ({"glob": 1}, "takes a text"),
        ({"glob": ""}, "takes a text"),
        ({"glob": "*a" * 200}, "stars"),
        ({"command": "*"}, "begin"),
        ({"under": "work"}, "absolute"),
        ({"under": "~/work"}, "absolute"),
        ({"under": "/a/../b"}, "absolute"),
        ({"under": "/a\0"}, "absolute"),
        ({"host": "*"}, "not a host"),
        ({"host": "a*.example.org"}, "not a host"),
        ({"host": "https://example.org"}, "not a host"),
        ({"host": "example.org:80"}, "not a host"),
        ({"host": "*.0.0.1"}, "not a host"),
        ({"host": "[::1"}, "not a host"),
        ({"host": "a..b"}, "not a host"),
    ],
)
def test_what_is_no_pattern_is_refused_with_what_and_where(pattern: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=f"args.x: .*{said}"):
        checked(pattern, key="args.x")
    with pytest.raises(ConfigError):
        matches(pattern, "x")
    with pytest.raises(ConfigError):
        covers({"any": True}, pattern)
    with pytest.raises(ConfigError):
        describe(pattern)


def test_a_pattern_cannot_be_changed_after_it_was_checked() -> None:
    value: list[Any] = [1]
    pattern: Any = checked({"equals": value})
    value.append(2)
    assert matches(pattern, [1])
    with pytest.raises(TypeError):
        pattern["any"] = True
    with pytest.raises(TypeError):
        pattern["equals"].append(2)


def test_descriptions_are_whole_and_in_one_line() -> None:
    assert describe({"equals": "rm -rf  x "}) == 'is exactly "rm -rf  x "'
    assert describe({"equals": {"a": [1, None]}}) == 'is exactly {"a": [1, null]}'
    assert describe({"glob": "git *"}) == 'is a text like "git *"'
    assert describe({"command": "git *"}) == 'is one simple command like "git *"'
    assert describe({"host": "*.example.org"}) == 'is a URL at any subdomain of "example.org"'
    assert describe({"any": True}) == "is anything"
    assert describe({"equals": "a\n\u202eb\x1b[2J\u00a0é"}) == 'is exactly "a\\n\\u202eb\\u001b[2J\\u00a0é"'
