"""Checks whether the condition of a statement excludes any row."""

import re

from hermes_guard.shell.word import HOLE


def every_row(words: list[str]) -> bool:
    """Return True without a condition, or with one that every row meets."""
    depth = 0
    condition: list[str] | None = None
    for word in words:
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
            if depth < 0:
                break
        if condition is not None:
            condition.append(word)
        elif word == "WHERE" and depth == 0:
            condition = []
    if condition is None:
        return True
    for end in ("RETURNING", "LIMIT", "ORDER"):
        if end in condition:
            condition = condition[: condition.index(end)]
    condition = [word for word in condition if word not in {"(", ")"}]
    parts: list[list[str]] = [[]]
    for word in condition:
        if word == "OR":
            parts.append([])
        else:
            parts[-1].append(word)
    return any(_always(part) for part in parts)


def _always(part: list[str]) -> bool:
    text = " ".join(part)
    if text in {"TRUE", "NOT FALSE", "NOT 0", "1"} or (len(part) == 1 and part[0].isdigit() and part[0] != "0"):
        return True
    if len(part) == 3 and part[1] in {"=", "LIKE", "IS"} and part[0] == part[2]:
        return HOLE not in part[0]
    if len(part) == 4 and part[1:] == ["IS", "NOT", "NULL"]:
        return True
    if len(part) == 3 and part[1] in {"LIKE", "ILIKE"} and part[2] in {"'%'", "'%%'"}:
        return True
    if re.match(r"(?:\d+ (?:< >|! =|<|>) \d+|'[^']*' (?:< >|! =) '[^']*')$", text):
        return True
    return len(part) in {3, 4} and part[-1] == "0" and part[1] == ">" and part[0].endswith("ID")
