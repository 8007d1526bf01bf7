"""The building blocks of rules: a rule, a rule family, and the context that judging functions receive."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from hermes_guard.budget import Budget
from hermes_guard.rules.common.container_isolation import disposable
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

if TYPE_CHECKING:
    from hermes_guard.paths.policy import PathPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule that asks about or refuses commands. Rules of users carry their examples."""

    id: str
    severity: Literal["ask", "refuse"] = "ask"
    #: A sentence; `{program}`, `{path}` and other facts are filled in.
    reason: str
    effects: frozenset[str] = frozenset()
    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()

    def found(
        self,
        command: Command,
        *,
        path: str = "",
        severity: Literal["ask", "refuse"] | None = None,
        contained: bool = True,
        **facts: str,
    ) -> Finding:
        """Return a finding of this rule for a command. If `contained`, a disposable container turns a refusal into a
        question.
        """
        chosen = severity or self.severity
        if chosen == "refuse" and (
            command.guessed or (contained and command.wrappers and disposable(command, disks="disk" in self.effects))
        ):
            # Such a container can be recreated, and a guess is not certain.
            chosen = "ask"
        facts.setdefault("program", command.program or "")
        return Finding(
            rule=self.id,
            severity=chosen,
            reason=self.reason.format_map({**facts, "path": path}) if "{" in self.reason else self.reason,
            effects=self.effects,
            span=command.span,
            argv=command.texts,
            path=path,
            place=command.place,
        )


@dataclass(slots=True)
class Context:
    """What a judging function knows besides its command."""

    home: str
    cwd: str | None
    #: Every command in the judged text, in reading order.
    commands: list[Command]
    #: Judges shell code that a command would run, in the place where it runs. Limited in depth and by the budget.
    judge_code: Callable[[str, Command], list[Finding]]
    #: The budget left for code inside the judged text.
    budget: Budget
    #: The policy for files that commands read and write.
    paths: "PathPolicy"
    #: Findings of users' path rules about the current command.
    noticed: list[Finding] = field(default_factory=list)
    #: The number of commands that belong to earlier texts.
    earlier: int = 0

    def begins(self, command: Command) -> bool:
        """Return True for the first command of the text that runs, with which the whole text is checked once."""
        commands = self.commands
        if len(commands) < 2:
            return False
        first = commands[self.earlier] if self.earlier < len(commands) else command
        if first.called:
            return command is first
        return command is next((one for one in commands[self.earlier :] if one.called), None)


Judge = Callable[[Command, Context], Iterable[Finding]]


@dataclass(slots=True)
class Family:
    """Related rules, and the functions that judge commands by them."""

    name: str
    rules: list[Rule] = field(default_factory=list)
    judges_by_program: dict[str, list[Judge]] = field(default_factory=dict)

    def rule(
        self,
        id: str,
        reason: str,
        *,
        severity: Literal["ask", "refuse"] = "ask",
        effects: Iterable[str] = (),
        match: Iterable[str] = (),
        not_match: Iterable[str] = (),
    ) -> Rule:
        """Declare a rule of this family. The examples of built-in rules are in `hermes_guard/examples`."""
        rule = Rule(
            id=id,
            severity=severity,
            reason=reason,
            effects=frozenset(effects),
            match=tuple(match),
            not_match=tuple(not_match),
        )
        self.rules.append(rule)
        return rule

    def judges(self, *programs: str) -> Callable[[Judge], Judge]:
        """Register a judging function for these programs.

        `*` stands for every command, including those without a name; `>` for commands with redirections, `=` for those
        with leading variable assignments, and `$` for those whose name is unknown until they run.
        """

        def register(judge: Judge) -> Judge:
            for program in programs:
                self.judges_by_program.setdefault(program, []).append(judge)
            return judge

        return register


def abbreviate(command: Command, length: int = 100) -> str:
    """Return the beginning of a command, as shown in a finding."""
    return " ".join(command.texts)[:length]
