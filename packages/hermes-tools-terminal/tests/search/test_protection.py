"""Quick looks at names must miss nothing that the guard itself would stop."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_guard import PathPolicy, judge_path
from hermes_tools_terminal.search.protected_files import Protection

EXAMPLES = sorted(
    {
        path.replace("~", "/home/me", 1) if path.startswith("~") else path if path.startswith("/") else f"/srv/p/{path}"
        for rule in PathPolicy().rules
        if "read" in rule.ops and rule.severity != "allow"
        for path in rule.match
    }
)


def rules(path: str) -> set[str]:
    return set(judge_path("read", path, workspace="/srv/p", home="/home/me").rules)


@pytest.mark.parametrize("depth", [1, 2, 3, -1])
def test_every_example_of_the_guard_is_hidden_below_every_folder(depth: int) -> None:
    wrong = []
    for path in EXAMPLES:
        parts = path.strip("/").split("/")
        cut = depth if depth > 0 else len(parts) - 1
        if not 0 < cut < len(parts):
            continue
        root, below = "/" + "/".join(parts[:cut]), os.fsencode("/".join(parts[cut:]))
        protection = Protection(root, decided=root, workspace="/srv/p", home="/home/me")
        expected = not rules(path) <= rules(root)
        if (below in protection.hidden([b"other.py", below])) != expected:
            wrong.append((root, below))
    assert not wrong
    assert len(EXAMPLES) > 50


NAMES = st.sampled_from(
    [
        "src",
        "id_rsa",
        ".ssh",
        ".env",
        "a.pem",
        "config",
        "token.txt",
        "x.py",
        "ID_RSA",
        "id_rsa.",
        "%69d_rsa",
        ".aws",
        "é",
        "a\nb",
    ]
)


@settings(max_examples=60, deadline=None)
@given(paths=st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), min_size=1, max_size=6, unique=True))
def test_many_at_once_are_judged_as_each_alone(paths: list[str]) -> None:
    protection = Protection("/srv/p", decided="/srv/p", workspace="/srv/p", home="/home/me")
    expected = {os.fsencode(path) for path in paths if rules(f"/srv/p/{path}")}
    assert protection.hidden([os.fsencode(path) for path in paths]) == expected
