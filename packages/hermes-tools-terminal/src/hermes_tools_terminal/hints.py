"""What exit codes mean that are no failure, or that only people know."""

from __future__ import annotations

import posixpath
import re
import shlex

_SEARCHED = {1: "nothing was found (this is not an error)"}
_DIFFERS = {1: "the files differ (this is not an error)"}
_FALSE = {1: "the condition is false (this is not an error)"}
_MEANINGS: dict[str, dict[int, str]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "pgrep"), _SEARCHED),
    **dict.fromkeys(("diff", "colordiff", "cmp", "comm"), _DIFFERS),
    **dict.fromkeys(("test", "[", "[["), _FALSE),
    "find": {1: "some folders could not be read; the results may not be complete"},
    "curl": {
        6: "the host's name could not be resolved",
        7: "nobody answers at that address",
        22: "the server answered with an HTTP error",
        28: "the time was up",
    },
    "wget": {4: "the network failed", 8: "the server answered with an error"},
    "git": {1: "it failed, or there is nothing to do; for git diff and git grep this is not an error"},
    "ssh": {255: "the connection failed"},
    "timeout": {124: "the time was up"},
    "python": {1: "the program raised an exception, or says that it failed"},
    "pytest": {
        1: "some tests failed",
        2: "it was interrupted",
        4: "it was called in a wrong way",
        5: "there are no tests",
    },
}
_ANYWHERE = {
    124: "the time was up and the command was ended",
    126: "it was found but cannot be run: no permission, not a program, or no such folder",
    127: "there is no such command",
    130: "it was interrupted",
    137: "it was killed (SIGKILL): by somebody, or because memory was short",
    139: "it crashed (segmentation fault)",
    143: "it was asked to end (SIGTERM)",
}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_OPERATORS = frozenset({";", "&&", "||", "|", "&", "|&", "(", ")", ";;", "\n"})
_PREFIXES = frozenset({"!", "sudo", "env", "command", "nice", "nohup", "time", "timeout", "exec", "builtin"})
_OPTIONS_WITH_VALUE = frozenset({"-u", "-g", "-n", "-k", "-s"})
_DURATION = re.compile(r"[\d.]+[smhd]?")
# What is not what it looks like: quotes, escapes, comments; and line ends.
_SPECIAL = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.|(?<![^\s;&|()])#[^\n]*|\n""", re.DOTALL)
_BLANKED = str.maketrans("();<>|&\n", "________")


def meaning(command: str, status: int) -> str | None:
    """What an exit code means for the last program of a command; None when there is nothing to say."""
    if status == 0:
        return None
    program = last_program(command)
    return _MEANINGS.get(program, {}).get(status) or _ANYWHERE.get(status)


def last_program(command: str) -> str:
    """The program whose exit code is the command's: that of the last one, without its folder."""
    words = words_of(command)
    if words is None:
        return ""
    start = 0
    for index, word in enumerate(words):
        if word in _OPERATORS and index + 1 < len(words):
            start = index + 1
    left, prefix = words[start:], ""
    while left:
        word = left.pop(0)
        if word in _PREFIXES:
            prefix = word
        elif prefix and word.startswith("-"):
            if word in _OPTIONS_WITH_VALUE:
                left = left[1:]
        elif not _ASSIGNMENT.match(word) and not (prefix == "timeout" and _DURATION.fullmatch(word)):
            return re.sub(r"^python[\d.]*$", "python", posixpath.basename(word))
    return ""


def words_of(command: str) -> list[str] | None:
    """The words of a command, operators apart from the rest; None when its quotes do not match.

    Operators inside of quotes are blanked, so that every operator among the words is one.
    """
    reader = shlex.shlex(_SPECIAL.sub(_plain, command.strip()), posix=True, punctuation_chars="();<>|&")
    reader.whitespace_split = True
    reader.commenters = ""
    try:
        return list(reader)
    except ValueError:
        return None


def _plain(found: re.Match[str]) -> str:
    text = found[0]
    if text == "\n":
        return " ; "
    if text == "\\\n":
        return ""
    return "" if text.startswith("#") else text.translate(_BLANKED)
