"""Assess input of background processes. Commands may come in pieces, so new input is judged with earlier input."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from hermes_core import Finding
from hermes_tools_terminal.command_assessment import as_heredoc
from hermes_tools_terminal.shell.command_checks import last_program

MAX_INPUT = 24_000
"""How many characters are judged together; the guard reads at most 32,768 characters of a command."""

TOO_MUCH = "process.too-much-input"

Assess = Callable[[str], list[Finding]]

# Keys that discard what was typed before them.
_FRESH_START = re.compile(r"[\x03\x04\x1a\x1c]")
# Functions, aliases and variables, in shells and other languages.
_DEFINED = re.compile(r"(\w+)\s*\([^)\n]*\)\s*[{:(]|(?:function|alias|def)\s+(\w+)|(\w+)\s*=")
_WORD = re.compile(r"\w+")
# How users run a command from a program: `!` in editors and pagers, `shell` in debuggers.
_ESCAPE = re.compile(r"^[ \t:]*(?:!+|shell\s|system\s)", re.MULTILINE)
_GUESSES = frozenset(
    """
    shell.too-long shell.unreadable shell.too-deep shell.unknown-command shell.unknown-code text.deceptive
    """.split()  # noqa: SIM905 - a list that is read
)
# Programs that only print their input.
_FILTERS = frozenset(
    """
    cat tee tac rev nl sort uniq wc head tail tr cut fold jq base64 xxd od grep egrep fgrep rg gzip gunzip xz zstd
    sha256sum md5sum column paste
    """.split()  # noqa: SIM905 - a list that is read
)
_DECEPTIVE, _TOO_LONG = "text.deceptive", "shell.too-long"

# Commands that the guard refuses if the program executes its input.
_PROBES = (
    "rm -rf /\n",
    "import os\nos.system('rm -rf /')\n",
    "require('child_process').execSync('rm -rf /')\n",
    "system('rm -rf /')\n",
    "DROP DATABASE x;\n",
)


@dataclass(slots=True)
class InputHistory:
    """Everything that was written to one process.

    Attributes:
        all: All input, as far as it can be judged.
        fresh: The input since the last finding: nothing in it needs approval by itself.
        overflowed: Whether there was more input than can be judged.
    """

    all: str = ""
    fresh: str = ""
    overflowed: bool = False
    _executes_input: bool | None = field(default=None, repr=False)

    def findings(self, command: str, text: str, assess: Assess) -> list[Finding]:
        """Return findings about new input that were not approved before."""
        whole = self.all + text
        if self.overflowed or len(whole) > MAX_INPUT:
            if self.executes_input(command, assess):
                return [_too_much()]
            whole = whole[-MAX_INPUT:]  # the guard knows nothing that this program would do
        known: set[tuple[str, str, str]] = set()
        if self.all and not self._names(text):
            known = {_identity(finding) for finding in assess(as_heredoc(command, self.all))}
        found = [
            finding
            for finding in assess(as_heredoc(command, _without_keys(whole)))
            if finding.rule == _TOO_LONG or _identity(finding) not in known  # unread input was never approved
        ]
        for part in _FRESH_START.split((self.fresh + text)[-MAX_INPUT:]):
            if part.strip():
                found += [finding for finding in assess(as_heredoc(command, part)) if finding not in found]
        if last_program(command) not in _FILTERS and not self.executes_input(command, assess):
            # It may pass on its input: an editor, a pager, a recorder.
            typed = _ESCAPE.sub("", _without_keys(self.fresh + text)[-MAX_INPUT:])
            found += [each for each in assess(typed) if each.rule not in _GUESSES and each not in found]
        if any(finding.rule == _DECEPTIVE for finding in found) and not self.executes_input(command, assess):
            return [finding for finding in found if finding.rule != _DECEPTIVE]  # keys, such as arrows in a menu
        return found

    def add(self, command: str, text: str, assess: Assess) -> None:
        """Record input."""
        whole = self.all + text
        self.overflowed = self.overflowed or len(whole) > MAX_INPUT
        self.all = whole[-MAX_INPUT:]
        fresh = _FRESH_START.split((self.fresh + text)[-MAX_INPUT:])[-1]
        self.fresh = "" if assess(as_heredoc(command, fresh)) else fresh

    def _names(self, text: str) -> bool:
        """Return whether a text uses an earlier definition: what was approved may then happen again."""
        defined = {name for found in _DEFINED.findall(self.all) for name in found if name}
        return "!" in text or "^" in text or not defined.isdisjoint(_WORD.findall(text))

    def executes_input(self, command: str, assess: Assess) -> bool:
        """Return whether a program is known to execute its input: a shell, an interpreter, a database client."""
        if self._executes_input is None:
            alone = len(assess(command))
            self._executes_input = any(len(assess(as_heredoc(command, probe))) > alone for probe in _PROBES)
        return self._executes_input


def _identity(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.severity, finding.reason


def _without_keys(text: str) -> str:
    return _FRESH_START.sub("\n", text)


def _too_much() -> Finding:
    return Finding(
        rule=TOO_MUCH,
        severity="ask",
        reason="its input is too long to be judged as a whole; start a new process",
        effects=frozenset({"exec"}),
    )
