"""Judges paths: which may be read or written freely, which need approval, and which are refused."""

import os

from hermes_guard.paths.policy import PathPolicy
from hermes_guard.paths.rule import Op, PathRule, rules_from_data
from hermes_guard.verdict import Verdict

DEFAULT_POLICY = PathPolicy()
"""The built-in policy."""

Folder = str | os.PathLike[str] | None
"""A directory as callers pass it; None when it is not given."""


def judge_path(
    op: Op,
    path: str | os.PathLike[str],
    *,
    workspace: Folder = None,
    home: Folder = None,
    policy: PathPolicy = DEFAULT_POLICY,
) -> Verdict:
    """Judge reading or writing a path.

    The verdict covers the path as written, its other possible readings, and the targets of links; the strictest wins.
    Only metadata in the file system is read: no file is opened, and no path raises.

    Args:
        op: `read` or `write`.
        path: As a program would open it. `~`, `~user`, `$HOME`, `file://` and backslashes are also understood.
        workspace: The project directory. Relative paths start there, and writing inside it is ordinary. Without it
        relative paths are ordinary unless a rule matches.
        home: The user's home directory; taken from the environment by default.
        policy: Another policy, for example from `PathPolicy.with_rules`.

    Raises:
        ValueError: `op` is neither `read` nor `write`.
    """
    return policy.judge(op, path, workspace=text_of(workspace) or None, home=text_of(home) or None)


def text_of(folder: Folder) -> str:
    """Return a directory as a string; empty when there is none."""
    if isinstance(folder, str) or folder is None:
        return folder or ""
    text = os.fspath(folder)
    if not isinstance(text, str):
        raise TypeError(f"a directory is a str or a path of str, not {type(text).__name__}")
    return text


__all__ = ["DEFAULT_POLICY", "Folder", "Op", "PathPolicy", "PathRule", "judge_path", "rules_from_data", "text_of"]
