"""`hermes-guard check`: judges a file of commands."""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from hermes_guard.cli.output import DIFFERENT, EXIT_CODES, plural, print_json, visible
from hermes_guard.guard import Guard
from hermes_guard.rules.rule_files import RuleFileError
from hermes_guard.verdict import Severity, Verdict

_SEVERITIES = get_args(Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One command of the file, and what its author expects."""

    number: int
    command: str
    expect: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A line with its verdict."""

    line: Line
    verdict: Verdict

    @property
    def differs(self) -> bool:
        """True when the verdict is not what the line expects."""
        return self.line.expect not in {None, self.verdict.severity}

    def as_dict(self) -> dict[str, Any]:
        """Return the line as plain JSON data."""
        facts: dict[str, Any] = {"line": self.line.number, "command": self.line.command, **self.verdict.as_dict()}
        return facts if self.line.expect is None else facts | {"expect": self.line.expect, "differs": self.differs}


def check_file(guard: Guard, file: str, *, cwd: str | None, home: str | None, as_json: bool) -> int:
    """Judge every line and return the exit code. Where lines say what they expect, differences decide it."""
    judged = [
        Judged(line=line, verdict=guard.judge(line.command, cwd=cwd, home=home)) for line in lines(_text(file), file)
    ]
    counts = Counter(one.verdict.severity for one in judged)
    different = sum(one.differs for one in judged)
    if as_json:
        summary = {severity: counts[severity] for severity in _SEVERITIES}
        print_json({"lines": [one.as_dict() for one in judged], "summary": summary | {"different": different}})
    else:
        for one in judged:
            print(_format_line(one))
        parts = [f"{counts[severity]:,} {severity}" for severity in _SEVERITIES]
        end = f"; {different:,} not as expected" if different else ""
        print(f"{plural(len(judged), 'command')}: {', '.join(parts)}{end}")
    if any(one.line.expect is not None for one in judged):
        return DIFFERENT if different else 0
    return max((EXIT_CODES[one.verdict.severity] for one in judged), default=0)


def _format_line(one: Judged) -> str:
    rules = f"  [{', '.join(one.verdict.rules)}]" if one.verdict.findings else ""
    expected = f"  (expected {one.line.expect})" if one.differs else ""
    return f"{one.verdict.severity:<6}  {visible(one.line.command[:200])}{rules}{expected}"


def _text(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    with open(file, encoding="utf-8", errors="surrogateescape", newline="") as stream:
        return stream.read()


def lines(text: str, name: str) -> Iterator[Line]:
    """Yield the commands of a file, without blank lines and comments."""
    for number, raw in _joined(text.split("\n")):
        line = raw.strip(" \t\r")
        if not line or line.startswith("#"):
            continue
        entry = _entry(line)
        if entry is None:
            yield Line(number=number, command=raw.removesuffix("\r"))
            continue
        if entry.get("expect") not in (None, *_SEVERITIES):
            raise RuleFileError(f"{name}:{number}: expect is one of {', '.join(_SEVERITIES)}")
        yield Line(number=number, command=entry["command"], expect=entry.get("expect"))


def _joined(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers. A line that ends in a backslash continues in the next one."""
    held: list[str] = []
    for number, line in enumerate(lines, 1):
        held.append(line)
        if line.rstrip("\r").endswith("\\") and number < len(lines):
            continue
        yield number - len(held) + 1, "\n".join(held)
        held = []


def _entry(line: str) -> dict[str, Any] | None:
    """Return the JSON object of a line; None when the line is a command, which may also begin with a brace."""
    if not line.startswith("{"):
        return None
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("command"), str) else None
