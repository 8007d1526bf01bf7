"""The frame of the rules: a rule, a family of them, and what judges are told."""

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
    """One thing to ask about or to refuse, with commands that show it."""

    id: str
    severity: Literal["ask", "refuse"] = "ask"
    #: A sentence; `{program}`, `{path}` and further facts are filled in.
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
        """A finding of this rule about a command. In a container of its own a refusal is a question, if `contained`."""
        chosen = severity or self.severity
        if chosen == "refuse" and (
            command.guessed or (contained and command.wrappers and disposable(command, disks="disk" in self.effects))
        ):
            # Such a container can be made again, and a guess is no certainty.
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
    """What a judge may know besides its command."""

    home: str
    cwd: str | None
    #: Every command of the judged text, in the order of reading.
    commands: list[Command]
    #: Judges shell code that a command would run, where the command runs. Bounded in depth and by the budget.
    judge_code: Callable[[str, Command], list[Finding]]
    #: What code inside of the judged text may still cost.
    budget: Budget
    #: The policy for the files that commands read and write.
    paths: "PathPolicy"
    #: What rules of users for paths found about the command under judgement.
    noticed: list[Finding] = field(default_factory=list)
    #: How many of the commands stood in earlier texts.
    earlier: int = 0

    def begins(self, command: Command) -> bool:
        """True for the first that runs of several commands: what is read as a whole is read once, with it."""
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
    """Rules about programs that belong together, and the functions that judge them."""

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
        """Declare a rule of this family."""
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
        """Register a function for these programs.

        `*` stands for every command, also those without a name; `>` for those with redirections, `=` for those with
        variables before them, and `$` for those whose name is known only when they run.
        """

        def register(judge: Judge) -> Judge:
            for program in programs:
                self.judges_by_program.setdefault(program, []).append(judge)
            return judge

        return register


def abbreviate(command: Command, length: int = 100) -> str:
    """The beginning of a command, as a finding shows it."""
    return " ".join(command.texts)[:length]
