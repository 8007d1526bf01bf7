"""Reads Tcl and expect, word by word."""

from hermes_guard import lazy_re as re
from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation, deletes, quoted, runs
from hermes_guard.shell.word import HOLE

#: Where a command may begin, and the names that matter there.
_COMMAND = re.compile(
    r"(?:\A|(?<=[;\n\[{\"]))[ \t]*(exec|spawn|system|open|eval|send|file[ \t]+delete|exp_spawn|exp_send|exp_system)"
    r"(?=[ \t])"
)
_SPACE = re.compile(r"(?:[ \t]|\\\n)*")
_BARE = re.compile(r"(?:[^\s;\"\]{}\\]|\\.)+", re.DOTALL)
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)(?:\"|\\?\Z)", re.DOTALL)
_VARIABLE = re.compile(r"\$\{?[\w:]+\}?(?:\([^)\n]{0,100}\))?|\[[^\]\n]{0,200}\]")
_FLAGS = frozenset({"-noecho", "-ignorestderr", "--", "-keepnewline", "-s", "-h", "-i"})
#: The maximum number of words in a command, and of characters in a braced word.
_LIMIT, _MAX_LENGTH = 32, 2_000
#: Programs whose typed input goes to a shell.
_SHELLS_INSIDE = re.compile(r"(?:\S*/)?(?:ssh|telnet|su|sudo|docker|kubectl|mosh|rsh|login|screen|\w*sh)\b")


def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what Tcl or Expect code would do."""
    _ = home, looped
    found: list[Operation] = []
    typed = False
    for match in _COMMAND.finditer(code):
        name = match.group(1).removeprefix("exp_")
        words = _words(code, match.end())
        if not budget.reads(24 + sum(map(len, words)) // 8):
            break
        if name in {"exec", "spawn", "system"}:
            rest = [word for word in words if word not in _FLAGS]
            text = " ".join(map(quoted, rest)) if len(rest) > 1 and name != "system" else " ".join(rest)
            typed = typed or _SHELLS_INSIDE.match(text) is not None
            found.append(runs(text, name))
        elif name == "send" and typed and words and not words[-1].startswith(HOLE):
            found.append(runs(words[-1].replace("\\r", "\n").replace("\\n", "\n"), name))
        else:
            found += _others(name, words)
    return found


def _others(name: str, words: list[str]) -> list[Operation]:
    if name.endswith("delete"):
        # A directory that is not empty is deleted only with `-force`.
        paths = [word for word in words if word not in {"-force", "--"}]
        if "-force" in words and paths:
            return [operation for path in paths for operation in deletes(path, "file delete", recursive=True)]
        return [operation for path in paths for operation in deletes(path, "file delete", many=HOLE in path)]
    if name == "open" and words and words[0].startswith("|"):
        return [runs(words[0].strip("| "), "open")]
    if name == "eval" and any(HOLE in word for word in words) and not any("exec" in word for word in words):
        return [Operation("eval", "eval of code that is unknown until it runs")]
    return []


def _words(code: str, index: int) -> list[str]:
    """Return the rest of the command's words, with holes for substitutions."""
    found: list[str] = []
    while len(found) < _LIMIT:
        index = _end(_SPACE, code, index)
        char = code[index : index + 1]
        if char == "{":
            end = _closed(code, index)
            found.append(code[index + 1 : end - 1])
        elif char == '"':
            text = _QUOTED.match(code, index)
            assert text
            end = text.end()
            found.append(_VARIABLE.sub(HOLE, re.sub(r"\\([\"$\[\]\\])", r"\1", text.group(1))))
        else:
            bare = _BARE.match(code, index)
            if bare is None:
                return found
            end = bare.end()
            found.append(_VARIABLE.sub(HOLE, bare.group()))
        index = end
    return found


def _end(pattern: re.Pattern[str], code: str, index: int) -> int:
    found = pattern.match(code, index)
    return found.end() if found else index


def _closed(code: str, index: int) -> int:
    """Return the position after the matching closing brace."""
    depth = 0
    for place in range(index, min(len(code), index + _MAX_LENGTH)):
        depth += (code[place] == "{") - (code[place] == "}")
        if not depth:
            return place + 1
    return min(len(code), index + _MAX_LENGTH)
