"""Rules of users, and invalid arguments."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hermes_guard.paths import DEFAULT_POLICY, PathPolicy, PathRule, judge_path, rules_from_data

HOME = "/home/dev"


def test_a_rule_from_data_joins_the_table() -> None:
    rules = rules_from_data(
        [{"id": "mine.ledger", "ops": ["write"], "reason": "The ledger is signed.", "patterns": ["**/ledger/**"]}]
    )
    policy = DEFAULT_POLICY.with_rules(rules)
    assert judge_path("write", "books/ledger/2024.csv", policy=policy).rules == ("mine.ledger",)
    assert judge_path("read", "books/ledger/2024.csv", policy=policy).allowed
    assert judge_path("write", "books/ledger/2024.csv").allowed


def test_an_allowing_rule_lifts_questions_but_no_refusal() -> None:
    allow = PathRule(
        id="mine.allow",
        ops=("read", "write"),
        severity="allow",
        reason="Known.",
        patterns=("/dev/**", "**/samples/**"),
    )
    policy = DEFAULT_POLICY.with_rules([allow])
    assert judge_path("read", "deploy/samples/server.key", policy=policy).allowed
    assert judge_path("read", "deploy/server.key", policy=policy).severity == "ask"
    assert judge_path("write", "/dev/ttyUSB0", policy=policy, workspace="/home/dev/shop").allowed
    assert judge_path("write", "/dev/sda", policy=policy).refused


def test_an_allowing_rule_does_not_cover_where_a_link_leads(tmp_path: Path) -> None:
    allow = PathRule(id="mine.allow", ops=("read",), severity="allow", reason="Known.", patterns=("**/fixtures/**",))
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures" / "a.txt").symlink_to("/etc/shadow")
    policy = DEFAULT_POLICY.with_rules([allow])
    assert judge_path("read", tmp_path / "fixtures" / "a.txt", policy=policy).severity == "ask"


def test_a_rule_of_the_same_id_takes_the_place_of_the_old_one() -> None:
    (dotenv,) = [rule for rule in DEFAULT_POLICY.rules if rule.id == "path.dotenv"]
    weaker = PathRule(
        id=dotenv.id,
        ops=("write",),
        severity="ask",
        reason=dotenv.reason,
        patterns=dotenv.patterns,
        unless=dotenv.unless,
    )
    policy = DEFAULT_POLICY.with_rules([weaker])
    assert len(policy.rules) == len(DEFAULT_POLICY.rules)
    assert judge_path("read", ".env", policy=policy).allowed
    assert judge_path("write", ".env", policy=policy).severity == "ask"


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"reason": "x", "patterns": ["/a"]}, "id"),
        ({"id": "a", "patterns": ["/a"]}, "reason"),
        ({"id": "a", "reason": "x"}, "patterns"),
        ({"id": "a", "reason": "x", "patterns": ["a"]}, "must begin"),
        ({"id": "a", "reason": "x", "patterns": [1]}, "list of texts"),
        ({"id": "a", "reason": "x", "patterns": ["/a"], "ops": ["delete"]}, "operations"),
        ({"id": "a", "reason": "x", "patterns": ["/a"], "severity": "never"}, "severity"),
        ({"id": "a", "reason": "x", "patterns": ["/a"], "severity": 3}, "severity"),
        ({"id": "a", "reason": "x", "patterns": ["/a"], "pattern": ["/a"]}, "unknown key"),
        ({"id": "a", "reason": "x", "patterns": ["/a"], "in_workspace": "no"}, "in_workspace"),
    ],
)
def test_a_bad_entry_says_what_is_wrong(entry: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        rules_from_data([entry])


def test_two_rules_of_one_id_are_an_error() -> None:
    rule = PathRule(id="a", ops=("read",), severity="ask", reason="x", patterns=("/a",))
    with pytest.raises(ValueError, match="two rules"):
        PathPolicy([rule, rule])


@pytest.mark.parametrize(
    "pattern", ["/a/*/c", "/a/**/c", "/a/?/c", "/a/[b]/c", "**/a/b/c", "/a/**", "/A/B/C", "**/[a-c]"]
)
def test_the_pattern_language(pattern: str) -> None:
    policy = PathPolicy([PathRule(id="a", ops=("read",), severity="ask", reason="x", patterns=(pattern,))])
    assert judge_path("read", "/a/b/c", policy=policy).rules == ("a",)
    assert judge_path("read", "/x/b/d", policy=policy).allowed


def test_an_unknown_operation_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="read"):
        judge_path("delete", "a")  # type: ignore[arg-type]


class _Broken:
    def __fspath__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("path", [None, 3, object(), _Broken(), ["a"]])
def test_what_is_no_path_is_asked(path: object) -> None:
    assert judge_path("read", path).rules == ("path.malformed",)  # type: ignore[arg-type]


def test_path_objects_and_bytes_are_paths() -> None:
    assert judge_path("read", Path("/etc/shadow")).rules == ("path.system-secret",)
    assert judge_path("read", os.fsencode("/etc/shadow")).rules == ("path.system-secret",)  # type: ignore[arg-type]
    assert judge_path("read", os.fsdecode(b"caf\xe9.txt"), workspace="/nowhere").allowed


PIECES = st.sampled_from(
    [
        "/",
        "..",
        ".",
        "~",
        "$HOME",
        "\\",
        "C:",
        "file:",
        "%2e",
        "*",
        "[",
        "]",
        "\0",
        "\u200b",
        " ",
        "etc",
        "shadow",
        "proc",
        "self",
        "root",
        "dev",
        "fd",
        ".ssh",
        ".env",
        "ｅ",
        "\ud800",
        "\udc80",
        "{",
        "home",
        "private",
        "::$DATA",
        "'",
    ]
)


@given(
    path=st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
    | st.lists(PIECES, max_size=20).map("".join)
    | st.lists(PIECES, max_size=20).map("/".join),
    workspace=st.none() | st.lists(PIECES, max_size=6).map("/".join),
    home=st.none() | st.lists(PIECES, max_size=6).map("/".join),
)
@example(path="[", workspace="[", home="[")
@example(path="/proc/self/fd/../..", workspace=None, home=None)
@example(path="\0", workspace="\0", home="\0")
def test_nothing_is_ever_raised(path: str, workspace: str | None, home: str | None) -> None:
    for op in ("read", "write"):
        verdict = judge_path(op, path, workspace=workspace, home=home)
        assert verdict.severity in ("allow", "ask", "refuse")


@given(st.lists(st.sampled_from(["a", "b", ".", "..", ""]), max_size=12).map("/".join))
def test_detours_change_nothing(detour: str) -> None:
    depth = "../" * 12
    assert judge_path("write", f"/x/{detour}/{depth}etc/shadow", home=HOME).rules == ("path.shadow",)
    assert judge_path("write", f"/x/{detour}/{depth}dev/sda", home=HOME).refused


LONG = [
    "/" * 1_000_000,
    "a" * 1_000_000,
    "../" * 300_000,
    "*" * 1_000_000,
    "/proc/self/root" * 60_000,
    "\0" * 1_000_000,
    *(
        piece * (4000 // len(piece))
        for piece in ("~", ".ssh/", "*a", "/proc/self/root", "\u200b", ".env.", "[a]*", "/.a")
    ),
    *(
        piece * (4000 // len(piece))
        for piece in ("/.hermes/x", "%2e", "\\", ". ", " ", "１", "/.git/modules/hooks", "'")
    ),
]


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_a_long_text_is_answered_soon(text: str) -> None:
    start = time.process_time()
    judge_path("write", text, workspace="/home/dev/shop", home=HOME)
    assert time.process_time() - start < 1  # a few milliseconds; the rest is for a slow machine
