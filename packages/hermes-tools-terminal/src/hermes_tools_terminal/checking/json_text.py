"""Checks JSON, and JSON with comments where a file is known to have them."""

from __future__ import annotations

import json
import posixpath
import re

from hermes_tools_terminal.checking.problem import Problem, UncheckedError

_LONGEST = 20_000_000
"""More characters than that take seconds to read."""

_WITH_COMMENTS = re.compile(
    r"(tsconfig|jsconfig)(\..+)?\.json|\.?devcontainer\.json|tslint\.json|\.eslintrc\.json|\.babelrc\.json"
    r"|api-extractor\.json|turbo\.json|\.swcrc|.+\.jsonc|.+\.code-workspace|.+\.sublime-[a-z]+|.+\.hujson"
)
_FOLDERS_WITH_COMMENTS = frozenset({".vscode", ".devcontainer", ".zed"})

# What is not closed goes on to the end, so that no text is read twice.
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"?|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)')
_STRING_OR_LAST_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"?|,(?=\s*[\]}])')
_NOT_A_LINE_FEED = re.compile(r"[^\n]")


def json_problems(path: str, text: str) -> list[Problem]:
    """What is wrong with a JSON text.

    Args:
        path: The path of its file, which tells whether comments are mistakes.
        text: It itself.

    Raises:
        UncheckedError: it is too long or too deeply nested.
    """
    if len(text) > _LONGEST:
        raise UncheckedError("It is too long to be checked.")
    if may_have_comments(path):
        text = _STRING_OR_COMMENT.sub(_blanked, text)
        text = _STRING_OR_LAST_COMMA.sub(_blanked, text)
    try:
        json.loads(text, parse_int=str, parse_float=str)  # long numbers take long to read
    except json.JSONDecodeError as error:
        return [Problem(error.lineno, error.colno, error.msg)]
    except RecursionError:
        raise UncheckedError("It is too deeply nested to be checked.") from None
    return []


def may_have_comments(path: str) -> bool:
    """Whether those who read a file put up with comments and commas behind the last item."""
    folder, name = posixpath.split(path)
    return _WITH_COMMENTS.fullmatch(name) is not None or posixpath.basename(folder) in _FOLDERS_WITH_COMMENTS


def _blanked(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else _NOT_A_LINE_FEED.sub(" ", found[0])
