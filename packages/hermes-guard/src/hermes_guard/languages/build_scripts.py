"""Reads build scripts and finds the commands they run: CMake, Ninja and the scripts of a `package.json`."""

import json
from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.languages.operation import quoted
from hermes_guard.shell.word import HOLE

_PROCESS = re.compile(
    r"\b(?:execute_process|add_custom_command|add_custom_target|exec_program)\s*\(([^)]*)", re.IGNORECASE
)
_REMOVE = re.compile(r"\bfile\s*\(\s*(REMOVE_RECURSE|REMOVE|WRITE|APPEND)\b([^)]*)", re.IGNORECASE)
_WORD = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|([^\s\"]+)")
_REFERENCE = re.compile(r"\$(?:ENV)?\{[^}]{0,100}\}")
_HOME = re.compile(r"\$ENV\{HOME\}")
#: Keywords that end a command among the arguments.
_KEYWORDS = re.compile(
    r"(?:WORKING_DIRECTORY|TIMEOUT|RESULTS?_VARIABLE|OUTPUT_\w+|ERROR_\w+|INPUT_FILE|COMMAND_\w+|ENCODING|DEPENDS|COMMENT|"
    r"VERBATIM|BYPRODUCTS|ALL|ARGS|USES_TERMINAL)\Z"
)
_NINJA = re.compile(r"^\s+command\s*=\s*(.*)$", re.MULTILINE)
_NINJA_VARIABLE = re.compile(r"\$\{?\w+\}?")


def cmake(text: str, home: str) -> Iterator[str]:
    """Yield the shell code that a CMake script runs, or its equivalent."""
    text = _HOME.sub(lambda _: home, text)
    for found in _PROCESS.finditer(text):
        words: list[str] | None = None
        for one, two in _WORD.findall(found.group(1)):
            word = _REFERENCE.sub(HOLE, one or two)
            if word == "COMMAND" or _KEYWORDS.match(word):
                if words:
                    yield " ".join(map(quoted, words))
                words = [] if word == "COMMAND" else None
            elif words is not None:
                words.append(word)
        if words:
            yield " ".join(map(quoted, words))
    for found in _REMOVE.finditer(text):
        kind = found.group(1).upper()
        paths = [_REFERENCE.sub(HOLE, one or two) for one, two in _WORD.findall(found.group(2))]
        if kind.startswith("REMOVE"):
            yield f"rm {'-rf' if kind.endswith('RECURSE') else '-f'} -- {' '.join(map(quoted, paths))}"
        elif paths:
            yield f"echo x > {quoted(paths[0])}"


def ninja(text: str, _: str) -> Iterator[str]:
    """Yield the commands in Ninja rules."""
    for found in _NINJA.finditer(text):
        yield _NINJA_VARIABLE.sub(HOLE, found.group(1))


_INSTALLS = frozenset({"install", "i", "ci", "add"})
_RUNS = frozenset({"run", "run-script", "rum"})
_OWN = {"t": "test", "tst": "test"}
_HOOKS = ("preinstall", "install", "postinstall", "prepare")


def commands(text: str, program: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the shell code that a package manager runs when called with these words."""
    try:
        known = json.loads(text)
    except (ValueError, RecursionError):
        return
    scripts = known.get("scripts") if isinstance(known, dict) else None
    if not isinstance(scripts, dict):
        return
    operands = [word for word in words if not word.startswith("-")]
    verb = operands[0] if operands else "install" if program == "yarn" else ""
    if verb in _INSTALLS:
        wanted: tuple[str, ...] = _HOOKS
    else:
        name = operands[1] if verb in _RUNS and len(operands) > 1 else _OWN.get(verb, verb)
        wanted = (f"pre{name}", name, f"post{name}")
        if verb not in _RUNS and program == "npm" and name not in {"test", "start", "stop", "restart"}:
            return
    for name in wanted:
        code = scripts.get(name)
        if isinstance(code, str) and code.strip():
            yield code
