"""Judges commands: reads them and calls the rules for each program."""

import dataclasses
import hashlib
import logging
import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from hermes_guard.budget import MAX_LENGTH, Budget
from hermes_guard.deceptive_text import clean, dashed, mixed
from hermes_guard.dependencies import UseRecorder
from hermes_guard.long_text import deadly, edges
from hermes_guard.paths import DEFAULT_POLICY, Folder, PathPolicy, judge_path, text_of
from hermes_guard.rules import registry, rule_files
from hermes_guard.rules.common.container_isolation import disposable
from hermes_guard.rules.family import Context, Family, Judge
from hermes_guard.shell.command import Command
from hermes_guard.shell.reader import read
from hermes_guard.shell.reader_state import MAX_DEPTH, Reading
from hermes_guard.shell_state import ShellState
from hermes_guard.verdict import Finding, Verdict, stricter
from hermes_guard.write_history import PAST

#: The number of commands and words that all rules see. Beyond it only the hardline rules are applied, so that a verdict
#: takes 50 ms at most.
MAX_WORK = 6_000
#: The number of findings that one function may report about one command.
_MAX_FINDINGS = 1_000
#: The number of commands judged at each end of what exceeds `MAX_WORK`.
_REST = 100
#: The maximum length of a text that replaces the words of an unreadable command.
_LONGEST_ARGV = 1_024
#: The minimum cost of judging code inside a command, in steps of the budget.
_PER_CODE = 250

#: Programs that only print their arguments.
_PRINTERS = frozenset({"echo", "printf", "print"})

_log = logging.getLogger(__name__)

__all__ = ["MAX_LENGTH", "Guard", "judge", "judge_path"]


class Guard:
    """Judges commands with the built-in rules and additional ones.

    Args:
        rules: Rule families, and paths of TOML files with rules.
        paths: The policy for `judge_path`; the built-in policy by default.
        builtin: False omits the built-in rules. Findings of the reader itself remain.

    Raises:
        RuleFileError: A rule file is invalid.
    """

    def __init__(
        self,
        rules: Iterable[Family | str | os.PathLike[str]] = (),
        *,
        paths: PathPolicy | None = None,
        builtin: bool = True,
    ) -> None:
        if isinstance(rules, str | os.PathLike):
            raise TypeError("rules are several files and families: pass a list of them")
        given = tuple(rules)
        self._own = tuple(entry if isinstance(entry, Family) else rule_files.load(Path(entry)) for entry in given)
        self._builtin = builtin
        added = [
            rule for entry in given if not isinstance(entry, Family) for rule in rule_files.load_paths(Path(entry))
        ]
        if added:
            paths = (paths or DEFAULT_POLICY).with_rules(added)
        #: The policy for paths.
        self.paths = paths or DEFAULT_POLICY
        self._judges: _Judges | None = None
        self._hardline = _Judges({})

    @property
    def families(self) -> tuple[Family, ...]:
        """The rule families in use."""
        return (*(registry.families() if self._builtin else ()), *self._own)

    def judge(
        self, command: str, *, cwd: Folder = None, home: Folder = None, state: ShellState | None = None
    ) -> Verdict:
        """Judge a shell command; see the function `judge`."""
        if not isinstance(command, str):
            raise TypeError(f"a command is a str, not {type(command).__name__}")
        place, own = text_of(cwd) or None, text_of(home) or os.path.expanduser("~")
        try:
            if self._judges is None:
                self._load()
            verdict = Verdict.of(self._findings(command, place, own, 0, Budget()))
        except Exception as error:  # whatever fails here, the answer must be a question and not a crash
            verdict = Verdict((_failed(error, command),))
        if state is None:
            return verdict
        try:
            return self._judge_in(state, command, place, own, verdict)
        except Exception as error:  # what the command leaves in the shell is then unknown
            return Verdict((*verdict.findings, _failed(error, command)), after=state.unknown("the guard failed"))

    def judge_path(
        self,
        op: Literal["read", "write"],
        path: str | os.PathLike[str],
        *,
        workspace: Folder = None,
        home: Folder = None,
    ) -> Verdict:
        """Judge reading or writing a path; see the function `judge_path`."""
        return self.paths.judge(op, path, workspace=text_of(workspace) or None, home=text_of(home) or None)

    def _load(self) -> None:
        """Load what every command needs before the clock starts. Rules for one program are loaded when that program
        occurs.
        """
        refusing = [family for family in self._own if any(rule.severity == "refuse" for rule in family.rules)]
        self._hardline = _Judges(self._by_program(refusing, refusing=True))
        read("(ls) > /tmp/x")
        self._judges = _Judges(self._by_program(self._own))

    def _by_program(self, own: Iterable[Family], *, refusing: bool = False) -> dict[str, list[registry.LazyJudge]]:
        table = registry.builtin_judges(refusing=refusing) if self._builtin else {}
        for program, judges in registry.judges(own).items():
            table.setdefault(program, []).extend(judges)
        return table

    def _findings(self, text: str, cwd: str | None, home: str, depth: int, budget: Budget) -> Iterator[Finding]:
        if len(text) > MAX_LENGTH:
            yield _unread("shell.too-long", f"the command is longer than {MAX_LENGTH} characters", text)
            yield from self._refusals(text, home, depth, budget)
            return
        cleaned = clean(text)
        if cleaned.tricks:
            reason = f"the text is not what it looks like: it holds {', '.join(cleaned.tricks)}"
            yield _unread("text.deceptive", reason, text)
        for finding in self._read(cleaned.text, cwd, home, depth, budget):
            if finding.span is None or cleaned.places is None:
                yield finding
            else:
                yield dataclasses.replace(finding, span=cleaned.original(finding.span))

    def _judge_in(self, state: ShellState, command: str, cwd: str | None, home: str, alone: Verdict) -> Verdict:
        """Judge a command in the state that earlier ones left. Findings without the state remain or become stricter."""
        if state.inert(command):
            return Verdict(alone.findings, after=state)
        budget, recorder = Budget(), UseRecorder(state)
        reading = state.read(command, cwd=cwd, home=home, budget=budget, uses=recorder)
        related = state.related(reading.commands)
        context = self._context(reading, cwd, home, 0, budget)
        context.commands, context.earlier = [*related, *reading.commands], len(related)
        found = [*state.findings(command, reading), *reading.findings]
        judges = self._judges or self._hardline
        for number, each in enumerate(reading.commands):
            if budget.late:
                found.append(_unread("shell.too-long", "there is too much to judge all of it", command))
                found += self._rest(reading.commands[number:], context, budget)
                break
            found += _judged((each,), context, self._hardline if each.piece else judges, refusals=each.piece)
        whole = (0, len(command))
        exact = len(command) <= MAX_LENGTH and command.isascii()
        found = [
            finding
            if exact and finding.argv
            else dataclasses.replace(
                finding, span=finding.span if exact else whole, argv=finding.argv or _as_argv(command)
            )
            for finding in found
            if finding.span != PAST
        ]
        found = stricter(alone.findings, found)
        uses = recorder.result(reading) if found else None
        return Verdict.of(found, state.left_by(reading), uses)

    def _read(self, text: str, cwd: str | None, home: str, depth: int, budget: Budget) -> Iterator[Finding]:
        reading = read(text, cwd=cwd, home=home, budget=budget)
        for finding in reading.findings:
            yield finding if finding.argv else dataclasses.replace(finding, argv=_as_argv(text))
        if not text.isascii():
            yield from _false_options(reading.commands)
        context = self._context(reading, cwd, home, depth, budget)
        work = 0
        everything = self._judges or self._hardline
        for number, command in enumerate(reading.commands):
            if not command.called:
                continue
            work += 3 + len(command.argv) if everything.knows(command) else 1
            if work > MAX_WORK or budget.late:
                yield _unread("shell.too-long", "there is too much to judge all of it", text, command.span)
                yield from self._rest(reading.commands[number:], context, budget)
                break
            judges = self._hardline if command.piece else everything
            yield from _judged((command,), context, judges, refusals=command.piece)
        if reading.stopped:
            yield from self._refusals(text, home, depth, budget, begun=bool(reading.commands))

    def _rest(self, commands: list[Command], context: Context, budget: Budget) -> Iterator[Finding]:
        """Report refusals among the commands that are not judged in full: first those at both ends, then the others
        while time remains.
        """
        inner = [command for command in commands[_REST:-_REST] if self._hardline.knows(command) or command.redirects]
        yield from _judged((*commands[:_REST], *commands[-_REST:]), context, self._hardline, refusals=True)
        own = budget.for_an_end()
        for command in inner:
            if own is None or own.late:
                return
            yield from _judged((command,), context, self._hardline, refusals=True)

    def _refusals(self, text: str, home: str, depth: int, budget: Budget, *, begun: bool = False) -> Iterator[Finding]:
        """Report refusals at both ends of a text that is not read as a whole, and around dangerous words between them.

        Padding does not bypass the hardline rules. `begun` skips the beginning, which was read already.
        """
        ends = edges(text)[1 if begun else 0 :]
        own = None
        for number, (start, piece) in enumerate((*ends, *deadly(text))):
            if number <= len(ends):
                own = budget.for_an_end()
            if own is None or own.late:
                return
            reading = read(clean(piece).text, cwd=None, home=home, base=start, budget=own)
            context = self._context(reading, None, home, depth, own)
            yield from _judged(reading.commands, context, self._hardline, refusals=True)

    def _context(self, reading: Reading, cwd: str | None, home: str, depth: int, budget: Budget) -> Context:
        def judge_code(code: str, command: Command) -> list[Finding]:
            if depth >= MAX_DEPTH:
                return [_unread("shell.too-deep", "shell code is nested more than eight deep", code, command.span)]
            if not budget.runs(_PER_CODE + 2 * len(code)):
                reported, budget.reported = budget.reported, True
                reason = "there is too much nested code to judge"
                return [] if reported else [_unread("shell.too-long", reason, code, command.span)]
            found = self._findings(code, command.cwd, home, depth + 1, budget)
            return [_moved(finding, command) for finding in found]

        return Context(home.rstrip("/") or "/", cwd, reading.commands, judge_code, budget, self.paths)


def _moved(finding: Finding, command: Command) -> Finding:
    """Move a finding about nested code to its outer command, where its own position means nothing.

    A refusal becomes a question inside a disposable container, for a guess, and for rebooting another machine.
    """
    softened = finding.severity == "refuse" and (
        command.guessed
        or (command.elsewhere and finding.rule == "hardline.power")
        or disposable(command, disks="disk" in finding.effects)
    )
    return dataclasses.replace(
        finding,
        span=command.span,
        severity="ask" if softened else finding.severity,
        place=(*command.place, *finding.place),
    )


class _Judges:
    """The functions that judge each program, and those that apply to a command."""

    __slots__ = ("_by_program", "_chains")

    def __init__(self, by_program: dict[str, list[registry.LazyJudge]]) -> None:
        self._by_program = by_program
        self._chains: dict[tuple[str | None, bool, bool], tuple[Judge, ...]] = {}

    def knows(self, command: Command) -> bool:
        """Return True when a function judges its program."""
        return command.program in self._by_program

    def of(self, command: Command) -> tuple[Judge, ...]:
        """Return the functions that judge a command. Unknown programs share one entry, which keeps the cache small."""
        program = command.program
        if program and program not in self._by_program:
            program = ""
        key = (program, bool(command.redirects), bool(command.assignments))
        chain = self._chains.get(key)
        if chain is None:
            signs = (program if program is not None else "$", ">" if key[1] else "", "=" if key[2] else "", "*")
            chain = self._chains[key] = tuple(
                registry.resolve_when_needed(judge) if sign == "*" else registry.resolve(judge)
                for sign in signs
                for judge in self._by_program.get(sign, ())
            )
        return chain


def _judged(
    commands: Iterable[Command], context: Context, judges: _Judges, *, refusals: bool = False
) -> Iterator[Finding]:
    for command in commands:
        if not command.called:
            continue
        program = command.program
        if program and not program.isascii() and mixed(program):
            yield Finding(
                rule="text.deceptive",
                severity="ask",
                reason="the command's name mixes look-alike letters",
                effects=frozenset({"unknown"}),
                span=command.span,
                argv=command.texts,
                place=command.place,
            )
        for finding in _run_judge(judges.of(command), command, context):
            if not refusals or finding.severity == "refuse":
                yield finding
        if context.noticed:
            yield from dict.fromkeys(context.noticed)
            context.noticed.clear()


def _false_options(commands: Iterable[Command]) -> Iterator[Finding]:
    """Ask about words that look like options but are operands, such as `--hard` with Unicode hyphens."""
    for command in commands:
        if command.program in _PRINTERS or not any(dashed(word.raw) and not word.quoted for word in command.args):
            continue
        yield Finding(
            rule="text.deceptive",
            severity="ask",
            reason="a word begins with a character that only looks like the dash of an option",
            effects=frozenset({"unknown"}),
            span=command.span,
            argv=command.texts,
            place=command.place,
        )


def _run_judge(judges: Iterable[Judge], command: Command, context: Context) -> list[Finding]:
    """Collect the findings of several functions. One that fails produces a question and does not affect the others."""
    found: list[Finding] = []
    for judge in judges:
        most = len(found) + _MAX_FINDINGS
        try:
            for finding in judge(command, context):
                if not isinstance(finding, Finding):
                    raise TypeError(f"a judge gives findings, not {type(finding).__name__}")
                found.append(finding)
                if len(found) >= most:
                    break
        except (Exception, SystemExit) as error:
            name = f"{judge.__module__}.{getattr(judge, '__qualname__', judge)}"
            _log.warning("the rules in %s failed on a command: %s", name, type(error).__name__)
            _log.debug("where they failed", exc_info=True)
            text = " ".join(command.texts)
            found.append(_unread("guard.failed", f"a rule failed: {type(error).__name__}", text, command.span))
    return found


@cache
def _default() -> Guard:
    return Guard()


def judge(command: str, *, cwd: Folder = None, home: Folder = None, state: ShellState | None = None) -> Verdict:
    """Judge a shell command: `allow`, `ask` or `refuse`. Nothing is run.

    Every text has a verdict; none raises. A text that is unreadable, too long or too deeply nested needs approval.

    Args:
        command: The text as passed to a shell.
        cwd: The directory that it would run in. Without it relative paths stay relative.
        home: The user's home directory; taken from the environment by default.
        state: What earlier commands left in the shell. The verdict then holds the resulting state, and is never milder
        than the verdict without a state.

    Raises:
        TypeError: The command is not a `str`, or a directory is neither a `str` nor a path.
    """
    return _default().judge(command, cwd=cwd, home=home, state=state)


def _failed(error: Exception, command: str) -> Finding:
    _log.warning("the guard failed on a command: %s", type(error).__name__)
    _log.debug("where the guard failed", exc_info=True)
    return _unread("guard.failed", f"the guard failed: {type(error).__name__}", command)


def _unread(rule: str, reason: str, text: str, span: tuple[int, int] | None = None) -> Finding:
    """Ask about a text, or a part of it, that was not judged as a whole. The approval is bound to the whole text."""
    return Finding(
        rule=rule,
        severity="ask",
        reason=reason,
        effects=frozenset({"unknown"}),
        span=span or (0, len(text)),
        argv=_as_argv(text),
    )


def _as_argv(text: str) -> tuple[str, ...]:
    """Return the text in place of unknown words; for a long one, its beginning and its digest."""
    if len(text) <= _LONGEST_ARGV:
        return (text,)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return (text[:_LONGEST_ARGV], f"sha256:{digest}")
