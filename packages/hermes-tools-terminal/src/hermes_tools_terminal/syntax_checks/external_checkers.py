"""Check other languages with read-only commands in the environment of the file, when they are installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hermes_tools_terminal.syntax_checks.problem import Problem, UncheckedError

Run = Callable[[Sequence[str], str], tuple[int, str]]
"""Runs a command with text as its input, and returns its exit status and output. Raises `OSError` if it cannot be run,
which a status of 126 or 127 means too, and `TimeoutError` after `SECONDS`.
"""

SECONDS = 30.0
"""The timeout of a checker."""

_LONGEST = 2_000_000
"""Longer text is not sent."""

_MAX_PROBLEMS = 20

_MODULE = re.compile(r"^(?:import|export)\b", re.MULTILINE)
_SHEBANG = re.compile(r"#![ \t]*\S*?(?:/env[ \t]+(?:-S[ \t]+)?)?(\w+)[ \t]*(?:\n|$|[ \t])")


@dataclass(frozen=True, slots=True)
class Program:
    """A command that checks its input.

    Attributes:
        argv: The command.
        problem_pattern: Matches a problem in its output; with the groups `line`, `column` and `message`.
        unsupported: Matches its output for text in a language that it does not support.
    """

    argv: tuple[str, ...]
    problem_pattern: re.Pattern[str]
    unsupported: re.Pattern[str] | None = None


_NODE_SAYS = re.compile(r"^\[stdin\]:(?P<line>\d+)\n(?:[^\n]*\n){0,4}?(?P<message>SyntaxError: [^\n]+)", re.MULTILINE)
_JSX = re.compile(r"Unexpected token '<'")
_NODE = Program(("node", "--check", "-"), _NODE_SAYS, _JSX)
_NODE_MODULE = Program(("node", "--input-type=module", "--check", "-"), _NODE_SAYS, _JSX)
_GOFMT = Program(
    ("gofmt", "-e", "-l"),
    re.compile(r"^<standard input>:(?P<line>\d+):(?P<column>\d+): (?P<message>.+)$", re.MULTILINE),
)
_RUSTFMT = Program(
    ("rustfmt", "--edition", "2021", "--check"),
    re.compile(r"^error(?:\[\w+\])?: (?P<message>.+)\n +--> <stdin>:(?P<line>\d+):(?P<column>\d+)", re.MULTILINE),
)
_BASH = Program(
    ("bash", "-n"), re.compile(r"^\S*bash: (?:-: )?(?:line (?P<line>\d+): )?(?P<message>.+)$", re.MULTILINE)
)
_SH = Program(("sh", "-n"), re.compile(r"^\S*sh: (?:-: )?(?:line )?(?P<line>\d+): (?P<message>.+)$", re.MULTILINE))
_PHP = Program(
    ("php", "-n", "-l"),
    re.compile(r"^(?:PHP )?(?P<message>(?:Parse|Fatal) error: .+) in \S.* on line (?P<line>\d+)$", re.MULTILINE),
)
_RUBY = Program(("ruby", "-c"), re.compile(r"^-:(?P<line>\d+): (?P<message>.+)$", re.MULTILINE))

_BY_EXTENSION: dict[str, tuple[Program, ...]] = {
    ".js": (_NODE,),
    ".cjs": (_NODE,),
    ".mjs": (_NODE_MODULE,),
    ".go": (_GOFMT,),
    ".rs": (_RUSTFMT,),
    ".sh": (_BASH,),
    ".bash": (_BASH,),
    ".php": (_PHP,),
    ".rb": (_RUBY,),
}


def programs(extension: str, text: str) -> tuple[Program, ...]:
    """Return the commands that can check a text, best first, by the extension of its file and its content."""
    if extension == ".js" and _MODULE.search(text):
        return (_NODE_MODULE,)
    if extension == ".sh" and (shebang := _SHEBANG.match(text)):
        return {"bash": (_BASH,), "sh": (_BASH, _SH), "dash": (_BASH, _SH), "ash": (_BASH, _SH)}.get(shebang[1], ())
    return _BY_EXTENSION.get(extension, ())


def program_problems(candidates: Sequence[Program], text: str, run: Run) -> list[Problem]:
    """Return the problems that the first installed command reports.

    Raises:
        UncheckedError: None is installed, or its output is not understood.
    """
    if len(text) > _LONGEST:
        raise UncheckedError("It is too long to check.")
    for program in candidates:
        try:
            status, output = run(program.argv, text)
        except TimeoutError:
            raise UncheckedError(f"{program.argv[0]} took too long to check it.") from None
        except OSError:
            continue
        if status not in (126, 127):
            return _parse_output(program, status, output)
    names = " or ".join(program.argv[0] for program in candidates)
    raise UncheckedError(f"{names} is not installed to check it.")


def _parse_output(program: Program, status: int, output: str) -> list[Problem]:
    if status == 0:
        return []
    if program.unsupported is not None and program.unsupported.search(output):
        raise UncheckedError(f"It may be in a language that {program.argv[0]} does not know.")
    problems: dict[Problem, None] = {}
    for found in program.problem_pattern.finditer(output):
        groups = found.groupdict()
        problem = Problem(int(groups["line"] or 1), int(groups.get("column") or 0), groups["message"].strip())
        problems[problem] = None
        if len(problems) == _MAX_PROBLEMS:
            break
    if not problems:
        raise UncheckedError(f"{program.argv[0]} could not check it.")
    return list(problems)
