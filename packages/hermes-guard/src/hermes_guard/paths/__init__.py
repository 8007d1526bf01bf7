"""One policy for paths: what may be read or written unasked, what is asked about, what is never done."""

import os

from hermes_guard.paths.policy import PathPolicy
from hermes_guard.paths.rule import Op, PathRule, rules_from_data
from hermes_guard.verdict import Verdict

DEFAULT_POLICY = PathPolicy()
"""The policy of the table alone."""

Folder = str | os.PathLike[str] | None
"""A folder as callers have it; None when they do not say."""


def judge_path(
    op: Op,
    path: str | os.PathLike[str],
    *,
    workspace: Folder = None,
    home: Folder = None,
    policy: PathPolicy = DEFAULT_POLICY,
) -> Verdict:
    """Say whether a file may be read or written unasked.

    Judged are the path as written, what else its text may be meant as, and where links lead to; the strictest wins.
    The file system is only looked at: nothing is opened, and nothing is raised for any path.

    Args:
        op: `read` or `write`.
        path: As a program would open it. `~`, `~user`, `$HOME`, `file://` and backslashes are understood, too.
        workspace: The project's folder. Relative paths start there, and writing inside it is ordinary. Without it
            relative paths are ordinary unless a rule says otherwise.
        home: The home of the user; the one of the environment when not given.
        policy: Another table, as `PathPolicy.with_rules` makes it.

    Raises:
        ValueError: `op` is another word.
    """
    return policy.judge(op, path, workspace=text_of(workspace) or None, home=text_of(home) or None)


def text_of(folder: Folder) -> str:
    """A folder as text; empty when there is none."""
    if isinstance(folder, str) or folder is None:
        return folder or ""
    text = os.fspath(folder)
    if not isinstance(text, str):
        raise TypeError(f"a folder is a str or a path of str, not {type(text).__name__}")
    return text


__all__ = ["DEFAULT_POLICY", "Folder", "Op", "PathPolicy", "PathRule", "judge_path", "rules_from_data", "text_of"]
