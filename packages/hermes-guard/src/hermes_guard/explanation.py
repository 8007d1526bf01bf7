"""Explains a verdict: a tree of the commands that would run, with the files each reads and writes."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_guard.deceptive_text import clean
from hermes_guard.guard import MAX_LENGTH, Guard
from hermes_guard.paths import Folder, text_of
from hermes_guard.shell.command import Command, Redirect
from hermes_guard.shell.reader import read
from hermes_guard.verdict import Verdict


@dataclass(slots=True)
class Step:
    """One command that would run, and the commands that it runs in turn."""

    argv: tuple[str, ...]
    span: tuple[int, int]
    #: None when it is unknown.
    cwd: str | None
    #: Circumstances such as `as root` or `in a loop`.
    notes: tuple[str, ...] = ()
    #: Files that redirections or rules name as written.
    writes: tuple[str, ...] = ()
    #: The programs that read its output.
    feeds: tuple[str, ...] = ()
    children: "list[Step]" = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return the step as plain JSON data."""
        return {
            "argv": list(self.argv),
            "span": list(self.span),
            "cwd": self.cwd,
            "notes": list(self.notes),
            "writes": list(self.writes),
            "feeds": list(self.feeds),
            "children": [child.as_dict() for child in self.children],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A command, what would run, and the verdict."""

    command: str
    steps: tuple[Step, ...]
    verdict: Verdict

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation as plain JSON data."""
        return {
            "command": self.command,
            **self.verdict.as_dict(),
            "steps": [step.as_dict() for step in self.steps],
        }


def explain(guard: Guard, command: str, *, cwd: Folder = None, home: Folder = None) -> Explanation:
    """Judge a command and describe what would run. Nothing is run."""
    verdict = guard.judge(command, cwd=cwd, home=home)
    commands: list[Command] = []
    if len(command) <= MAX_LENGTH:
        own = text_of(home) or os.path.expanduser("~")
        found = read(clean(command).text, cwd=text_of(cwd) or None, home=own).commands
        commands = [one for one in found if not one.piece]
    return Explanation(command=command, steps=tuple(_tree(commands, verdict)), verdict=verdict)


def _tree(commands: Sequence[Command], verdict: Verdict) -> list[Step]:
    steps = {id(command): _step(command, verdict) for command in commands}
    inside: set[int] = set()
    latest: dict[tuple[object, ...], Command] = {}
    for command in commands:
        own = steps[id(command)]
        for child in _substituted(command):
            if id(child) in steps and id(child) not in inside:
                inside.add(id(child))
                own.children.append(steps[id(child)])
        wrapper = command.wrappers[-1] if command.wrappers else None
        parent = latest.get((command.wrappers[:-1], wrapper.argv)) if wrapper else None
        if parent is not None and id(command) not in inside:
            inside.add(id(command))
            steps[id(parent)].children.append(own)
        latest[command.wrappers, command.texts] = command
    return [steps[id(command)] for command in commands if id(command) not in inside]


def _substituted(command: Command) -> Iterator[Command]:
    """Yield the commands in its substitutions."""
    for word in (*command.argv, *(redirect.target for redirect in command.redirects)):
        yield from word.commands


def _step(command: Command, verdict: Verdict) -> Step:
    writes = [_target(command, redirect) for redirect in command.redirects if redirect.writes]
    found = [
        finding.path
        for finding in verdict.findings
        if finding.path
        and finding.rule.startswith("write.")
        and finding.span == command.span
        and finding.argv == command.texts
    ]
    return Step(
        argv=command.texts,
        span=command.span,
        cwd=command.cwd,
        notes=tuple(_notes(command)),
        writes=tuple(dict.fromkeys([*writes, *found])),
        feeds=tuple(dict.fromkeys(_name(reader, len(command.wrappers)) for reader in command.feeds)),
    )


def _name(reader: Command, depth: int) -> str:
    """Return the program behind a pipe; for a wrapper, the command it finally runs."""
    if len(reader.wrappers) > depth:
        return reader.wrappers[depth].program
    return reader.program or (reader.argv[0].text if reader.argv else "a group")


def _target(command: Command, redirect: Redirect) -> str:
    return command.path(redirect.target) or redirect.target.text


def _notes(command: Command) -> Iterator[str]:
    where = {wrapper.elsewhere for wrapper in command.wrappers}
    for given, note in (
        (command.program is None, "its name is not certain"),
        (command.guessed, "a guess"),
        (command.as_root, "as root"),
        ("machine" in where, "on another machine"),
        ("container" in where, "in a container"),
        (command.loop, "in a loop"),
        (command.condition, "on a condition"),
        (command.background, "in the background"),
        (bool(command.function) and command.called, f"in the function {command.function}"),
        (not command.called, f"in the function {command.function}, which nothing calls"),
    ):
        if given:
            yield note
