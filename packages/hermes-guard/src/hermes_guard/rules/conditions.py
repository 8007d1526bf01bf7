"""Conditions for calling a function that judges every command; its module is imported only when the condition holds."""

import os
from collections.abc import Callable, Iterable

from hermes_guard.rules.family import Context, Judge
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

Condition = Callable[[Command, Context], object]


def _is_one_of_several(_: Command, context: Context) -> bool:
    return len(context.commands) > 1


def _has_several_arguments(command: Command, _: Context) -> bool:
    return len(command.argv) > 2


def _runs_a_start_script(command: Command, _: Context) -> bool:
    return len(command.argv) > 1 and (command.argv[0].raw.endswith("ctl") or ".d/" in command.argv[0].raw)


def _is_wrapped(command: Command, _: Context) -> bool:
    return bool(command.wrappers)


def _starts_beside_others(command: Command, _: Context) -> bool:
    return command.background or command.piped


def _has_substitutions(command: Command, _: Context) -> bool:
    return any(HOLE in word.raw for word in command.argv)


def _has_long_options(command: Command, _: Context) -> bool:
    return any(word.raw.startswith(("--o", "--l")) for word in command.argv[1:])


def _is_about_the_agent(command: Command, context: Context) -> bool:
    home = context.paths.hermes_home or os.environ.get("HERMES_HOME", "")
    names = (
        home.rstrip("/").rpartition("/")[2] or ".hermes",
        ".hermes",
    )  # the second one if only the variable is known
    texts = [command.cwd or "", *(word.raw for word in command.args)]
    return len(texts) > 1 and any(name in text for text in texts for name in names)


def _makes_something(command: Command, _: Context) -> bool:
    return (command.program or "").startswith(("mk", "newfs"))


CONDITIONS: dict[str, Condition] = {
    "hardline.disks:mkfs": _makes_something,
    "hardline.fork_bombs:fork_bomb": _starts_beside_others,
    "interpreters.saved_scripts:saved": _is_one_of_several,
    "persistence.agent:unmarked": _is_wrapped,
    "remote_code.fetched_files:saved": _is_one_of_several,
    "secrets.file_options:shell_reads": _has_substitutions,
    "services.service_managers:scripts": _runs_a_start_script,
    "unknown_programs:judge": _has_several_arguments,
    "writes.agent_home:programs": _is_about_the_agent,
    "writes.output_options:long_outputs": _has_long_options,
}
"""What holds for every command that the function reports. Otherwise the function is not called."""


class ConditionalJudge:
    """A function that is imported for the first command that meets its condition."""

    __slots__ = ("_condition", "_judge", "_resolve")

    def __init__(self, condition: Condition, resolve: Callable[[], Judge]) -> None:
        self._condition = condition
        self._resolve = resolve
        self._judge: Judge | None = None

    def __call__(self, command: Command, context: Context) -> Iterable[Finding]:
        """Call the function if its condition holds."""
        if not self._condition(command, context):
            return ()
        judge = self._judge
        if judge is None:
            judge = self._judge = self._resolve()
        return judge(command, context)
